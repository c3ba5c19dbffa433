#pragma once
// The names of an enumeration's values, in one table: for files, messages and what may be chosen.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

template <class Enum>
struct EnumName {
  Enum value;
  const char* name;
};

/// Empty for a value that the table does not have.
template <class Enum, std::size_t count>
constexpr const char* nameIn(const EnumName<Enum> (&table)[count], Enum value) {
  for (const EnumName<Enum>& row : table)
    if (row.value == value) return row.name;
  return "";
}

template <class Enum, std::size_t count>
constexpr std::optional<Enum> valueIn(const EnumName<Enum> (&table)[count], std::string_view name) {
  for (const EnumName<Enum>& row : table)
    if (row.name == name) return row.value;
  return std::nullopt;
}

template <class Enum, std::size_t count>
std::vector<std::string> namesIn(const EnumName<Enum> (&table)[count]) {
  std::vector<std::string> names;
  for (const EnumName<Enum>& row : table) names.emplace_back(row.name);
  return names;
}

}  // namespace sluice

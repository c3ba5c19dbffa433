#pragma once
// A member of the document as a parameter that the inspector edits.

#include <algorithm>

#include "engine/program/fields.h"
#include "engine/program/file_format_names.h"
#include "engine/program/operator_spec.h"

namespace sluice::ui {

template <class T>
constexpr ParameterKind kind_of = std::is_enum_v<T>                              ? ParameterKind::Choice
                                  : std::is_same_v<T, bool>                      ? ParameterKind::Boolean
                                  : std::is_same_v<T, std::string>               ? ParameterKind::Text
                                  : std::is_same_v<T, std::vector<std::int64_t>> ? ParameterKind::IntegerList
                                                                                 : ParameterKind::Integer;

/// The range stands in the help; the check refuses what is above it.
template <class Struct, class T>
ParameterSpec specOf(T Struct::*member) {
  const Field<Struct>& field = fieldOf(member);
  ParameterSpec spec{.name = std::string(field.key),
                     .kind = kind_of<T>,
                     .initial = {},
                     .range = field.range,
                     .choices = {},
                     .help = std::string(field.help),
                     .unit = std::string(field.unit)};
  if constexpr (std::is_enum_v<T>) spec.choices.assign(spellings<T>.begin(), spellings<T>.end());
  spec.help = helpWithRange(spec);
  spec.range = field.range.minimum;
  return spec;
}

template <class T>
Value valueOf(const T& member) {
  if constexpr (std::is_enum_v<T>)
    return std::string(spellings<T>.at(static_cast<std::size_t>(member)));
  else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>)
    return std::vector<Value>(member.begin(), member.end());
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return static_cast<std::int64_t>(member);
  else
    return member;
}

/// Whether the member can hold it: an integer holds no expression.
template <class T>
bool setTo(const Value& value, T& member) {
  if constexpr (std::is_same_v<T, Value>) {
    member = value;
  } else if constexpr (std::is_enum_v<T>) {
    member = static_cast<T>(std::ranges::find(spellings<T>, *value.string()) - spellings<T>.begin());
  } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
    T numbers(value.list()->size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (!setTo((*value.list())[i], numbers[i])) return false;
    member = std::move(numbers);
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (!value.integer()) return false;
    member = static_cast<std::uint64_t>(*value.integer());
  } else {
    const T* held = std::get_if<T>(&value);
    if (held) member = *held;
    return held;
  }
  return true;
}

}  // namespace sluice::ui

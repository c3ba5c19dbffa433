#include "engine/traces/number_columns.h"

#include <algorithm>
#include <charconv>

#include "engine/core/atomic_file.h"
#include "engine/program/spelling.h"

namespace sluice::inline traces {
namespace {

constexpr std::size_t most_told = 20;

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\""), end = text.find_last_not_of(" \t\r\"");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

std::int64_t numberIn(const std::vector<std::string_view>& fields, std::size_t column, const Location& place,
                      Diagnostics& wrong) {
  const std::string_view field = column < fields.size() ? fields[column] : std::string_view();
  std::int64_t number = 0;
  const auto [stop, failed] = std::from_chars(field.data(), field.data() + field.size(), number);
  if (!field.empty() && failed == std::errc() && stop == field.data() + field.size() && number >= 0)
    return number;
  if (wrong.size() < most_told) {
    wrong.push_back(warning("not-a-number", place,
                            field.empty() ? "a number is missing"
                                          : "'" + std::string(field) + "' is not a whole number of 0 or more",
                            "correct it; what it belongs to is left out"));
  }
  return no_number;
}

}  // namespace

std::vector<std::string_view> fieldsOf(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

Result<NumberColumns> readNumberColumns(const std::filesystem::path& file,
                                        const std::vector<std::string>& names, const Location& place) {
  SLUICE_TRY(const std::string bytes, readFile(file));
  std::string_view rest = bytes;
  const auto line = [&] {
    const std::size_t end = rest.find('\n');
    const std::string_view cut = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return cut;
  };
  const auto header = fieldsOf(line());
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    const auto at = std::ranges::find(header, name);
    if (at == header.end()) {
      return error("missing-field", place, "the table has no column '" + name + "'",
                   spellingFix(name, {header.begin(), header.end()}, "give it a header"));
    }
    places.push_back(static_cast<std::size_t>(at - header.begin()));
  }
  NumberColumns table{std::vector<std::vector<std::int64_t>>(names.size()), {}};
  for (std::int64_t number = 2; !rest.empty(); ++number) {
    const std::string_view text = line();
    if (trimmed(text).empty()) continue;
    const auto fields = fieldsOf(text);
    for (std::size_t i = 0; i < places.size(); ++i)
      table.columns[i].push_back(
          numberIn(fields, places[i], place / Location(Where::Line, number), table.wrong));
  }
  return table;
}

}  // namespace sluice::inline traces

#include "engine/figures/published.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>

#include "engine/core/csv.h"
#include "engine/core/embedded_files.h"

namespace sluice::inline figures {
namespace {

template <class Number>
Number parsed(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc{} || stop != end) throw std::logic_error("a published number is '" + text + "'");
  return number;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// The columns of "# key: ...". Takes the comment off the text.
std::vector<std::string> takeKey(std::string_view& text) {
  constexpr std::string_view begin = "# key: ";
  std::vector<std::string> key;
  while (text.starts_with('#')) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(begin)) key = words(std::string(line.substr(begin.size())));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return key;
}

}  // namespace

const std::string& PublishedRow::text(const std::string& column) const {
  return fields_.at(column);
}

double PublishedRow::number(const std::string& column) const {
  return parsed<double>(text(column));
}

std::optional<double> PublishedRow::value(const std::string& column) const {
  return text(column).empty() ? std::nullopt : std::optional(number(column));
}

std::int64_t PublishedRow::integer(const std::string& column) const {
  return parsed<std::int64_t>(text(column));
}

std::vector<std::int64_t> PublishedRow::integers(const std::string& column) const {
  std::vector<std::int64_t> numbers;
  for (const std::string& word : words(text(column))) numbers.push_back(parsed<std::int64_t>(word));
  return numbers;
}

Result<PublishedTable> parsePublished(std::string_view csv, const std::string& name) {
  const auto problem = [&](std::size_t row, const std::string& cause, const std::string& fix) {
    return error("csv-syntax", name + ", row " + std::to_string(row), cause, fix);
  };
  const std::vector<std::string> key = takeKey(csv);
  SLUICE_TRY(const std::vector<std::vector<std::string>> rows, parseCsv(csv, name));
  if (rows.empty()) return problem(0, "there is no header", "name the columns");
  const std::vector<std::string>& columns = rows.front();
  if (key.empty()) return problem(0, "no columns are the key", "write a line '# key: COLUMN COLUMN'");
  for (const std::string& column : key) {
    if (std::ranges::find(columns, column) == columns.end())
      return problem(0, "there is no column '" + column + "' of the key", "add it, or correct the key");
  }
  PublishedTable table;
  std::set<std::vector<std::string>> known;
  for (std::size_t row = 1; row < rows.size(); ++row) {
    const std::vector<std::string>& read = rows[row];
    if (read.size() != columns.size()) {
      return problem(
          row, std::to_string(read.size()) + " fields of " + std::to_string(columns.size()) + " columns",
          "give every column a field");
    }
    std::map<std::string, std::string> fields;
    for (std::size_t at = 0; at < columns.size(); ++at) fields[columns[at]] = read[at];
    std::vector<std::string> own;
    for (const std::string& column : key) {
      own.push_back(fields.at(column));
      if (own.back().empty()) return problem(row, "'" + column + "' is empty", "fill it in");
    }
    if (!known.insert(std::move(own)).second)
      return problem(row, "an earlier row has the same key", "leave one of them");
    table.emplace_back(std::move(fields));
  }
  return table;
}

PublishedTable publishedTable(std::string_view name) {
  for (const EmbeddedFile& file : publishedFiles()) {
    if (file.name != name) continue;
    Result<PublishedTable> table = parsePublished(file.text, std::string(name) + ".csv");
    if (!table) throw std::logic_error(text(table.diagnostics()));
    return *std::move(table);
  }
  throw std::logic_error("no numbers are published as " + std::string(name));
}

const PublishedRow& rowWith(const PublishedTable& table, const std::map<std::string, std::string>& fields) {
  const auto row = std::ranges::find_if(table, [&](const PublishedRow& each) {
    return std::ranges::all_of(fields,
                               [&](const auto& field) { return each.text(field.first) == field.second; });
  });
  if (row == table.end()) throw std::logic_error("no published row has " + fields.begin()->second);
  return *row;
}

PublishedRow rowWith(PublishedTable&& table, const std::map<std::string, std::string>& fields) {
  return rowWith(std::as_const(table), fields);
}

}  // namespace sluice::inline figures

#include "engine/measurements/tables.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "engine/core/csv.h"
#include "engine/measurements/measurement.h"

namespace sluice::inline measurements {
namespace {

std::string trimmed(const std::string& cell) {
  const std::size_t first = cell.find_first_not_of(" \t\xEF\xBB\xBF"), last = cell.find_last_not_of(" \t");
  return first == std::string::npos ? "" : cell.substr(first, last - first + 1);
}

}  // namespace

Result<std::vector<TableLine>> readLines(std::istream& in, const std::string& file) {
  std::vector<TableLine> lines;
  std::string text;
  std::int64_t number = 0;
  std::uintmax_t bytes = 0;
  std::size_t cells = 0;
  const Location place(Where::File, file);
  while (std::getline(in, text)) {
    ++number;
    bytes += text.size() + 1;
    if (bytes > most_table_bytes || text.size() > 1'000'000)
      return error("file-too-large", place / Location(Where::Line, number), "the table is too large",
                   "give at most 64 MiB, and lines of a million characters");
    if (text.find('\0') != std::string::npos)
      return error("csv-syntax", place / Location(Where::Line, number), "this is no text",
                   "give a table in CSV");
    SLUICE_TRY(auto rows, parseCsv(text, file + ", line " + std::to_string(number)));
    if (rows.empty()) continue;
    cells += rows.front().size();
    if (cells > most_table_cells)
      return error("file-too-large", place / Location(Where::Line, number),
                   "the table has more than 4 million cells", "leave out columns or rows");
    TableLine line{std::move(rows.front()), number};
    for (std::string& cell : line.cells) cell = trimmed(cell);
    if (line.cells.front().starts_with('#')) continue;
    if (std::ranges::all_of(line.cells, &std::string::empty)) continue;
    lines.push_back(std::move(line));
  }
  return lines;
}

NamedColumns::NamedColumns(const TableLine& header, std::string file) : file_(std::move(file)) {
  for (const std::string& cell : header.cells) names_.push_back(plainName(cell));
}

std::optional<std::size_t> NamedColumns::column(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(names_, name);
    if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  }
  return std::nullopt;
}

Location NamedColumns::place(const TableLine& line) const {
  return Location(Where::File, file_) / Location(Where::Line, line.line);
}

Result<std::optional<double>> NamedColumns::number(const TableLine& line,
                                                   std::optional<std::size_t> column) const {
  if (!column || *column >= line.cells.size() || line.cells[*column].empty()) return std::optional<double>();
  const std::string& cell = line.cells[*column];
  double value = 0;
  const auto [end, failed] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (failed != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value) || value < 0 ||
      value > 9e15)
    return error(
        "csv-syntax", place(line),
        "'" + cell.substr(0, 40) + "' in column '" + names_[*column] + "' is no number of cycles or tokens",
        "write a number from 0 to 9e15");
  return std::optional(value);
}

Result<Done> NamedColumns::isAlone(const TableLine& header, std::size_t column) const {
  const std::string& name = header.cells[column];
  const auto same = std::ranges::count(header.cells, name);
  if (same < 2) return Done{};
  return error("duplicate-field", place(header), std::to_string(same) + " columns are called '" + name + "'",
               "leave all but one out, or rename them");
}

Result<Done> NamedColumns::fits(const TableLine& line) const {
  std::size_t cells = line.cells.size();
  while (cells > names_.size() && line.cells[cells - 1].empty()) --cells;
  if (cells <= names_.size()) return Done{};
  return error("csv-syntax", place(line),
               "it has " + std::to_string(cells) + " cells; the header has " + std::to_string(names_.size()),
               "give a cell for each column");
}

}  // namespace sluice::inline measurements

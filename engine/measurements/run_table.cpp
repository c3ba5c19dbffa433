// A table of whole runs in CSV: a row a run, `cycles` (or the column that the caller names) or `file`, which
// names a recording of the run; the other columns are knobs and constants.

#include <algorithm>
#include <charconv>

#include "engine/measurements/format.h"
#include "engine/measurements/tables.h"
#include "engine/program/spelling.h"

namespace sluice::inline measurements {
namespace {

/// Names of knobs and constants stand as they are written: plainName() would change them.
struct Header {
  TableLine line;
  NamedColumns columns;
  std::optional<std::size_t> cycles, file;
};

/// How a table without the column of cycles can be read all the same.
std::string columnFix(const TableLine& line, const std::string& wanted) {
  if (line.cells.size() == 1 && line.cells.front().find_first_of(";\t") != std::string::npos)
    return "separate the columns by commas";
  const std::string option = "give --cycles-column with the name of the column that has them";
  if (const auto same = evidentSpelling(wanted, line.cells)) return "give --cycles-column '" + *same + "'";
  std::string names;
  for (const std::string& cell : line.cells)
    if (!cell.empty() && names.size() < 200) names += (names.empty() ? "" : ", ") + cell;
  return names.empty() ? option : option + ": one of " + names;
}

Result<Header> headerOf(const TableLine& line, const std::string& file, const ReadOptions& options) {
  Header header{line, NamedColumns(line, file), {}, {}};
  for (std::size_t i = 0; i < line.cells.size(); ++i) {
    if (!line.cells[i].empty()) SLUICE_CHECK(header.columns.isAlone(line, i));
    if (line.cells[i] == options.cycles_column) header.cycles = i;
    if (line.cells[i] == "file") header.file = i;
  }
  if (header.cycles || header.file) return header;
  return error("csv-syntax", header.columns.place(line),
               "it has neither a column '" + options.cycles_column + "' nor a column 'file'",
               columnFix(line, options.cycles_column));
}

Result<MeasuredRun> runOf(const Header& header, const TableLine& line) {
  SLUICE_CHECK(header.columns.fits(line));
  MeasuredRun run;
  run.place = header.columns.place(line);
  SLUICE_TRY(run.cycles, header.columns.number(line, header.cycles));
  for (std::size_t i = 0; i < std::min(line.cells.size(), header.line.cells.size()); ++i) {
    const std::string& cell = line.cells[i];
    if (i == header.cycles || cell.empty()) continue;
    if (i == header.file) {
      run.file = cell;
      continue;
    }
    std::int64_t value = 0;
    const auto [end, failed] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (failed == std::errc() && end == cell.data() + cell.size()) run.at[header.line.cells[i]] = value;
  }
  if (!run.cycles && run.file.empty())
    return error("csv-syntax", run.place, "the row has neither cycles nor a file", "leave the row out");
  if (run.cycles && *run.cycles == 0)
    return error("csv-syntax", run.place, "a run takes more than 0 cycles", "leave the row out");
  return run;
}

Result<Measurement> readRunTable(std::istream& in, const std::string& file, const ReadOptions& options) {
  SLUICE_TRY(const std::vector<TableLine> lines, readLines(in, file));
  if (lines.size() < 2)
    return error("missing-data", Location(Where::File, file), "it has no rows", "give a row for each run");
  SLUICE_TRY(const Header header, headerOf(lines.front(), file, options));
  Measurement measurement;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    SLUICE_TRY(MeasuredRun run, runOf(header, lines[i]));
    measurement.runs.push_back(std::move(run));
  }
  return measurement;
}

/// The last one that is asked: a line with a comma - or with what some write instead, which is refused with a
/// fix - and no control characters.
bool looksLikeCsv(std::string_view beginning) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 9 || c == '\x1b'; };
  return beginning.find_first_of(",;") != std::string_view::npos &&
         std::ranges::none_of(beginning, control) && !beginning.starts_with('{') &&
         !beginning.starts_with('[') && !beginning.starts_with('$');
}

}  // namespace

const MeasurementFormat& runTable() {
  static const MeasurementFormat format{.name = "run table",
                                        .title = "a table in CSV of whole runs",
                                        .suffixes = {"csv"},
                                        .limit = most_table_bytes,
                                        .sniff = looksLikeCsv,
                                        .content = "any other header in CSV",
                                        .read = readRunTable};
  return format;
}

}  // namespace sluice::inline measurements

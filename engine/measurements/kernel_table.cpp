// A table of operators or kernels in CSV, a row each: `operator` (or `kernel`, `name`), and any of `cycles`,
// `compute`, `token`, `slot`, `memory`, `stream`, `finished`; of streams `tokens`, `most`. README.md has the
// columns. The row `*` is the whole run.

#include <algorithm>
#include <array>

#include "engine/measurements/format.h"
#include "engine/measurements/tables.h"

namespace sluice::inline measurements {
namespace {

constexpr std::array<std::string_view, 4> name_columns{"operator", "kernel", "name", "compute_unit"};

std::optional<std::size_t> nameColumn(const NamedColumns& table) {
  return table.column({name_columns[0], name_columns[1], name_columns[2], name_columns[3]});
}

struct Columns {
  std::size_t name = 0;
  std::optional<std::size_t> cycles, finished, tokens, most;
  std::vector<std::pair<Activity, std::size_t>> activities;
};

Columns columnsOf(const NamedColumns& table) {
  Columns columns;
  columns.name = *nameColumn(table);
  columns.cycles = table.column({"cycles", "total_cycles", "total", "latency"});
  columns.finished = table.column({"finished", "finished_cycle", "end"});
  columns.tokens = table.column({"tokens"});
  columns.most = table.column({"most", "max_occupancy"});
  const auto add = [&](Activity activity, std::initializer_list<std::string_view> names) {
    if (const auto at = table.column(names)) columns.activities.emplace_back(activity, *at);
  };
  add(Activity::Compute, {"compute", "busy", "running", "compute_cycles"});
  add(Activity::Token, {"token", "starved", "waiting_for_a_token", "token_cycles"});
  add(Activity::Slot, {"slot", "blocked", "waiting_for_a_slot", "slot_cycles"});
  add(Activity::Memory, {"memory", "waiting_for_memory", "memory_cycles"});
  add(Activity::Stream, {"stream", "waiting_for_a_stream", "stream_cycles"});
  return columns;
}

/// Error: a column that is read is there twice.
Result<Done> areAlone(const NamedColumns& table, const Columns& columns, const TableLine& header) {
  std::vector<std::size_t> read{columns.name};
  for (const auto& column : {columns.cycles, columns.finished, columns.tokens, columns.most})
    if (column) read.push_back(*column);
  for (const auto& [activity, column] : columns.activities) read.push_back(column);
  for (const std::size_t column : read) SLUICE_CHECK(table.isAlone(header, column));
  return Done{};
}

Result<Done> addRow(const NamedColumns& table, const Columns& columns, const TableLine& line,
                    MeasuredRun& run) {
  SLUICE_CHECK(table.fits(line));
  const std::string name = columns.name < line.cells.size() ? line.cells[columns.name] : "";
  if (name.empty())
    return error("csv-syntax", table.place(line), "the row has no name",
                 "name the operator in column '" + table.names()[columns.name] + "'");
  SLUICE_TRY(const std::optional<double> cycles, table.number(line, columns.cycles));
  if (name == "*") {
    run.cycles = cycles;
    return Done{};
  }
  if (name.find(" -> ") != std::string::npos) {
    MeasuredStream& stream = run.streams.emplace_back();
    stream.names = {name};
    SLUICE_TRY(stream.tokens, table.number(line, columns.tokens));
    SLUICE_TRY(stream.most, table.number(line, columns.most));
    return Done{};
  }
  MeasuredOperator& op = run.operators.emplace_back();
  op.names = {name};
  for (const auto& [activity, column] : columns.activities) {
    SLUICE_TRY(op.cycles[activity], table.number(line, column));
  }
  SLUICE_TRY(op.finished, table.number(line, columns.finished));
  auto& compute = op.cycles[Activity::Compute];
  if (!cycles || compute) return Done{};
  const double waits = op.cycles.sum();
  if (columns.activities.empty()) {
    op.total = cycles;
  } else if (waits <= *cycles) {
    compute = *cycles - waits;
  } else {
    return error("csv-syntax", table.place(line), "it waits for more cycles than it has",
                 "'cycles' counts all of them, those of waits included");
  }
  return Done{};
}

Result<Measurement> readKernelTable(std::istream& in, const std::string& file, const ReadOptions&) {
  SLUICE_TRY(const std::vector<TableLine> lines, readLines(in, file));
  const Location place(Where::File, file);
  if (lines.size() < 2) return error("missing-data", place, "it has no rows", "give a row for each operator");
  const NamedColumns table(lines.front(), file);
  if (!nameColumn(table))
    return error("csv-syntax", table.place(lines.front()), "no column has the names of operators",
                 "call it 'operator' or 'kernel'");
  const Columns columns = columnsOf(table);
  if (columns.activities.empty() && !columns.cycles && !columns.finished && !columns.tokens && !columns.most)
    return error("csv-syntax", table.place(lines.front()), "no column is known but that of names",
                 "give 'cycles', or 'compute', 'token', 'slot' and 'memory'");
  SLUICE_CHECK(areAlone(table, columns, lines.front()));
  Measurement measurement;
  MeasuredRun& run = measurement.runs.emplace_back();
  run.place = place;
  for (std::size_t i = 1; i < lines.size(); ++i) SLUICE_CHECK(addRow(table, columns, lines[i], run));
  return measurement;
}

/// The first line that is no comment.
std::string_view headerOf(std::string_view beginning) {
  while (beginning.starts_with('#') || beginning.starts_with('\n') || beginning.starts_with('\r')) {
    const std::size_t end = beginning.find('\n');
    beginning = end == std::string_view::npos ? std::string_view() : beginning.substr(end + 1);
  }
  return beginning.substr(0, beginning.find('\n'));
}

bool namesOperators(std::string_view beginning) {
  const std::string_view header = headerOf(beginning);
  if (header.find(',') == std::string_view::npos) return false;
  std::size_t from = 0;
  for (;;) {
    const std::size_t comma = header.find(',', from);
    const std::string name = plainName(header.substr(from, comma - from));
    if (std::ranges::find(name_columns, std::string_view(name)) != name_columns.end()) return true;
    if (comma == std::string_view::npos) return false;
    from = comma + 1;
  }
}

}  // namespace

const MeasurementFormat& kernelTable() {
  static const MeasurementFormat format{.name = "kernel table",
                                        .title = "a table in CSV of the cycles of operators or kernels",
                                        .suffixes = {"csv"},
                                        .limit = most_table_bytes,
                                        .sniff = namesOperators,
                                        .content = "a header with operator, kernel, name or compute_unit",
                                        .read = readKernelTable};
  return format;
}

}  // namespace sluice::inline measurements

#include "engine/energy/control_logic.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>

#include "engine/core/csv.h"
#include "engine/core/embedded_files.h"
#include "engine/energy/node_scaling.h"

namespace sluice::inline energy {
namespace {

constexpr std::string_view fifo = "FIFO";
/// Cells of the NanGate FreePDK45 Open Cell Library: NAND2_X1 and DFF_X1, square microns.
constexpr double gate_area = 0.798, flip_flop_area = 4.522, cells_node = 45;

std::string_view firstTable() {
  for (const EmbeddedFile& file : synthesisFiles())
    if (file.name == "counts") return file.text;
  throw std::logic_error("resources/synthesis/counts.csv is not part of the program");
}

/// The table is ours (count.sh); a line that is not as it should be is a mistake in the program.
std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size())
    throw std::logic_error("counts.csv: '" + std::string(text) + "' is no number");
  return value;
}

std::vector<CountedLogic> readTable() {
  const auto lines = parseCsv(firstTable(), "counts.csv");
  if (!lines) throw std::logic_error(text(lines.diagnostics()));
  std::vector<CountedLogic> table;
  for (const std::vector<std::string>& cells : *lines) {
    if (cells[0].starts_with('#') || cells.size() < 7 || cells[0] == "kind") continue;
    const auto at = [&](std::size_t i) { return static_cast<double>(number(cells[i])); };
    table.push_back(
        {cells[0], number(cells[1]), cells[2].empty() ? 0 : number(cells[2]), {at(3), at(4), at(5), at(6)}});
  }
  std::ranges::sort(table, {},
                    [](const CountedLogic& row) { return std::tie(row.kind, row.depth, row.token_bits); });
  return table;
}

LogicCounts times(const LogicCounts& counts, double factor) {
  return {counts.luts * factor, counts.flip_flops * factor, counts.memory_bits * factor,
          counts.gates * factor};
}

/// FIFOs of the widest tokens, by depth.
const std::vector<CountedLogic>& fifos() {
  static const std::vector<CountedLogic> rows = [] {
    std::vector<CountedLogic> found;
    for (const CountedLogic& row : countedLogic()) {
      if (row.kind != fifo) continue;
      if (!found.empty() && found.back().depth == row.depth) found.pop_back();
      found.push_back(row);
    }
    return found;
  }();
  return rows;
}

}  // namespace

LogicCounts& LogicCounts::operator+=(const LogicCounts& other) {
  luts += other.luts, flip_flops += other.flip_flops;
  memory_bits += other.memory_bits, gates += other.gates;
  return *this;
}

const std::vector<CountedLogic>& countedLogic() {
  static const std::vector<CountedLogic> table = readTable();
  return table;
}

std::string_view logicSource() {
  const std::string_view first = firstTable().substr(0, firstTable().find('\n'));
  return first.substr(2, first.find(':') - 2);
}

std::optional<LogicCounts> operatorLogic(std::string_view kind) {
  const auto found = std::ranges::lower_bound(countedLogic(), kind, {}, &CountedLogic::kind);
  if (found == countedLogic().end() || found->kind != kind || kind == fifo) return std::nullopt;
  return found->counts;
}

LogicCounts fifoControl(std::uint64_t depth) {
  const std::vector<CountedLogic>& rows = fifos();
  const auto next = std::ranges::lower_bound(rows, depth, {}, &CountedLogic::depth);
  LogicCounts counts = (next == rows.end() ? rows.back() : *next).counts;
  if (next == rows.end()) {
    const CountedLogic &last = rows.back(), &before = rows[rows.size() - 2];
    const auto doublings = [](std::uint64_t from, std::uint64_t to) {
      return static_cast<double>(std::bit_width(to - 1) - std::bit_width(from - 1));
    };
    LogicCounts step = last.counts;
    step += times(before.counts, -1);
    counts += times(step, doublings(last.depth, depth) / doublings(before.depth, last.depth));
  }
  counts.memory_bits = static_cast<double>(depth) * static_cast<double>(rows.back().token_bits);
  return counts;
}

std::vector<LogicRow> logicRows(const FlatGraph& graph) {
  std::map<std::uint64_t, std::uint64_t> depths;
  for (const FlatStream& stream : graph.streams) ++depths[stream.depth];
  std::map<std::string_view, std::uint64_t> kinds;
  for (const FlatOperator& op : graph.operators) ++kinds[op.spec->kind];
  std::vector<LogicRow> rows;
  for (const auto& [depth, count] : depths) rows.push_back({fifo, depth, count, fifoControl(depth)});
  for (const auto& [kind, count] : kinds) rows.push_back({kind, 0, count, operatorLogic(kind)});
  return rows;
}

LogicCounts sumOf(const std::vector<LogicRow>& rows) {
  LogicCounts sum;
  for (const LogicRow& row : rows)
    if (row.each) sum += times(*row.each, static_cast<double>(row.count));
  return sum;
}

namespace {

/// Nodes that the table of areas has not shrink by their square.
double smallerCells(double node_nm) {
  return areaFactor(cells_node, node_nm).value_or(node_nm * node_nm / (cells_node * cells_node));
}

}  // namespace

std::string logicAreaSource(double node_nm) {
  const bool published = areaFactor(cells_node, node_nm).has_value();
  return "cells of 45 nm times " + factorText(smallerCells(node_nm)) +
         (published ? ", the table of areas of logic" : ", the square of the nodes");
}

std::optional<double> logicArea(const LogicCounts& counts, double node_nm) {
  if (node_nm <= 0) return std::nullopt;
  return 1e-6 * smallerCells(node_nm) * (counts.gates * gate_area + counts.flip_flops * flip_flop_area);
}

}  // namespace sluice::inline energy

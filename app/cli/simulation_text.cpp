#include <algorithm>
#include <numeric>
#include <sstream>

#include "app/cli/deadlock_report.h"
#include "app/cli/metric_text.h"
#include "app/cli/simulation_report.h"
#include "app/cli/stalls_report.h"
#include "app/cli/table.h"
#include "app/cli/trust_report.h"
#include "engine/explorer/tables.h"

namespace sluice::cli {
namespace {

constexpr std::size_t most_rows = 20;

/// Positions 0 .. count-1, those with the largest key first.
template <class Key>
std::vector<std::size_t> byLargest(std::size_t count, Key key) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  return order;
}

/// Whether the run moved other than the reference's equations say (engine/symbolic/cost_model.md).
bool movesOtherTraffic(const PointResult& result) {
  return result.point.state == PointState::Done &&
         result.point.metrics.off_chip_bytes != result.simulation.off_chip_bytes;
}

void printMetrics(std::ostream& out, const Workload& workload, const PointResult& result) {
  const Document& document = workload.document;
  const SimulationResult& run = result.simulation;
  out << (document.title.empty() ? "Design point" : document.title) << "\n";
  for (const Knob& knob : document.knobs)
    out << "  " << knob.name << " = " << knobText(knob, result.point.knobs.at(knob.name)) << "\n";
  Table table({"metric", "value"});
  table.row({"state", text(result.point.state)});
  for (const MetricSpec* metric : registeredMetrics()) {
    if (metric->run) {
      table.row({metricLabel(*metric), grouped(run.*metric->run)});
    } else if (exactMetric(result.point, *metric)) {
      const Metrics& metrics = result.point.metrics;
      table.row({metricLabel(*metric), metric->kind == MetricKind::ByteCount
                                           ? bytesText(metric->number(metrics))
                                           : metricText(*metric, metric->value(metrics))});
    }
  }
  const bool differs = movesOtherTraffic(result);
  if (differs) table.row({"moved off chip, bytes", bytesText(static_cast<double>(run.off_chip_bytes))});
  table.row({"simulated in", durationText(run.wall_seconds)});
  out << "\n";
  table.print(out);
  out << "  " << trustLine(trustAt(workload, result.point.knobs));
  if (differs)
    out << "  Off-chip traffic is that of the reference's equations, where a store may count 4 bytes for an "
           "element of which the run moves 2.\n";
}

void printOperators(std::ostream& out, const PointResult& result, std::size_t most) {
  const std::vector<OperatorStats>& stats = result.simulation.operators;
  Table table({"operator", "kind", "busy", "waits for input", "waits for room", "finished"}, 2);
  for (std::size_t o : byLargest(stats.size(), [&](std::size_t i) { return stats[i].busy; })) {
    const FlatOperator& op = result.symbolic.graph.operators[o];
    table.row({op.name, op.spec->kind, grouped(stats[o].busy), grouped(stats[o].blocked_on_input),
               grouped(stats[o].blocked_on_output), grouped(stats[o].finished)});
  }
  out << "\nOperators, busiest first (cycles)\n";
  table.print(out, most);
}

void printStreams(std::ostream& out, const PointResult& result, std::size_t most) {
  const std::vector<StreamStats>& stats = result.simulation.streams;
  const bool recorded = !result.simulation.occupancy.empty();
  Table table({"stream", "depth", "tokens", "most at once"});
  for (std::size_t s : byLargest(stats.size(), [&](std::size_t i) { return stats[i].tokens; })) {
    const FlatStream& stream = result.symbolic.graph.streams[s];
    table.row({stream.name, grouped(stream.depth), grouped(stats[s].tokens),
               recorded ? grouped(stats[s].max_occupancy) : "-"});
  }
  out << "\nStreams, most tokens first\n";
  table.print(out, most);
}

/// "16 x 64", "16 x 64, 3 valid", "17", "{0, 2}", or the type's name where a token has no more to tell.
std::string elementText(const ElementType& type, const CapturedToken& token) {
  if (isNumber(type)) return std::to_string(token.scalar);
  if (type.tile()) {
    const std::string size = std::to_string(token.rows) + " x " + std::to_string(token.cols);
    return token.valid == token.rows ? size : size + ", " + std::to_string(token.valid) + " valid";
  }
  if (!type.selector()) return text(type);
  std::string targets;
  for (const std::uint32_t target : token.selected)
    targets += (targets.empty() ? "" : ", ") + std::to_string(target);
  return "{" + targets + "}";
}

void printPrinted(std::ostream& out, const PointResult& result, std::size_t most) {
  for (const PrintedStream& printed : result.simulation.printed) {
    const ElementType& type = printedType(result, printed);
    const FlatOperator& op = result.symbolic.graph.operators.at(printed.op);
    Table table({"cycle", "stop", type.tile() && !isNumber(type) ? "tile" : "value"}, 0);
    for (const CapturedToken& token : printed.tokens)
      table.row({grouped(token.arrival), std::to_string(token.stop), elementText(type, token)});
    out << "\nPrinted by " << op.name << ", the first " << grouped(printed.tokens.size()) << " of "
        << grouped(result.simulation.streams.at(op.inputs.at(0)).tokens) << " " << text(type) << "\n";
    table.print(out, most);
  }
}

void printNearMisses(std::ostream& out, const NearMisses& misses) {
  out << "\nNear misses: FIFOs that lock the run up with a few slots fewer\n";
  Table table({"stream", "depth", "deadlocks with", "stalls for", "full for"});
  for (const NearMiss& miss : misses.list)
    table.row({miss.stream, grouped(miss.depth), grouped(miss.depth - miss.fewer),
               grouped(miss.stall) + " cycles", grouped(miss.full) + " cycles"});
  if (misses.list.empty()) out << "  none\n";
  if (!misses.list.empty()) table.print(out);
  if (misses.gave_up)
    out << "  (the search ended with its budget, after " << counted(misses.runs, "run") << ")\n";
}

}  // namespace

std::string simulationText(const Workload& workload, const PointResult& result, const RunFindings& findings,
                           bool all) {
  const std::size_t most = all ? 0 : most_rows;
  std::ostringstream out;
  printMetrics(out, workload, result);
  if (result.simulation.deadlock)
    out << "\n" << deadlockText(result.symbolic.graph, *result.simulation.deadlock, *findings.unlocked, all);
  if (findings.near_misses) printNearMisses(out, *findings.near_misses);
  if (findings.stalls) out << stallsText(result.symbolic.graph, *findings.stalls, all);
  printOperators(out, result, most);
  printStreams(out, result, most);
  printPrinted(out, result, most);
  return out.str();
}

}  // namespace sluice::cli

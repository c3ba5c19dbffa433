#include "widgets/fifos/sizing_comparison.h"

#include <QObject>
#include <map>
#include <numeric>

#include "engine/core/csv.h"
#include "engine/itensor/itensor.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr std::size_t most_path_rows = 500;  // beyond, the published program takes too long to wait for

ComparedSizing compared(const QString& name, const QString& short_name, const TimedGraph& graph,
                        SizingMethod method, const SizingOptions& options) {
  ComparedSizing column;
  column.name = name;
  column.short_name = short_name;
  const Result<FifoSizing> sizing = sizeFifos(graph, method, options);
  if (!sizing) {
    column.failed = sizing.diagnostics();
    return column;
  }
  column.fifos = sizing->fifos;
  column.delay_conflict = sizing->delay_conflict;
  column.verdict = sizing->verdict;
  if (method == SizingMethod::PathProgram) column.constraints = sizing->printed_constraints;
  return column;
}

/// Empty where it has not run.
std::string simulatedCycles(const ComparedSizing& sizing) {
  if (!sizing.simulated) return {};
  return sizing.simulated->deadlock ? "deadlock" : std::to_string(sizing.simulated->cycles);
}

}  // namespace

std::int64_t ComparedSizing::totalDelay() const {
  return std::accumulate(fifos.begin(), fifos.end(), std::int64_t{0},
                         [](std::int64_t sum, const SizedFifo& fifo) { return sum + fifo.delay; });
}

std::int64_t ComparedSizing::totalDepth() const {
  return std::accumulate(fifos.begin(), fifos.end(), std::int64_t{0},
                         [](std::int64_t sum, const SizedFifo& fifo) { return sum + fifo.depth; });
}

Bytes ComparedSizing::totalBytes() const {
  return std::accumulate(fifos.begin(), fifos.end(), Bytes{0},
                         [](Bytes sum, const SizedFifo& fifo) { return sum + fifo.bytes; });
}

const FifoConflict* ComparedSizing::conflict() const {
  if (verdict.deadlock) return &*verdict.deadlock;
  if (verdict.stall) return &*verdict.stall;
  return delay_conflict ? &*delay_conflict : nullptr;
}

std::vector<ComparedSizing> compareSizings(const TimedGraph& graph, const SizingOptions& options) {
  SizingOptions bounded = options;
  bounded.path_row_limit = most_path_rows;
  return {compared(QObject::tr("Paper's program"), QObject::tr("Paper"), graph, SizingMethod::PathProgram,
                   bounded),
          compared(QObject::tr("Start times"), QObject::tr("Start"), graph, SizingMethod::StartTime, bounded),
          compared(QObject::tr("As soon as possible"), QObject::tr("ASAP"), graph,
                   SizingMethod::AsSoonAsPossible, bounded)};
}

namespace {

ComparedSizing withDepths(const TimedGraph& graph, std::span<const std::int64_t> depths,
                          const SizingOptions& options) {
  ComparedSizing column;
  column.has_delays = false;
  for (std::size_t index = 0; index < depths.size(); ++index) {
    SizedFifo fifo;
    fifo.depth = depths[index];
    fifo.bytes = static_cast<Bytes>(bytesOf(depths[index] * graph.streams[index].token_bits));
    column.fifos.push_back(fifo);
  }
  const Result<FifoVerdict> verdict = checkDepths(graph, depths, {options.equalisation, options.fifo});
  if (verdict)
    column.verdict = *verdict;
  else
    column.failed = verdict.diagnostics();
  return column;
}

}  // namespace

Cycles stallsOf(const TimedGraph& graph, const SimulatedFifos& run) {
  std::map<std::size_t, Cycles> of_kernels;
  for (std::size_t fifo = 0; fifo < run.stalls.size(); ++fifo)
    of_kernels[graph.streams[fifo].producer] = run.stalls[fifo];
  Cycles all = 0;
  for (const auto& [kernel, cycles] : of_kernels) all += cycles;
  return all;
}

ComparedSizing sizedBySimulation(const TimedGraph& graph, const SimulatedSizing& found,
                                 const SizingOptions& options) {
  ComparedSizing column = withDepths(graph, found.depths, options);
  column.name = found.minimal ? QObject::tr("Simulated") : QObject::tr("Simulated, cut off");
  column.short_name = QObject::tr("Simulated");
  column.simulated.emplace();
  column.simulated->cycles = found.cycles;
  return column;
}

ComparedSizing sizedByHand(const TimedGraph& graph, std::span<const std::int64_t> depths,
                           const SizingOptions& options) {
  ComparedSizing column = withDepths(graph, depths, options);
  column.name = column.short_name = QObject::tr("By hand");
  column.by_hand = true;
  return column;
}

std::vector<std::int64_t> depthsOf(const ComparedSizing& sizing) {
  std::vector<std::int64_t> depths;
  for (const SizedFifo& fifo : sizing.fifos) depths.push_back(fifo.depth);
  return depths;
}

QString sizingCsv(const TimedGraph& graph, std::span<const ComparedSizing> sizings) {
  CsvTable table({"method", "fifo", "token_bits", "delay", "published", "peak", "depth", "bytes",
                  "simulated_peak", "producer_stalls", "simulated_cycles"});
  for (const ComparedSizing& sizing : sizings) {
    // Of depths that were found by simulation only the cycles are known until they have run themselves.
    const bool ran = sizing.simulated && sizing.simulated->peak.size() == sizing.fifos.size();
    for (std::size_t index = 0; index < sizing.fifos.size(); ++index) {
      const SizedFifo& fifo = sizing.fifos[index];
      const TimedStream& stream = graph.streams[index];
      const auto of_delay = [&](std::int64_t number) {
        return sizing.has_delays ? std::to_string(number) : std::string();
      };
      table.row({sizing.name.toStdString(), nameOf(graph, stream), std::to_string(stream.token_bits),
                 of_delay(fifo.delay), of_delay(fifo.published.tokens), of_delay(fifo.peak),
                 std::to_string(fifo.depth), std::to_string(fifo.bytes),
                 ran ? std::to_string(sizing.simulated->peak[index]) : std::string(),
                 ran ? std::to_string(sizing.simulated->stalls[index]) : std::string(),
                 simulatedCycles(sizing)});
    }
  }
  return QString::fromStdString(table.text());
}

QString verdictWord(const ComparedSizing& sizing) {
  if (!sizing.failed.empty()) return QObject::tr("failed");
  if (sizing.verdict.deadlock) {
    return sizing.verdict.deadlock->kind == FifoConflictKind::Deadlock ? QObject::tr("deadlocks")
                                                                       : QObject::tr("can deadlock");
  }
  if (sizing.verdict.stall) return QObject::tr("stalls");
  return QObject::tr("full rate");
}

QString verdictText(const ComparedSizing& sizing, const TimedGraph& graph) {
  if (!sizing.failed.empty()) return richText(sizing.failed.front());
  QStringList parts;
  if (sizing.verdict.deadlock) parts << richText(describe(*sizing.verdict.deadlock, graph));
  if (sizing.verdict.stall) parts << richText(describe(*sizing.verdict.stall, graph));
  if (parts.isEmpty()) {
    parts << QObject::tr("With these depths the design runs at full rate: the pace of its slowest kernel.");
    if (sizing.stalls && *sizing.stalls > 0)
      parts << QObject::tr(
                   "Simulated, producers waited %1 cycles for room: those that are faster than the "
                   "kernels behind them, and those that send in bursts.")
                   .arg(exactCount(static_cast<qint64>(*sizing.stalls)));
  }
  if (!sizing.verdict.deadlock_checked)
    parts << QObject::tr(
        "Deadlocks are not checked: kernels that do not drain, and streams of different lengths.");
  if (sizing.delay_conflict && !sizing.verdict.stall && !sizing.verdict.deadlock)
    parts << QObject::tr("Its delays alone would not: only rounding the depths up hides it. ") +
                 richText(describe(*sizing.delay_conflict, graph));
  return parts.join(QStringLiteral("<br>"));
}

}  // namespace sluice::ui

#include "engine/tensor/sizing/fifo_sizing.h"

#include <algorithm>
#include <cmath>

#include "engine/core/cancelled.h"
#include "engine/core/enum_names.h"
#include "engine/tensor/sizing/linear_programs.h"
#include "engine/tensor/sizing/path_constraints.h"

namespace sluice::inline tensor {
namespace {

/// What all methods start from.
struct Schedule {
  std::vector<std::size_t> order;
  std::vector<TokenCurve> curves;
  std::vector<std::int64_t> least;  ///< delay per stream
  std::vector<double> weights;      ///< per stream
  std::vector<std::int64_t> start;  ///< per kernel, as soon as possible
  std::vector<std::size_t>
      decided;  ///< per kernel: the stream that its start waits for; none: the number of streams
};

double weightOf(const TimedStream& stream, const std::vector<TokenCurve>& curves, SizingObjective objective) {
  if (objective == SizingObjective::TotalDelay) return 1;
  const StreamTiming timing = timingOf(stream, curves, 0);
  const bool by_consumer = shorter(timing.production.interval, timing.consumption);
  const Interval& slower = by_consumer ? timing.consumption : timing.production.interval;
  return static_cast<double>(stream.token_bits) / 8 * static_cast<double>(slower.tokens) /
         static_cast<double>(slower.cycles);
}

/// Raises starts, in topological order, to where each kernel's inputs are there.
void delayUntilFed(const TimedGraph& graph, Schedule& schedule) {
  std::vector<std::vector<std::size_t>> outputs(graph.kernels.size());
  for (std::size_t index = 0; index < graph.streams.size(); ++index)
    outputs[graph.streams[index].producer].push_back(index);
  for (const std::size_t kernel : schedule.order) {
    for (const std::size_t stream : outputs[kernel]) {
      const std::size_t consumer = graph.streams[stream].consumer;
      const std::int64_t fed = schedule.start[kernel] + schedule.least[stream];
      const bool first = schedule.decided[consumer] == graph.streams.size();
      if (!first && fed <= schedule.start[consumer]) continue;
      schedule.decided[consumer] = stream;
      schedule.start[consumer] = std::max(schedule.start[consumer], fed);
    }
  }
}

Schedule scheduleOf(const TimedGraph& graph, const SizingOptions& options) {
  Schedule schedule;
  schedule.order = topologicalOrder(graph);
  schedule.curves = scheduledCurves(graph, options.equalisation);
  for (const TimedStream& stream : graph.streams) {
    schedule.least.push_back(schedule.curves[stream.producer].initial_delay + options.fifo.hop_latency);
    schedule.weights.push_back(weightOf(stream, schedule.curves, options.objective));
  }
  schedule.start.assign(graph.kernels.size(), 0);
  schedule.decided.assign(graph.kernels.size(), graph.streams.size());
  delayUntilFed(graph, schedule);
  return schedule;
}

/// Moves the starts to the optimum of the start-time program; false when it was asked to stop.
bool startCheapest(const TimedGraph& graph, Schedule& schedule, const std::stop_token& stop) {
  std::vector<PotentialArc> arcs;
  for (std::size_t index = 0; index < graph.streams.size(); ++index) {
    const TimedStream& stream = graph.streams[index];
    arcs.push_back({stream.producer, stream.consumer, static_cast<double>(schedule.least[index]),
                    schedule.weights[index]});
  }
  const std::optional<std::vector<double>> values = cheapestPotentials(arcs, schedule.decided, stop);
  if (!values) return false;
  const double first = values->empty() ? 0 : *std::ranges::min_element(*values);
  // The program's matrix is totally unimodular, so the optimum is whole but for the solver's accuracy, which
  // the pass after it fixes.
  for (std::size_t kernel = 0; kernel < values->size(); ++kernel)
    schedule.start[kernel] = std::llround((*values)[kernel] - first);
  delayUntilFed(graph, schedule);
  return true;
}

std::vector<std::int64_t> delaysOf(const TimedGraph& graph, const std::vector<std::int64_t>& start) {
  std::vector<std::int64_t> delays;
  for (const TimedStream& stream : graph.streams)
    delays.push_back(start[stream.consumer] - start[stream.producer]);
  return delays;
}

SizedFifo sizedFifo(const TimedStream& stream, const StreamTiming& timing, const FifoBehaviour& fifo) {
  SizedFifo sized;
  sized.delay = timing.delay;
  sized.published = maximumOccupancy(timing);
  sized.peak = peakOccupancy(timing, fifo);
  sized.depth = recommendedDepth(timing, fifo);
  const Bytes depth = static_cast<Bytes>(sized.depth), bits = static_cast<Bytes>(stream.token_bits);
  sized.bytes = depth * (bits / 8) + ceilDiv(depth * (bits % 8), 8);
  return sized;
}

/// Depths, bytes and checks for given delays.
Result<FifoSizing> sized(const TimedGraph& graph, const Schedule& schedule, FifoSizing sizing,
                         std::span<const std::int64_t> delays, const SizingOptions& options) {
  constexpr Bytes most_bytes = Bytes{1} << 62;
  std::vector<std::optional<std::int64_t>> offered;
  std::vector<std::int64_t> depths;
  for (std::size_t index = 0; index < graph.streams.size(); ++index) {
    const TimedStream& stream = graph.streams[index];
    const SizedFifo fifo = sizedFifo(stream, timingOf(stream, schedule.curves, delays[index]), options.fifo);
    const double bytes = static_cast<double>(fifo.depth) * static_cast<double>(stream.token_bits) / 8;
    if (bytes > static_cast<double>(most_bytes) || sizing.total_bytes + fifo.bytes > most_bytes)
      return error("infeasible-sizing", Location(Where::Fifo, nameOf(graph, stream)),
                   "more than 2^62 bytes of FIFO are needed", "use smaller tokens or fewer of them");
    sizing.total_delay += fifo.delay;
    sizing.total_bytes += fifo.bytes;
    offered.emplace_back(fifo.delay);
    depths.push_back(fifo.depth);
    sizing.fifos.push_back(fifo);
  }
  const CheckOptions check_options{options.equalisation, options.fifo};
  sizing.delay_conflict = findStall(graph, offered, check_options);
  SLUICE_TRY(sizing.verdict, checkDepths(graph, depths, check_options));
  return sizing;
}

}  // namespace

std::string_view nameOf(SizingMethod method) {
  static constexpr EnumName<SizingMethod> names[] = {{SizingMethod::PathProgram, "paper"},
                                                     {SizingMethod::StartTime, "start-time"},
                                                     {SizingMethod::AsSoonAsPossible, "asap"}};
  return nameIn(names, method);
}

Result<FifoSizing> sizeFifos(const TimedGraph& graph, SizingMethod method, const SizingOptions& options) {
  const Diagnostics found = check(graph);
  if (!found.empty()) return found;
  Schedule schedule = scheduleOf(graph, options);
  FifoSizing sizing;
  sizing.method = method;
  sizing.printed_constraints = countPaths(graph);
  std::vector<std::int64_t> delays;
  if (method == SizingMethod::PathProgram) {
    const std::vector<double> least(schedule.least.begin(), schedule.least.end());
    SLUICE_TRY(const std::vector<double> optimum,
               shortestPathDelays(graph, schedule.weights, least, options.path_row_limit, options.stop));
    for (std::size_t index = 0; index < optimum.size(); ++index) {
      sizing.objective += schedule.weights[index] * optimum[index];
      const auto rounded_up = static_cast<std::int64_t>(std::ceil(optimum[index] - 1e-6));
      delays.push_back(std::max(rounded_up, schedule.least[index]));
    }
  } else {
    if (method == SizingMethod::StartTime && !startCheapest(graph, schedule, options.stop))
      return cancelledDiagnostic();
    sizing.start = schedule.start;
    delays = delaysOf(graph, schedule.start);
    for (std::size_t index = 0; index < delays.size(); ++index)
      sizing.objective += schedule.weights[index] * static_cast<double>(delays[index]);
  }
  return sized(graph, schedule, std::move(sizing), delays, options);
}

}  // namespace sluice::inline tensor

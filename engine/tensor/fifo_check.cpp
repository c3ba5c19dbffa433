#include "engine/tensor/fifo_check.h"

#include <algorithm>

#include "engine/tensor/difference_constraints.h"

namespace sluice {
namespace {

/// A constraint that comes from a stream: forwards what its FIFO offers, backwards what its producer needs.
struct StreamConstraints {
  std::vector<DifferenceConstraint> constraints;
  std::vector<std::size_t> stream;
  std::vector<bool> forwards;

  void add(const DifferenceConstraint& constraint, std::size_t of, bool forward) {
    constraints.push_back(constraint);
    stream.push_back(of);
    forwards.push_back(forward);
  }
};

/// Cuts a cycle into its maximal runs of one direction.
FifoConflict conflictOf(FifoConflictKind kind, const StreamConstraints& system,
                        std::vector<std::size_t> cycle) {
  const auto turn = std::adjacent_find(cycle.begin(), cycle.end(), [&](std::size_t a, std::size_t b) {
    return system.forwards[a] != system.forwards[b];
  });
  if (turn != cycle.end()) std::rotate(cycle.begin(), turn + 1, cycle.end());
  FifoConflict conflict;
  conflict.kind = kind;
  std::optional<bool> last;
  for (const std::size_t step : cycle) {
    const bool forwards = system.forwards[step];
    std::vector<std::vector<std::size_t>>& paths = forwards ? conflict.fifo_paths : conflict.slow_paths;
    if (last != forwards) paths.emplace_back();
    last = forwards;
    std::vector<std::size_t>& path = paths.back();
    path.insert(forwards ? path.end() : path.begin(), system.stream[step]);
  }
  return conflict;
}

std::string pathText(const TimedGraph& graph, const std::vector<std::size_t>& path) {
  std::string text = graph.kernels[graph.streams[path.front()].producer].name;
  for (const std::size_t stream : path) text += " > " + graph.kernels[graph.streams[stream].consumer].name;
  return text;
}

std::string pathsText(const TimedGraph& graph, const std::vector<std::vector<std::size_t>>& paths) {
  std::string text;
  for (const std::vector<std::size_t>& path : paths)
    text += (text.empty() ? "" : " and ") + pathText(graph, path);
  return text;
}

/// Starts in topological order, as early as the kernels allow: near to a solution where there is one.
std::vector<std::int64_t> earliestStarts(const TimedGraph& graph, const std::vector<TokenCurve>& curves,
                                         std::int64_t hop) {
  std::vector<std::vector<std::size_t>> consumers(graph.kernels.size());
  for (const TimedStream& stream : graph.streams) consumers[stream.producer].push_back(stream.consumer);
  std::vector<std::int64_t> start(graph.kernels.size(), 0);
  for (const std::size_t kernel : topologicalOrder(graph)) {
    for (const std::size_t consumer : consumers[kernel])
      start[consumer] = std::max(start[consumer], start[kernel] + curves[kernel].initial_delay + hop);
  }
  return start;
}

/// Tokens that go into a kernel before the first comes out.
std::int64_t swallowed(const TimedKernel& kernel) {
  if (kernel.flushable) return 0;
  return std::min(kernel.curve.tokens - 1,
                  intervalsCovering(kernel.curve.initial_delay, kernel.curve.interval));
}

}  // namespace

std::optional<FifoConflict> findStall(const TimedGraph& graph,
                                      std::span<const std::optional<std::int64_t>> delays,
                                      const CheckOptions& options) {
  const std::vector<TokenCurve> curves = scheduledCurves(graph, options.equalisation);
  StreamConstraints system;
  const auto needed = [&](const TimedStream& stream) {
    return curves[stream.producer].initial_delay + options.fifo.hop_latency;
  };
  for (std::size_t index = 0; index < graph.streams.size(); ++index) {
    const TimedStream& stream = graph.streams[index];
    if (delays[index]) system.add({stream.producer, stream.consumer, *delays[index]}, index, true);
    system.add({stream.consumer, stream.producer, -needed(stream)}, index, false);
  }
  const std::vector<std::size_t> cycle =
      negativeCycle(earliestStarts(graph, curves, options.fifo.hop_latency), system.constraints);
  if (cycle.empty()) return std::nullopt;
  FifoConflict conflict = conflictOf(FifoConflictKind::Stall, system, cycle);
  for (const std::size_t step : cycle) {
    if (system.forwards[step])
      conflict.offered += system.constraints[step].bound;
    else
      conflict.needed -= system.constraints[step].bound;
  }
  return conflict;
}

std::vector<std::optional<std::int64_t>> offeredDelays(const TimedGraph& graph,
                                                       std::span<const std::int64_t> depths,
                                                       const CheckOptions& options) {
  const std::vector<TokenCurve> curves = scheduledCurves(graph, options.equalisation);
  std::vector<std::optional<std::int64_t>> delays;
  for (std::size_t index = 0; index < graph.streams.size(); ++index)
    delays.push_back(longestDelay(timingOf(graph.streams[index], curves, 0), options.fifo, depths[index]));
  return delays;
}

std::optional<FifoConflict> findDeadlock(const TimedGraph& graph, std::span<const std::int64_t> depths) {
  // Step n of a consumer waits for step n + swallowed of its producer, which waits for step n - depth of the
  // consumers whose FIFO is full. A round trip that ends at its own step or a later one never happens, so the
  // FIFOs must hold one token more than was swallowed. Scaled, so that "one more" is a strict inequality of
  // the sum and not of each constraint.
  StreamConstraints system;
  const auto scale = static_cast<std::int64_t>(2 * graph.streams.size() + 1);
  for (std::size_t index = 0; index < graph.streams.size(); ++index) {
    const TimedStream& stream = graph.streams[index];
    const std::int64_t ahead = swallowed(graph.kernels[stream.producer]);
    if (depths[index] < stream.tokens)
      system.add({stream.producer, stream.consumer, scale * (ahead + depths[index]) - 1}, index, true);
    system.add({stream.consumer, stream.producer, -scale * ahead - 1}, index, false);
  }
  const std::vector<std::size_t> cycle =
      negativeCycle(std::vector<std::int64_t>(graph.kernels.size(), 0), system.constraints);
  if (cycle.empty()) return std::nullopt;
  FifoConflict conflict = conflictOf(FifoConflictKind::Deadlock, system, cycle);
  for (const std::size_t step : cycle) {
    const std::size_t stream = system.stream[step];
    const std::int64_t ahead = swallowed(graph.kernels[graph.streams[stream].producer]);
    if (system.forwards[step])
      conflict.offered += ahead + depths[stream];
    else
      conflict.needed += ahead;
  }
  ++conflict.needed;
  return conflict;
}

Result<FifoVerdict> checkDepths(const TimedGraph& graph, std::span<const std::int64_t> depths,
                                const CheckOptions& options) {
  Diagnostics found = check(graph);
  if (!found.empty()) return found;
  if (depths.size() != graph.streams.size()) {
    return Diagnostic{
        Severity::Error, "the FIFO depths",
        std::to_string(depths.size()) + " depths for " + std::to_string(graph.streams.size()) + " streams",
        "give one depth per stream, in the order of the streams"};
  }
  for (std::size_t index = 0; index < depths.size(); ++index) {
    if (depths[index] >= 0) continue;
    found.push_back({Severity::Error, "FIFO '" + nameOf(graph, graph.streams[index]) + "'",
                     "its depth is " + std::to_string(depths[index]), "give a depth in tokens, 1 or more"});
  }
  if (!found.empty()) return found;
  FifoVerdict verdict;
  verdict.stall = findStall(graph, offeredDelays(graph, depths, options), options);
  const bool all_drain = std::ranges::all_of(graph.kernels, &TimedKernel::flushable);
  const bool one_count = std::ranges::all_of(graph.kernels, [&](const TimedKernel& kernel) {
    return kernel.curve.tokens == graph.kernels.front().curve.tokens;
  });
  verdict.deadlock_checked = all_drain || one_count;
  if (verdict.deadlock_checked) verdict.deadlock = findDeadlock(graph, depths);
  return verdict;
}

Diagnostic describe(const FifoConflict& conflict, const TimedGraph& graph) {
  const bool stall = conflict.kind == FifoConflictKind::Stall;
  const std::string unit = stall ? " cycles" : " tokens";
  const std::string fifos = pathsText(graph, conflict.fifo_paths);
  return {stall ? Severity::Warning : Severity::Error, "FIFOs on " + fifos,
          (stall ? "together they let the data wait for " : "together they hold ") +
              std::to_string(conflict.offered) + unit + (stall ? ", but it takes " : ", but ") +
              std::to_string(conflict.needed) +
              (stall ? " cycles" : " are needed before the first one comes out") + " on " +
              pathsText(graph, conflict.slow_paths) +
              (stall ? ": the design cannot run at full rate" : ": the design locks up"),
          "deepen one of the FIFOs on " + fifos + ", " + std::to_string(conflict.needed - conflict.offered) +
              unit + " are missing"};
}

}  // namespace sluice

#include "engine/tensor/sizing/fifo_check.h"

#include <algorithm>

#include "engine/tensor/sizing/difference_constraints.h"

namespace sluice::inline tensor {
namespace {

constexpr std::size_t no_stream = static_cast<std::size_t>(-1);

/// Forwards along a stream or through a kernel: what its FIFO or pipeline offers; backwards: what it needs.
struct StreamConstraints {
  std::vector<DifferenceConstraint> constraints;
  std::vector<std::size_t> stream;  ///< no_stream: through a kernel
  std::vector<bool> forwards;
  std::vector<std::int64_t> amount;  ///< offered or needed

  void offer(std::size_t from, std::size_t to, std::int64_t amount_offered, std::size_t of) {
    add({from, to, amount_offered}, of, true, amount_offered);
  }
  void need(std::size_t from, std::size_t to, std::int64_t amount_needed, std::size_t of) {
    add({to, from, -amount_needed}, of, false, amount_needed);
  }

 private:
  void add(const DifferenceConstraint& constraint, std::size_t of, bool forward, std::int64_t value) {
    constraints.push_back(constraint);
    stream.push_back(of);
    forwards.push_back(forward);
    amount.push_back(value);
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
    (forwards ? conflict.offered : conflict.needed) += system.amount[step];
    if (system.stream[step] == no_stream) continue;
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

/// Tokens in the pipeline of a kernel that runs without a gap.
std::int64_t capacity(const TimedKernel& kernel) {
  return std::min(kernel.curve.tokens - 1,
                  intervalsCovering(kernel.curve.initial_delay, kernel.curve.interval));
}

/// Tokens that go into a kernel before the first comes out.
std::int64_t swallowed(const TimedKernel& kernel) {
  return kernel.flushable ? 0 : capacity(kernel);
}

/// Whether one initiation takes all kernels the same part of an execution.
bool haveOneRate(const TimedGraph& graph) {
  const TokenCurve& first = graph.kernels.front().curve;
  return std::ranges::all_of(graph.kernels, [&](const TimedKernel& kernel) {
    const TokenCurve& curve = kernel.curve;
    return curve.tokens == first.tokens && !shorter(curve.interval, first.interval) &&
           !shorter(first.interval, curve.interval);
  });
}

/// A consumer takes token n after its producer has given it away; that needs a free slot: the consumer has
/// taken token n - depth. A kernel gives token n away after it took it, and when it does not drain, together
/// with taking token n + swallowed; it takes token n after it gave away token n - held. A round trip that
/// ends at its own token or a later one never happens, so on a cycle FIFOs and pipelines must hold one token
/// more than was swallowed.
std::optional<FifoConflict> findDeadlock(const TimedGraph& graph, std::span<const std::int64_t> depths,
                                         FifoConflictKind kind) {
  const std::size_t kernels = graph.kernels.size();
  const auto held = [&](std::size_t kernel) {
    const TimedKernel& timed = graph.kernels[kernel];
    return kind == FifoConflictKind::Deadlock ? capacity(timed) : swallowed(timed);
  };
  // Taking and giving are one event, some tokens apart, where a kernel holds exactly what it swallowed.
  const auto giving = [&](std::size_t kernel) {
    return held(kernel) == swallowed(graph.kernels[kernel]) ? kernel : kernels + kernel;
  };
  StreamConstraints system;
  for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
    if (giving(kernel) == kernel) continue;
    system.offer(kernel, giving(kernel), held(kernel), no_stream);
    system.need(kernel, giving(kernel), 0, no_stream);
  }
  for (std::size_t index = 0; index < graph.streams.size(); ++index) {
    const TimedStream& stream = graph.streams[index];
    const std::size_t from = giving(stream.producer);
    const std::int64_t apart = from == stream.producer ? swallowed(graph.kernels[stream.producer]) : 0;
    if (depths[index] < stream.tokens) system.offer(from, stream.consumer, depths[index] + apart, index);
    system.need(from, stream.consumer, apart, index);
  }
  // Scaled, so that "one more" holds for the sum around a cycle and not for each constraint.
  const auto scale = static_cast<std::int64_t>(system.constraints.size() + 1);
  for (DifferenceConstraint& constraint : system.constraints) constraint.bound = constraint.bound * scale - 1;
  const std::vector<std::size_t> cycle =
      negativeCycle(std::vector<std::int64_t>(2 * kernels, 0), system.constraints);
  if (cycle.empty()) return std::nullopt;
  FifoConflict conflict = conflictOf(kind, system, cycle);
  ++conflict.needed;
  return conflict;
}

}  // namespace

std::optional<FifoConflict> findStall(const TimedGraph& graph,
                                      std::span<const std::optional<std::int64_t>> delays,
                                      const CheckOptions& options) {
  const std::vector<TokenCurve> curves = scheduledCurves(graph, options.equalisation);
  StreamConstraints system;
  for (std::size_t index = 0; index < graph.streams.size(); ++index) {
    const TimedStream& stream = graph.streams[index];
    if (delays[index]) system.offer(stream.producer, stream.consumer, *delays[index], index);
    system.need(stream.producer, stream.consumer,
                curves[stream.producer].initial_delay + options.fifo.hop_latency, index);
  }
  const std::vector<std::size_t> cycle =
      negativeCycle(earliestStarts(graph, curves, options.fifo.hop_latency), system.constraints);
  if (cycle.empty()) return std::nullopt;
  return conflictOf(FifoConflictKind::Stall, system, cycle);
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
  if (std::ranges::all_of(graph.kernels, &TimedKernel::flushable)) return std::nullopt;
  if (auto certain = findDeadlock(graph, depths, FifoConflictKind::Deadlock)) return certain;
  return findDeadlock(graph, depths, FifoConflictKind::PossibleDeadlock);
}

Result<FifoVerdict> checkDepths(const TimedGraph& graph, std::span<const std::int64_t> depths,
                                const CheckOptions& options) {
  Diagnostics found = check(graph);
  if (!found.empty()) return found;
  if (depths.size() != graph.streams.size()) {
    return error(
        "missing-value", "the FIFO depths",
        std::to_string(depths.size()) + " depths for " + std::to_string(graph.streams.size()) + " streams",
        "give one depth per stream, in the order of the streams");
  }
  for (std::size_t index = 0; index < depths.size(); ++index) {
    if (depths[index] >= 0) continue;
    found.push_back(error("out-of-range", Location(Where::Fifo, nameOf(graph, graph.streams[index])),
                          "its depth is " + std::to_string(depths[index]),
                          "give a depth in tokens, 1 or more"));
  }
  if (!found.empty()) return found;
  FifoVerdict verdict;
  verdict.stall = findStall(graph, offeredDelays(graph, depths, options), options);
  const bool all_drain = std::ranges::all_of(graph.kernels, &TimedKernel::flushable);
  if (all_drain || (!verdict.stall && haveOneRate(graph))) return verdict;
  verdict.deadlock_checked = std::ranges::all_of(graph.kernels, [&](const TimedKernel& kernel) {
    return kernel.curve.tokens == graph.kernels.front().curve.tokens;
  });
  if (verdict.deadlock_checked) verdict.deadlock = findDeadlock(graph, depths);
  return verdict;
}

Diagnostic describe(const FifoConflict& conflict, const TimedGraph& graph) {
  const std::string slow = pathsText(graph, conflict.slow_paths);
  const std::string offered = std::to_string(conflict.offered), needed = std::to_string(conflict.needed);
  const std::string missing = std::to_string(conflict.needed - conflict.offered);
  const Location place = "FIFOs on " + pathsText(graph, conflict.fifo_paths);
  const std::string room = "there is room for " + offered + " tokens, but " + slow + " needs " + needed +
                           " before it gives the first one: the design ";
  const std::string fix = "deepen one of them by at least " + missing;
  Diagnostic found = conflict.kind == FifoConflictKind::Stall
                         ? warning("infeasible-sizing", place,
                                   "they let data wait for " + offered + " cycles in all, but " + slow +
                                       " takes " + needed + ": the design cannot run at full rate",
                                   "deepen one of them by what passes in " + missing + " more cycles")
                     : conflict.kind == FifoConflictKind::Deadlock
                         ? error("certain-deadlock", place, room + "deadlocks", fix)
                         : warning("possible-deadlock", place, room + "can deadlock", fix);
  for (const std::vector<std::size_t>& path : conflict.fifo_paths)
    for (const std::size_t stream : path)
      found.related.emplace_back(Where::Fifo, nameOf(graph, graph.streams[stream]));
  return found;
}

}  // namespace sluice::inline tensor

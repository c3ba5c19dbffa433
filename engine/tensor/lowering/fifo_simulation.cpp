#include "engine/tensor/lowering/fifo_simulation.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "engine/operators/inference.h"
#include "engine/operators/registry.h"
#include "engine/operators/simulate.h"
#include "engine/program/elaborate.h"
#include "engine/program/stream_id.h"
#include "engine/tensor/dataflow/dataflow_graph.h"

namespace sluice::inline tensor {
namespace {

/// The graph's streams that the given streams of the document are. Where one source feeds several, the
/// streams behind its broadcast.
std::vector<DepthGroup> groupsOf(const FlatGraph& graph, const std::vector<std::size_t>& streams,
                                 const Graph& program) {
  const std::vector<std::string> origins = streamIds(program, "");
  std::unordered_map<std::string_view, std::vector<StreamId>> instances;
  for (StreamId id = 0; id < graph.streams.size(); ++id)
    if (!graph.operators[graph.streams[id].consumer].inferred)
      instances[graph.streams[id].origin].push_back(id);
  std::vector<DepthGroup> found;
  for (const std::size_t stream : streams)
    for (const StreamId id : instances[origins[stream]])
      found.push_back({origins[stream], {id}, graph.streams[id].depth});
  return found;
}

Result<DepthProblem> elaborated(const Document& document, const std::vector<std::size_t>& streams) {
  SLUICE_TRY(FlatGraph graph, elaborate(document, {}, builtInCatalog()));
  SLUICE_CHECK(infer(graph, {}));
  std::vector<DepthGroup> groups = groupsOf(graph, streams, document.program);
  return DepthProblem{std::move(graph), {}, std::move(groups)};
}

/// Makes depths smaller while a run keeps within `limit` cycles.
class Shrinking {
 public:
  Shrinking(const DepthProblem& problem, Cycles limit, const SimulatedSizingOptions& options,
            std::size_t& simulations)
      : problem_(problem),
        graph_(problem.graph),
        limit_(limit),
        options_(options),
        simulations_(simulations) {}

  /// The cycles of a run, if they are within the limit.
  std::optional<Cycles> within(std::span<const std::int64_t> depths) {
    ++simulations_;
    setDepths(graph_, problem_, depths);
    SimulationOptions count;
    count.stop = options_.stop;
    const SimulationResult run = simulate(graph_, problem_.inputs, count);
    if (run.deadlock || run.fault || run.cancelled || run.cycles > limit_) return std::nullopt;
    return run.cycles;
  }

  bool cutOff() const { return simulations_ >= options_.most_simulations || options_.stop.stop_requested(); }

  /// `depths` keep the limit before and after. True: none can be one less.
  bool shrink(std::vector<std::int64_t>& depths) {
    std::vector<std::size_t> order(depths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return bytesOf(depths, a) > bytesOf(depths, b); });
    std::erase_if(order, [&](std::size_t fifo) { return problem_.groups[fifo].fixed; });
    for (const std::size_t fifo : order) search(depths, fifo);
    for (std::size_t unchanged = 0, at = 0; unchanged < order.size(); at = (at + 1) % order.size()) {
      if (cutOff()) return false;
      const std::int64_t before = depths[order[at]];
      if (lower(depths, order[at])) search(depths, order[at]);
      unchanged = depths[order[at]] == before ? unchanged + 1 : 1;
    }
    return true;
  }

 private:
  bool lower(std::vector<std::int64_t>& depths, std::size_t fifo) {
    if (depths[fifo] == 1) return false;
    --depths[fifo];
    if (within(depths)) return true;
    ++depths[fifo];
    return false;
  }

  /// The least depth of one FIFO, the others as they are.
  void search(std::vector<std::int64_t>& depths, std::size_t fifo) {
    std::int64_t fails = 0, holds = depths[fifo];
    while (holds - fails > 1 && !cutOff()) {
      depths[fifo] = fails + (holds - fails) / 2;
      (within(depths) ? holds : fails) = depths[fifo];
    }
    depths[fifo] = holds;
  }

  double bytesOf(const std::vector<std::int64_t>& depths, std::size_t fifo) const {
    return static_cast<double>(depths[fifo]) * problem_.groups[fifo].bytes;
  }

  const DepthProblem& problem_;
  FlatGraph graph_;
  Cycles limit_;
  const SimulatedSizingOptions& options_;
  std::size_t& simulations_;
};

Cycles limitOf(Cycles endless, double tolerance) {
  const double limit = static_cast<double>(endless) * (1 + tolerance);
  constexpr double most = 9e18;
  return limit < most ? static_cast<Cycles>(limit) : static_cast<Cycles>(most);
}

/// What a run with endless FIFOs holds at most, and one more: a slot is free the cycle after it is left.
std::vector<std::int64_t> occupied(const DepthProblem& problem, const SimulatedFifos& endless) {
  std::vector<std::int64_t> depths;
  for (std::size_t fifo = 0; fifo < endless.peak.size(); ++fifo)
    depths.push_back(std::clamp<std::int64_t>(endless.peak[fifo] + 1, 1, problem.groups[fifo].tokens));
  return depths;
}

}  // namespace

Result<DepthProblem> depthProblem(const TimedGraph& timed) {
  if (Diagnostics found = check(timed); !found.empty()) return found;
  Document document;
  document.program = kernelGraph(timed, std::vector<std::int64_t>(timed.streams.size(), 2));
  std::vector<std::size_t> streams(timed.streams.size());
  std::iota(streams.begin(), streams.end(), std::size_t{0});
  Result<DepthProblem> problem = elaborated(std::move(document), streams);
  if (!problem) return problem;
  for (std::size_t index = 0; index < timed.streams.size(); ++index) {
    problem->groups[index].tokens = timed.streams[index].tokens;
    problem->groups[index].bytes = static_cast<double>(timed.streams[index].token_bits) / 8;
  }
  return problem;
}

Result<DepthProblem> depthProblem(const CompiledDesign& compiled, const CompileOptions& options) {
  SLUICE_TRY(LoweredDesign program, lowered(compiled, options.requests_per_cycle));
  Document document;
  document.program = std::move(program.graph);
  document.machine.fifo_depth = static_cast<std::int64_t>(options.machine.fifo_depth);
  Result<DepthProblem> problem = elaborated(std::move(document), program.streams);
  if (!problem) return problem;
  problem->graph.machine = options.machine;
  for (std::size_t index = 0; index < compiled.design.streams.size(); ++index) {
    const DataflowStream& stream = compiled.design.streams[index];
    const ITensor& type = sourceOf(compiled.design, stream).type;
    const std::int64_t vectors = vectorsPerTile(compiled.design, stream);
    DepthGroup& group = problem->groups[index];
    group.fixed = stream.folded;
    group.tokens = stream.folded ? folded_tiles : tokenCount(type) * vectors;
    group.bytes = stream.folded ? 0 : static_cast<double>(tokenBits(type) / vectors) / 8;
  }
  return problem;
}

SimulatedFifos simulateFifos(const DepthProblem& problem, std::span<const std::int64_t> depths) {
  SimulationOptions options;
  options.mode = RecordMode::Record;
  FlatGraph graph = problem.graph;
  setDepths(graph, problem, depths);
  const SimulationResult run = simulate(graph, problem.inputs, options);
  SimulatedFifos result{run.deadlock.has_value(), run.cycles, {}, {}};
  for (const DepthGroup& group : problem.groups) {
    std::uint64_t peak = 0;
    Cycles stalls = 0;
    for (const StreamId fifo : group.streams) {
      peak = std::max(peak, run.streams[fifo].max_occupancy);
      stalls = std::max(stalls, run.operators[graph.streams[fifo].producer].blocked_on_output);
    }
    result.peak.push_back(static_cast<std::int64_t>(peak));
    result.stalls.push_back(stalls);
  }
  return result;
}

std::vector<std::int64_t> endlessDepths(const DepthProblem& problem) {
  std::vector<std::int64_t> depths;
  for (const DepthGroup& group : problem.groups) depths.push_back(group.tokens);
  return depths;
}

SimulatedSizing sizeBySimulation(const DepthProblem& problem,
                                 std::span<const std::vector<std::int64_t>> starts,
                                 const SimulatedSizingOptions& options) {
  SimulatedSizing best;
  const SimulatedFifos endless = simulateFifos(problem, endlessDepths(problem));
  best.simulations = 1;
  best.endless_cycles = endless.cycles;
  best.depths = endlessDepths(problem);
  best.bytes = fifoBytes(problem, best.depths);
  best.cycles = endless.cycles;
  Shrinking shrinking(problem, limitOf(endless.cycles, options.tolerance), options, best.simulations);
  std::vector<std::vector<std::int64_t>> candidates(starts.begin(), starts.end());
  candidates.push_back(occupied(problem, endless));
  candidates.push_back(endlessDepths(problem));
  for (std::vector<std::int64_t>& depths : candidates) {
    for (std::size_t fifo = 0; fifo < depths.size(); ++fifo)
      depths[fifo] = std::clamp<std::int64_t>(depths[fifo], 1, problem.groups[fifo].tokens);
    if (shrinking.cutOff() || !shrinking.within(depths)) continue;
    const bool minimal = shrinking.shrink(depths);
    const Bytes bytes = fifoBytes(problem, depths);
    if (bytes > best.bytes || (bytes == best.bytes && !minimal)) continue;
    best.depths = depths, best.bytes = bytes, best.minimal = minimal;
    best.cycles = shrinking.within(depths).value_or(best.cycles);
  }
  return best;
}

std::vector<SimulatedSizing> simulatedFront(const DepthProblem& problem,
                                            std::span<const std::vector<std::int64_t>> starts,
                                            const SimulatedSizingOptions& options) {
  std::vector<SimulatedSizing> front;
  std::vector<std::vector<std::int64_t>> from(starts.begin(), starts.end());
  for (const double tolerance : {0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 1e9}) {
    SimulatedSizingOptions step = options;
    step.tolerance = std::max(options.tolerance, tolerance);
    SimulatedSizing sizing = sizeBySimulation(problem, from, step);
    from.assign(1, sizing.depths);
    while (!front.empty() && front.back().bytes >= sizing.bytes && front.back().cycles >= sizing.cycles)
      front.pop_back();
    if (front.empty() || sizing.bytes < front.back().bytes) front.push_back(std::move(sizing));
  }
  return front;
}

}  // namespace sluice::inline tensor

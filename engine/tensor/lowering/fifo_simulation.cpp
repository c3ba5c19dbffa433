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
#include "engine/tensor/sizing/fifo_blocks.h"

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

/// The depths of one FIFO that a search looks at, numbered from 1 in ascending order.
class Levels {
 public:
  Levels(const DepthGroup& group, DepthCost cost) {
    if (cost == DepthCost::Blocks) chosen_ = fifoBlockDepths(group.tokenBits(), group.tokens);
  }
  bool only() const { return chosen_.size() == 1; }
  std::int64_t depthOf(std::int64_t level) const {
    return chosen_.empty() ? level : chosen_[static_cast<std::size_t>(level - 1)];
  }
  /// The first that is as deep; the last where none is.
  std::int64_t levelOf(std::int64_t depth) const {
    if (chosen_.empty()) return depth;
    const auto at = std::lower_bound(chosen_.begin(), chosen_.end() - 1, depth);
    return at - chosen_.begin() + 1;
  }

 private:
  std::vector<std::int64_t> chosen_;  ///< empty: every depth
};

std::int64_t blocksOf(const DepthGroup& group, std::int64_t depth) {
  if (group.fixed) return 0;
  const std::int64_t each = fifoBlocks(group.tokenBits(), depth);
  const auto fifos = static_cast<std::int64_t>(group.streams.size());
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return each > most / fifos ? most : each * fifos;
}

/// Of all FIFOs.
std::uint64_t costOf(const DepthProblem& problem, std::span<const std::int64_t> depths, DepthCost cost) {
  return cost == DepthCost::Bytes ? fifoBytes(problem, depths)
                                  : static_cast<std::uint64_t>(fifoBlocks(problem, depths));
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
        simulations_(simulations) {
    for (const DepthGroup& group : problem.groups) levels_.emplace_back(group, options.cost);
  }

  /// The cycles of a run, if they are within the limit.
  std::optional<Cycles> within(std::span<const std::int64_t> depths) {
    ++simulations_;
    setDepths(graph_, problem_, depths);
    SimulationOptions count;
    count.stop = options_.stop;
    if (limit_ < std::numeric_limits<Cycles>::max()) count.horizon = limit_ + 1;  // it would not count
    const SimulationResult run = simulate(graph_, problem_.inputs, count);
    if (run.deadlock || run.fault || run.cancelled || run.cycles > limit_) return std::nullopt;
    return run.cycles;
  }

  bool cutOff() const { return simulations_ >= options_.most_simulations || options_.stop.stop_requested(); }

  /// The depths that are looked at, from `depths` up: at most as many tokens as pass.
  void round(std::vector<std::int64_t>& depths) const {
    for (std::size_t fifo = 0; fifo < depths.size(); ++fifo) {
      const std::int64_t depth = std::clamp<std::int64_t>(depths[fifo], 1, problem_.groups[fifo].tokens);
      depths[fifo] = levels_[fifo].depthOf(levels_[fifo].levelOf(depth));
    }
  }

  /// `depths` keep the limit before and after. True: none can be one less.
  bool shrink(std::vector<std::int64_t>& depths) {
    std::vector<std::size_t> order(depths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return costOf(depths, a) > costOf(depths, b); });
    std::erase_if(order,
                  [&](std::size_t fifo) { return problem_.groups[fifo].fixed || levels_[fifo].only(); });
    if (order.empty()) return true;
    for (const std::size_t fifo : order) {
      search(depths, fifo);
      if (options_.progress)
        options_.progress({simulations_, tensor::costOf(problem_, depths, options_.cost)});
    }
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
    const std::int64_t level = levels_[fifo].levelOf(depths[fifo]);
    if (level == 1) return false;
    depths[fifo] = levels_[fifo].depthOf(level - 1);
    if (within(depths)) return true;
    depths[fifo] = levels_[fifo].depthOf(level);
    return false;
  }

  /// The least depth of one FIFO, the others as they are.
  void search(std::vector<std::int64_t>& depths, std::size_t fifo) {
    std::int64_t fails = 0, holds = levels_[fifo].levelOf(depths[fifo]);
    while (holds - fails > 1 && !cutOff()) {
      const std::int64_t middle = fails + (holds - fails) / 2;
      depths[fifo] = levels_[fifo].depthOf(middle);
      (within(depths) ? holds : fails) = middle;
    }
    depths[fifo] = levels_[fifo].depthOf(holds);
  }

  double costOf(const std::vector<std::int64_t>& depths, std::size_t fifo) const {
    const DepthGroup& group = problem_.groups[fifo];
    return options_.cost == DepthCost::Bytes ? static_cast<double>(depths[fifo]) * group.bytes
                                             : static_cast<double>(blocksOf(group, depths[fifo]));
  }

  const DepthProblem& problem_;
  std::vector<Levels> levels_;
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

using Depths = std::vector<std::int64_t>;

/// Where a search begins.
std::vector<Depths> startsOf(const DepthProblem& problem, std::span<const Depths> given,
                             const SimulatedFifos& endless) {
  std::vector<Depths> starts(given.begin(), given.end());
  starts.push_back(occupied(problem, endless));
  starts.push_back(endlessDepths(problem));
  return starts;
}

/// The least that is found from the starts; endless FIFOs where none of them keeps the rate. `simulations`:
/// those before.
SimulatedSizing sizedFrom(const DepthProblem& problem, std::vector<Depths> starts, Cycles endless_cycles,
                          std::size_t simulations, const SimulatedSizingOptions& options) {
  SimulatedSizing best;
  best.simulations = simulations;
  best.endless_cycles = best.cycles = endless_cycles;
  best.depths = endlessDepths(problem);
  // Of as many blocks those of fewer bytes.
  const auto costOfAll = [&](const Depths& depths) {
    return std::pair(costOf(problem, depths, options.cost), fifoBytes(problem, depths));
  };
  auto least = costOfAll(best.depths);
  Shrinking shrinking(problem, limitOf(endless_cycles, options.tolerance), options, best.simulations);
  for (Depths& depths : starts) {
    shrinking.round(depths);
    if (shrinking.cutOff() || !shrinking.within(depths)) continue;
    const bool minimal = shrinking.shrink(depths);
    const auto cost = costOfAll(depths);
    if (cost > least || (cost == least && !minimal)) continue;
    best.depths = depths, least = cost, best.minimal = minimal;
    best.cycles = shrinking.within(depths).value_or(best.cycles);
  }
  best.bytes = fifoBytes(problem, best.depths);
  best.blocks = fifoBlocks(problem, best.depths);
  return best;
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

std::int64_t fifoBlocks(const DepthProblem& problem, std::span<const std::int64_t> depths) {
  std::int64_t blocks = 0;
  for (std::size_t group = 0; group < depths.size(); ++group)
    if (__builtin_add_overflow(blocks, blocksOf(problem.groups[group], depths[group]), &blocks))
      return std::numeric_limits<std::int64_t>::max();
  return blocks;
}

SimulatedSizing sizeBySimulation(const DepthProblem& problem,
                                 std::span<const std::vector<std::int64_t>> starts,
                                 const SimulatedSizingOptions& options) {
  const SimulatedFifos endless = simulateFifos(problem, endlessDepths(problem));
  return sizedFrom(problem, startsOf(problem, starts, endless), endless.cycles, 1, options);
}

std::vector<SimulatedSizing> simulatedFront(const DepthProblem& problem,
                                            std::span<const std::vector<std::int64_t>> starts,
                                            const SimulatedSizingOptions& options) {
  const SimulatedFifos endless = simulateFifos(problem, endlessDepths(problem));
  std::vector<std::vector<std::int64_t>> from = startsOf(problem, starts, endless);
  std::vector<SimulatedSizing> front;
  std::size_t simulations = 1;
  for (const double tolerance : {0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 1e9}) {
    SimulatedSizingOptions step = options;
    step.tolerance = std::max(options.tolerance, tolerance);
    SimulatedSizing sizing = sizedFrom(problem, from, endless.cycles, 0, step);
    simulations += sizing.simulations;
    from.assign(1, sizing.depths);
    const auto cost = [&](const SimulatedSizing& each) { return costOf(problem, each.depths, options.cost); };
    while (!front.empty() && cost(front.back()) >= cost(sizing) && front.back().cycles >= sizing.cycles)
      front.pop_back();
    if (front.empty() || cost(sizing) < cost(front.back())) front.push_back(std::move(sizing));
    if (cost(front.back()) == 0) break;
  }
  for (SimulatedSizing& each : front) each.simulations = simulations;
  return front;
}

}  // namespace sluice::inline tensor

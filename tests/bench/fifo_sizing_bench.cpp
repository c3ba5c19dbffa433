// How fast the FIFOs of a large design are sized, and how good depths with few blocks of BRAM are beside
// random ones.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <utility>

#include "engine/core/random.h"
#include "engine/explorer/pareto.h"
#include "engine/fifo/strategies/strategies.h"
#include "engine/operators/simulate.h"
#include "engine/tensor/sizing/fifo_blocks.h"
#include "engine/tensor/sizing/fifo_sizing.h"

namespace sluice {
namespace {

/// Each kernel is fed by one to three of the `reach` kernels before it.
TimedGraph randomDesign(std::size_t kernels, std::size_t reach) {
  constexpr std::int64_t tokens = 4096;
  SplitMix64 random(1);
  TimedGraph graph;
  for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
    const auto delay = static_cast<std::int64_t>(1 + random.below(100));
    const auto interval = static_cast<std::int64_t>(1 + random.below(4));
    graph.kernels.push_back({std::to_string(kernel), {delay, {interval, 1}, tokens}});
    for (std::uint64_t inputs = kernel == 0 ? 0 : 1 + random.below(3); inputs > 0; --inputs)
      graph.streams.push_back({kernel - 1 - random.below(std::min(kernel, reach)), kernel, tokens});
  }
  return graph;
}

void sizeDesign(benchmark::State& state, SizingMethod method) {
  const TimedGraph graph =
      randomDesign(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  for ([[maybe_unused]] auto _ : state) {
    const Result<FifoSizing> sizing = sizeFifos(graph, method, {});
    if (!sizing) return state.SkipWithError(text(sizing.diagnostics()).c_str());
    benchmark::DoNotOptimize(sizing->total_bytes);
  }
  state.counters["streams"] = static_cast<double>(graph.streams.size());
}

/// Blocks of BRAM and cycles of depths.
using Points = std::vector<double>;

/// As many random vectors as `runs`, of the depths that are worth choosing: one depth for each group, or for
/// each class of FIFOs that are alike. `locked`: those that deadlock.
Points randomDepths(const DepthProblem& problem, std::size_t runs, std::size_t& locked) {
  SplitMix64 random(7);
  Points points;
  FlatGraph graph = problem.graph;
  for (std::size_t run = 0; run < runs; ++run) {
    std::vector<std::int64_t> depths;
    for (const DepthGroup& group : problem.groups) {
      const std::vector<std::int64_t> levels = fifoBlockDepths(group.tokenBits(), group.tokens);
      depths.push_back(levels[random.below(levels.size())]);
    }
    setDepths(graph, problem, depths);
    const SimulationResult answer = simulate(graph, problem.inputs);
    if (!answer.finished()) {
      ++locked;
      continue;
    }
    points.push_back(static_cast<double>(fifoBlocks(problem, depths)));
    points.push_back(static_cast<double>(answer.cycles));
  }
  return points;
}

/// The frontier of `bram` beside random depths at equal runs, by FIFOAdvisor's measure: what is dominated of
/// the box up to a tenth beyond the blocks of FIFOs that never fill and beyond the most cycles that were met.
void fewestBlocks(benchmark::State& state, const std::string& model, bool grouped) {
  CompileOptions options;
  options.tiling.default_tile_size = state.range(0);
  options.machine.reference_mode = false;
  const Result<TensorProgram> program = blockProgram(model, "prompt", 32, "W4A8");
  const Result<CompiledDesign> compiled = program ? compile(*program, options) : program.diagnostics();
  const Result<DepthProblem> problem = compiled ? depthProblem(*compiled, options) : compiled.diagnostics();
  if (!problem) return state.SkipWithError(text(problem.diagnostics()).c_str());
  DepthOptions search;
  search.front = true, search.grouped = grouped;
  Result<ChosenDepths> found = findDepthStrategy("bram")->choose({*problem, {}, search});
  for ([[maybe_unused]] auto _ : state) found = findDepthStrategy("bram")->choose({*problem, {}, search});
  if (!found) return state.SkipWithError(text(found.diagnostics()).c_str());
  const auto runs = static_cast<double>(found->search->simulations);
  Points own;
  for (const SimulatedSizing& point : found->front)
    own.insert(own.end(), {static_cast<double>(point.blocks), static_cast<double>(point.cycles)});
  std::size_t locked = 0;
  const Points tried = randomDepths(*problem, found->search->simulations, locked);
  double most_cycles = 0;
  for (const Points* points : {&std::as_const(own), &tried})
    for (std::size_t i = 1; i < points->size(); i += 2) most_cycles = std::max(most_cycles, (*points)[i]);
  const Points reference{1.1 * static_cast<double>(fifoBlocks(*problem, endlessDepths(*problem))),
                         1.1 * most_cycles};
  const double of_random = hypervolume(tried, 2, reference);
  state.counters["fifos"] = static_cast<double>(problem->groups.size());
  state.counters["runs"] = runs;
  state.counters["points"] = static_cast<double>(found->front.size());
  state.counters["random_locked"] = static_cast<double>(locked);
  state.counters["fewest_blocks"] = static_cast<double>(found->search->blocks);
  state.counters["endless_blocks"] = reference[0] / 1.1;
  // Nothing is faster than FIFOs that never fill, and nothing needs less than no block.
  const double most = reference[0] * (reference[1] - static_cast<double>(found->search->endless_cycles));
  state.counters["of_the_most_possible"] = hypervolume(own, 2, reference) / most;
  state.counters["random_of_the_most_possible"] = of_random / most;
  state.counters["times_random"] = of_random > 0 ? hypervolume(own, 2, reference) / of_random : 0;
  state.counters["depth_vectors"] =
      benchmark::Counter(runs, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Arguments: kernels, and how far back their inputs reach: 30 is a design in layers, 2000 one without any
/// order.
[[maybe_unused]] const bool registered = [] {
  for (const SizingMethod method :
       {SizingMethod::StartTime, SizingMethod::AsSoonAsPossible, SizingMethod::PathProgram}) {
    auto* bench = benchmark::RegisterBenchmark(("size_fifos/" + std::string(nameOf(method))).c_str(),
                                               sizeDesign, method);
    bench->Unit(benchmark::kMillisecond)->Args({200, 30});
    if (method != SizingMethod::PathProgram) bench->Args({2000, 30})->Args({2000, 2000});
  }
  for (const char* model : {"gpt2", "qwen", "llama", "gemma"})
    for (const bool grouped : {false, true})
      benchmark::RegisterBenchmark(
          ("fewest_blocks/" + std::string(model) + (grouped ? "/grouped" : "")).c_str(), fewestBlocks,
          std::string(model), grouped)
          ->Unit(benchmark::kMillisecond)
          ->Arg(16)
          ->Arg(64)
          ->Iterations(1);
  return true;
}();

}  // namespace
}  // namespace sluice

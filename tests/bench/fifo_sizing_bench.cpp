// How fast the FIFOs of a large design are sized.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "engine/core/random.h"
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
  return true;
}();

}  // namespace
}  // namespace sluice

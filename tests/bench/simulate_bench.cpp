// How fast one simulation runs: a bare chain, a real layer, memory alone, and a sweep over all of it.

#include <benchmark/benchmark.h>

#include "engine/explorer/explore.h"
#include "engine/operators/simulate.h"
#include "tests/engine/support/documents.h"

namespace sluice {
namespace {

using namespace testing_support;

const std::filesystem::path samples = std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads";

/// Simulates the default point once per iteration, in count-only mode; `counter` is a rate of `amount`.
void runPoint(benchmark::State& state, const std::shared_ptr<const Workload>& workload, const char* counter,
              std::uint64_t SimulationResult::*amount) {
  const Result<SymbolicResult> point = evaluateSymbolic(*workload, defaultKnobs(workload->document));
  if (!point) {
    const std::string cause = text(point.diagnostics());
    state.SkipWithError(cause.c_str());
    return;
  }
  double total = 0;
  for ([[maybe_unused]] auto _ : state) {
    const SimulationResult result = simulate(point->graph, workload->inputs);
    total += static_cast<double>(result.*amount);
    benchmark::DoNotOptimize(result.cycles);
  }
  state.counters[counter] = benchmark::Counter(total, benchmark::Counter::kIsRate);
}

void mapChain(benchmark::State& state) {
  runPoint(state, workloadOf(chainDocument(50, 100'000, 16)), "token_hops_per_second",
           &SimulationResult::token_hops);
}

void moeMixtral(benchmark::State& state) {
  runPoint(state, sampleWorkload(samples / "moe_mixtral.sluice"), "token_hops_per_second",
           &SimulationResult::token_hops);
}

void hbmStream(benchmark::State& state) {
  runPoint(state, workloadOf(streamingDocument(1000, 64, 4096)), "hbm_requests_per_second",
           &SimulationResult::hbm_requests);
}

/// The whole design space of the sample, on all cores.
void exploreMixtral(benchmark::State& state) {
  const std::shared_ptr<const Workload> workload = sampleWorkload(samples / "moe_mixtral.sluice");
  const std::unique_ptr<Executor> executor = makeExecutor();
  std::size_t points = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Result<Exploration> result = explore(*workload, *executor, {});
    points = result ? result->points.size() : 0;
  }
  state.counters["points"] = static_cast<double>(points);
}

[[maybe_unused]] const auto* chain =
    benchmark::RegisterBenchmark("simulate/map_chain/50", mapChain) -> Unit(benchmark::kMillisecond);
[[maybe_unused]] const auto* moe =
    benchmark::RegisterBenchmark("simulate/moe_mixtral", moeMixtral) -> Unit(benchmark::kMillisecond);
[[maybe_unused]] const auto* hbm =
    benchmark::RegisterBenchmark("hbm/stream", hbmStream) -> Unit(benchmark::kMillisecond);
[[maybe_unused]] const auto* sweep =
    benchmark::RegisterBenchmark("explore/moe_mixtral", exploreMixtral) -> Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice

// How fast one simulation runs: a bare chain, a real layer, memory alone, and a sweep over all of it.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "engine/core/atomic_file.h"
#include "engine/explorer/explore.h"
#include "engine/interchange/step_fixture.h"
#include "engine/operators/retime.h"
#include "engine/operators/simulate.h"
#include "engine/program/elaborate.h"
#include "tests/engine/support/documents.h"

namespace sluice {
namespace {

using namespace testing_support;

const std::filesystem::path samples = std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads";

/// Simulates the default point once per iteration, in count-only mode. `recorded`: seconds that the authors'
/// simulator took for it, if known.
void runPoint(benchmark::State& state, const std::shared_ptr<const Workload>& workload, double recorded = 0) {
  const Result<FlatGraph> graph =
      elaborate(workload->document, defaultKnobs(workload->document), builtInCatalog());
  if (!graph) {
    const std::string cause = text(graph.diagnostics());
    state.SkipWithError(cause.c_str());
    return;
  }
  double hops = 0, requests = 0, seconds = 0;
  for ([[maybe_unused]] auto _ : state) {
    const SimulationResult result = simulate(*graph, workload->inputs);
    hops += static_cast<double>(result.token_hops);
    requests += static_cast<double>(result.hbm_requests);
    seconds += result.wall_seconds;
    benchmark::DoNotOptimize(result.cycles);
  }
  state.counters["token_hops_per_second"] = benchmark::Counter(hops, benchmark::Counter::kIsRate);
  if (requests > 0)
    state.counters["hbm_requests_per_second"] = benchmark::Counter(requests, benchmark::Counter::kIsRate);
  const double runs = static_cast<double>(state.iterations());
  if (recorded > 0) state.counters["times_faster_than_recorded"] = recorded * runs / seconds;
  state.counters["run_ms"] = seconds * 1000 / runs;  // without building the network
}

void mapChain(benchmark::State& state) {
  runPoint(state, workloadOf(chainDocument(50, state.range(0), 16)));
}

void moeMixtral(benchmark::State& state) {
  runPoint(state, sampleWorkload(samples / "moe_mixtral.sluice"));
}

void hbmStream(benchmark::State& state) {
  runPoint(state, workloadOf(streamingDocument(1000, 64, 4096)));
}

/// The same from a memory with banks, 16 requests a cycle.
void hbmBanks(benchmark::State& state) {
  Document document = streamingDocument(100, 64, 4096);
  document.machine.hbm_model = HbmModel::Hbm2;
  document.program.nodes[0].parameters["par_dispatch"] = Value(16);
  runPoint(state, workloadOf(document));
}

/// A graph of the STeP artifact.
void stepFixture(benchmark::State& state, const std::string& name, double recorded) {
  const std::filesystem::path file =
      std::filesystem::path(SLUICE_BINARY_DIR) / "published_graphs" / (name + ".json");
  const Result<std::string> text = readFile(file);
  const Result<Document> document = text ? importStepFixture(*text, file.string()) : text.diagnostics();
  if (!document) return state.SkipWithError(sluice::text(document.diagnostics()).c_str());
  runPoint(state, workloadOf(*document, file.parent_path()), recorded);
}

/// The Mixtral layer with twice the depth of one FIFO, of each in turn, from the trace of a run: counted over
/// the changes that are answered, beside a fresh count-only simulation.
void retimeMixtral(benchmark::State& state) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  const std::shared_ptr<const Workload> workload = sampleWorkload(samples / "moe_mixtral.sluice");
  const Result<FlatGraph> graph =
      elaborate(workload->document, defaultKnobs(workload->document), builtInCatalog());
  if (!graph) return state.SkipWithError("no graph");
  double fresh = 1e9;
  for (int i = 0; i < 10; ++i) {
    const auto start = Clock::now();
    benchmark::DoNotOptimize(simulate(*graph, workload->inputs).cycles);
    fresh = std::min(fresh, seconds(start));
  }
  Retimer retimer(*graph, workload->inputs);
  std::vector<double> answered;
  double asked = 0, again = 0;
  StreamId stream = 0;
  for ([[maybe_unused]] auto _ : state) {
    const std::pair<StreamId, std::uint64_t> change{stream, 2 * graph->streams[stream].depth};
    const auto start = Clock::now();
    const Retimer::Answer answer = retimer.withDepths(std::span(&change, 1));
    if (answer.cycles) answered.push_back(seconds(start));
    ++asked, again += answer.again.empty() ? 0 : 1;
    stream = (stream + 1) % static_cast<StreamId>(graph->streams.size());
  }
  if (answered.empty()) return state.SkipWithError("nothing was answered");
  std::sort(answered.begin(), answered.end());
  state.counters["answered"] = static_cast<double>(answered.size()) / asked;
  state.counters["with_operators_run_again"] = again / asked;
  state.counters["fresh_us"] = fresh * 1e6;
  state.counters["median_times_faster"] = fresh / answered[answered.size() / 2];
  state.counters["p10_times_faster"] = fresh / answered[answered.size() * 9 / 10];
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

[[maybe_unused]] const auto* chain = benchmark::RegisterBenchmark("simulate/map_chain/50", mapChain)
                                         -> Arg(100'000) -> Arg(1'000'000) -> Unit(benchmark::kMillisecond);
[[maybe_unused]] const auto* moe =
    benchmark::RegisterBenchmark("simulate/moe_mixtral", moeMixtral) -> Unit(benchmark::kMillisecond);
[[maybe_unused]] const auto* retimed =
    benchmark::RegisterBenchmark("retime/moe_mixtral", retimeMixtral) -> Unit(benchmark::kMicrosecond);
[[maybe_unused]] const auto* hbm =
    benchmark::RegisterBenchmark("hbm/stream", hbmStream) -> Unit(benchmark::kMillisecond);
[[maybe_unused]] const auto* banks =
    benchmark::RegisterBenchmark("hbm/banks", hbmBanks) -> Unit(benchmark::kMillisecond);
[[maybe_unused]] const auto* sweep =
    benchmark::RegisterBenchmark("explore/moe_mixtral", exploreMixtral) -> Unit(benchmark::kMillisecond);

/// Graphs with the seconds that the authors recorded for them (August 2025).
[[maybe_unused]] const bool fixtures = [] {
  const std::pair<const char*, double> graphs[] = {{"mixtral_b64_static16", 2719},
                                                   {"mixtral_b64_static64", 1934},
                                                   {"mixtral_b64_dynamic", 2043},
                                                   {"qwen_b64_revet16", 2242},
                                                   {"qwen_b64_revet64", 1911},
                                                   {"qwen_b64_dynamic", 1942},
                                                   {"qwen_b64_timemux_static_r128", 2391},
                                                   {"qwen_b64_timemux_dyn_r128", 2445},
                                                   {"qwen_b64_timemux_dyn_r32", 1382},
                                                   {"attention_b64_0996_dyn", 0}};
  for (const auto& [name, recorded] : graphs) {
    benchmark::RegisterBenchmark((std::string("simulate/fixture/") + name).c_str(), stepFixture,
                                 std::string(name), recorded)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace sluice

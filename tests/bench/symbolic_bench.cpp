// The symbolic side: totals compiled once, evaluated for a thousand points; and what one analysis of a point
// costs.

#include <benchmark/benchmark.h>

#include "engine/program/elaborate.h"
#include "engine/symbolic/compiled.h"
#include "engine/workloads/workload_builder.h"
#include "tests/engine/support/documents.h"

namespace sluice {
namespace {

using namespace testing_support;

const std::filesystem::path sample =
    std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads" / "moe_mixtral.sluice";

/// One iteration is one sweep: 1000 values of the tile knob, all other symbols as routed.
void sweep1000(benchmark::State& state) {
  const std::shared_ptr<const Workload> workload = sampleWorkload(sample);
  const Result<SymbolicResult> point = evaluateSymbolic(*workload, defaultKnobs(workload->document));
  if (!point) return state.SkipWithError("the sample cannot be analysed");
  std::vector<std::string> symbols;
  std::vector<double> values;
  std::size_t tile = 0;
  for (const auto& [name, value] : point->bound) {
    if (name == "tile") tile = symbols.size();
    symbols.push_back(name);
    values.push_back(value);
  }
  const Cost& total = point->inference.total;
  const std::vector<Expr> exprs = {total.off_chip_bytes, total.on_chip_bytes, total.flops, total.compute};
  const Result<CompiledExprs> compiled = CompiledExprs::compile(exprs, symbols);
  if (!compiled) return state.SkipWithError("the totals depend on more than the inputs and knobs");
  std::vector<double> out(exprs.size());
  for ([[maybe_unused]] auto _ : state) {
    for (int i = 1; i <= 1000; ++i) {
      values[tile] = i;
      compiled->evaluate(values, out);
      benchmark::DoNotOptimize(out.data());
    }
  }
}

/// Elaboration, inference and evaluation of one point: what a moved slider waits for before the first number.
void analysePoint(benchmark::State& state) {
  const std::shared_ptr<const Workload> workload = sampleWorkload(sample);
  const KnobValues knobs = defaultKnobs(workload->document);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(evaluateSymbolic(*workload, knobs));
}

/// A layer of 128 experts with its schedule, as the builder writes it.
std::shared_ptr<const Workload> expertLayer() {
  const Result<Document> document = buildWorkload("moe", "qwen_b64");
  const auto workload = document ? makeWorkload(*document, {}) : document.diagnostics();
  return workload ? *workload : nullptr;
}

void scheduleExperts(benchmark::State& state) {
  const auto workload = expertLayer();
  const KnobValues knobs = defaultKnobs(workload->document);
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(applySchedule(workload->document, workload->inputs, knobs));
}

void elaborateExperts(benchmark::State& state) {
  const auto workload = expertLayer();
  const KnobValues knobs = defaultKnobs(workload->document);
  const Result<ScheduledProgram> scheduled = applySchedule(workload->document, workload->inputs, knobs);
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(elaborate(scheduled->document, knobs, builtInCatalog()));
}

void analyseExperts(benchmark::State& state) {
  const auto workload = expertLayer();
  const KnobValues knobs = defaultKnobs(workload->document);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(evaluateSymbolic(*workload, knobs));
}

[[maybe_unused]] const auto* schedule =
    benchmark::RegisterBenchmark("symbolic/schedule_128_experts", scheduleExperts)
        -> Unit(benchmark::kMillisecond);
[[maybe_unused]] const auto* experts =
    benchmark::RegisterBenchmark("symbolic/elaborate_128_experts", elaborateExperts)
        -> Unit(benchmark::kMillisecond);
[[maybe_unused]] const auto* layer =
    benchmark::RegisterBenchmark("symbolic/analyse_128_experts", analyseExperts)
        -> Unit(benchmark::kMillisecond);
[[maybe_unused]] const auto* sweep =
    benchmark::RegisterBenchmark("symbolic/sweep_1000", sweep1000) -> Unit(benchmark::kMillisecond);
[[maybe_unused]] const auto* analyse =
    benchmark::RegisterBenchmark("symbolic/analyse_moe_mixtral", analysePoint)
        -> Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice

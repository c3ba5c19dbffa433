// What large programs cost, step by step: chains of 10^3 to 10^5 operators from their text to who is to
// blame. The time of each step should be as many times longer as there are operators. mib: what the process
// had at most so far.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "engine/explorer/compare.h"
#include "engine/explorer/precheck.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/simulator/stalls.h"
#include "tests/engine/support/documents.h"

namespace sluice {
namespace {

using namespace testing_support;

/// A chain of so many operators, 4 tokens long.
Document chainOf(std::int64_t operators) {
  return chainDocument(static_cast<int>(operators) - 2, 4, 2);
}

template <class Step>
void measure(benchmark::State& state, const Step& step) {
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(step());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["mib"] = static_cast<double>(usage.ru_maxrss) / 1024;
  state.SetComplexityN(state.range(0));
}

void openChain(benchmark::State& state) {
  const std::string text = writeDocument(chainOf(state.range(0)));
  measure(state, [&] { return makeWorkload(*parseDocument(text, "chain"), ".")->get() != nullptr; });
}

void checkChain(benchmark::State& state) {
  const auto workload = workloadOf(chainOf(state.range(0)));
  measure(state, [&] {
    const Result<SymbolicResult> symbolic = evaluateSymbolic(*workload, {});
    return check(workload->document, builtInCatalog()).size() + precheck(*workload, *symbolic).size();
  });
}

void simulateChain(benchmark::State& state) {
  const auto workload = workloadOf(chainOf(state.range(0)));
  measure(state, [&] { return evaluate(*workload, {}, RecordMode::Record)->simulation.cycles; });
}

void blameChain(benchmark::State& state) {
  const auto workload = workloadOf(chainOf(state.range(0)));
  const Result<PointResult> run = evaluate(*workload, {}, RecordMode::Timeline);
  measure(state, [&] { return findStalls(run->symbolic.graph, *run->simulation.timeline).report.lost; });
}

void compareChain(benchmark::State& state) {
  const auto workload = workloadOf(chainOf(state.range(0)));
  const Result<PointResult> run = evaluate(*workload, {}, RecordMode::Timeline);
  measure(state, [&] { return compare(*run, *run).operators.size(); });
}

void writeChain(benchmark::State& state) {
  const Document document = chainOf(state.range(0));
  measure(state, [&] { return writeDocument(document).size(); });
}

[[maybe_unused]] const bool registered = [] {
  const std::pair<const char*, void (*)(benchmark::State&)> steps[] = {
      {"large/open", openChain},   {"large/check", checkChain},     {"large/simulate", simulateChain},
      {"large/blame", blameChain}, {"large/compare", compareChain}, {"large/save", writeChain}};
  for (const auto& [name, run] : steps)
    benchmark::RegisterBenchmark(name, run)
        ->Arg(1000)
        ->Arg(10'000)
        ->Arg(100'000)
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond)
        ->Complexity(benchmark::oN);
  return true;
}();

}  // namespace
}  // namespace sluice

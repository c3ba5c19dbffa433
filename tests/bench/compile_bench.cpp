// How fast a transformer block is compiled: elementwise and kernel fusion, tiling and unrolling, converters,
// transfers, FIFO depths; and lowered to a program.

#include <benchmark/benchmark.h>

#include "engine/operators/simulate.h"
#include "engine/tensor/lowering/fifo_simulation.h"

namespace sluice {
namespace {

void compileBlock(benchmark::State& state, const std::string& model) {
  const Result<TensorProgram> program = blockProgram(model, "prompt", 64, "W4A8");
  if (!program) return state.SkipWithError(text(program.diagnostics()).c_str());
  CompileOptions options;
  options.tiling.default_tile_size = state.range(0);
  std::size_t tasks = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Result<CompiledDesign> compiled = compile(*program, options);
    if (!compiled) return state.SkipWithError(text(compiled.diagnostics()).c_str());
    const Result<LoweredDesign> program_of_it = lowered(*compiled, 1);
    if (!program_of_it) return state.SkipWithError(text(program_of_it.diagnostics()).c_str());
    tasks = program_of_it->graph.nodes.size();
    benchmark::DoNotOptimize(tasks);
  }
  state.counters["tasks"] = static_cast<double>(tasks);
}

/// A run of the whole block, counting only.
void simulateBlock(benchmark::State& state) {
  const Result<TensorProgram> program = blockProgram("gpt2", "prompt", 64, "W4A8");
  if (!program) return state.SkipWithError(text(program.diagnostics()).c_str());
  CompileOptions options;
  options.tiling.default_tile_size = state.range(0);
  options.machine.reference_mode = options.machine.mock_bf16 = false;
  const Result<CompiledDesign> compiled = compile(*program, options);
  if (!compiled) return state.SkipWithError(text(compiled.diagnostics()).c_str());
  Result<DepthProblem> problem = depthProblem(*compiled, options);
  if (!problem) return state.SkipWithError(text(problem.diagnostics()).c_str());
  std::vector<std::int64_t> depths;
  for (const DataflowStream& stream : compiled->design.streams) depths.push_back(*stream.depth);
  setDepths(problem->graph, *problem, depths);
  std::int64_t hops = 0;
  for ([[maybe_unused]] auto _ : state)
    hops += static_cast<std::int64_t>(simulate(problem->graph, {}).token_hops);
  state.SetItemsProcessed(hops);
}

[[maybe_unused]] const bool registered = [] {
  benchmark::RegisterBenchmark("simulate/gpt2_block", simulateBlock)
      ->Unit(benchmark::kMillisecond)
      ->Arg(16)
      ->Arg(32);
  for (const char* model : {"gpt2", "llama"})
    benchmark::RegisterBenchmark(("compile/" + std::string(model)).c_str(), compileBlock, std::string(model))
        ->Unit(benchmark::kMillisecond)
        ->Arg(16)
        ->Arg(32);
  return true;
}();

}  // namespace
}  // namespace sluice

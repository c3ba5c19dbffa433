// How fast a transformer block is compiled: elementwise and kernel fusion, tiling and unrolling, converters,
// transfers, FIFO depths; and lowered to a program.

#include <benchmark/benchmark.h>

#include "engine/tensor/compile.h"

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
    const Result<LoweredDesign> program_of_it = lowered(compiled->design, compiled->timings, {1, {}});
    if (!program_of_it) return state.SkipWithError(text(program_of_it.diagnostics()).c_str());
    tasks = program_of_it->graph.nodes.size();
    benchmark::DoNotOptimize(tasks);
  }
  state.counters["tasks"] = static_cast<double>(tasks);
}

[[maybe_unused]] const bool registered = [] {
  for (const char* model : {"gpt2", "llama"})
    benchmark::RegisterBenchmark(("compile/" + std::string(model)).c_str(), compileBlock, std::string(model))
        ->Unit(benchmark::kMillisecond)
        ->Arg(16)
        ->Arg(32);
  return true;
}();

}  // namespace
}  // namespace sluice

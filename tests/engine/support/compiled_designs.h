#pragma once
// Compiling for tests: options for a tile size, rewrites on the way, and a run of what was compiled, its
// FIFOs as sized.

#include <gtest/gtest.h>

#include "engine/operators/simulate.h"
#include "engine/tensor/dataflow/rewrites.h"
#include "engine/tensor/lowering/fifo_simulation.h"

namespace sluice::testing_support {

inline CompileOptions optionsOf(std::int64_t tile) {
  CompileOptions options;
  options.tiling.default_tile_size = tile;
  options.machine.reference_mode = false;
  options.machine.mock_bf16 = false;
  return options;
}

/// A rewrite, and the place in the design of its kind: "fold", "query.out0 -> scores.in0".
struct Rewriting {
  std::string rewrite, place = "everywhere";
};

inline Result<CompiledDesign> compiledWith(const TensorProgram& program, const CompileOptions& options,
                                           const std::vector<Rewriting>& rewrites) {
  SLUICE_TRY(CompiledDesign compiled, startCompiling(program, options));
  for (const auto& [rewrite, place] : rewrites) {
    SLUICE_TRY(const DataflowRewrite* named, rewriteNamed(rewrite));
    const auto step = [&, &at = place]() -> Result<RewriteStep> {
      if (at == "everywhere") return applyEverywhere(compiled.rewritable, *named);
      SLUICE_TRY(const RewriteChoice choice, choiceNamed(compiled.rewritable, named->name, at));
      return applyRewrite(compiled.rewritable, choice);
    };
    SLUICE_TRY(RewriteStep made, step());
    compiled.rewritable = std::move(made.after);
  }
  return finishCompiling(std::move(compiled), options);
}

inline SimulationResult runOf(const CompiledDesign& compiled, const CompileOptions& options) {
  const Result<DepthProblem> problem = depthProblem(compiled, options);
  EXPECT_TRUE(problem) << text(problem.diagnostics());
  return simulate(problem->graph, {});
}

}  // namespace sluice::testing_support

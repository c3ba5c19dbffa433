#pragma once
// Compiling for tests: options for a tile size, and a run of what was compiled, its FIFOs as sized.

#include <gtest/gtest.h>

#include "engine/operators/simulate.h"
#include "engine/tensor/lowering/fifo_simulation.h"

namespace sluice::testing_support {

inline CompileOptions optionsOf(std::int64_t tile) {
  CompileOptions options;
  options.tiling.default_tile_size = tile;
  options.machine.reference_mode = false;
  options.machine.mock_bf16 = false;
  return options;
}

inline SimulationResult runOf(const CompiledDesign& compiled, const CompileOptions& options) {
  const Result<DepthProblem> problem = depthProblem(compiled, options);
  EXPECT_TRUE(problem) << text(problem.diagnostics());
  return simulate(problem->graph, {});
}

}  // namespace sluice::testing_support

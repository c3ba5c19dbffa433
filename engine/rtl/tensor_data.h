#pragma once
// What a project at the functional level needs beside its timing: the elements of the tiles that its loads
// read, and of those that its stores must write, from a functional run of the simulator.

#include <cstdint>
#include <map>
#include <string>

#include "engine/core/result.h"
#include "engine/operators/functional.h"
#include "engine/simulator/result.h"

namespace sluice::inline rtl {

struct OperatorTiles {
  std::uint64_t count = 0;
  std::string lines;  ///< an element a line: its bits as a 32-bit number, in hexadecimal
};

struct ComputedTensors {
  std::map<OperatorId, OperatorTiles> operators;  ///< those with a tensor
  std::uint64_t largest_tile = 1;                 ///< elements of the largest tile that is in any stream
  bool bfloat16 = false;                          ///< results are rounded to bfloat16
  SimulationResult run;                           ///< which computed them; without the tokens of its streams
};

/// Runs the program. Loads have the elements from before the run: every module has a memory of its own, and
/// what a store writes, no load reads. Errors: those of compute(); more elements than a test bench should
/// hold.
Result<ComputedTensors> computedTensors(const FlatGraph& graph, const InputSet& inputs,
                                        const ComputeOptions& options);

}  // namespace sluice::inline rtl

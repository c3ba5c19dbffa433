#pragma once
// A compiled design on a platform, each group for itself; FIFO depths follow the dies that their streams
// cross, and the memories and dies follow the depths.

#include "engine/tensor/lowering/compile.h"
#include "engine/tensor/placement/design_placement.h"

namespace sluice::inline tensor {

struct PlacedDesign {
  CompiledDesign compiled;  ///< with the registers of the crossings, and depths for them
  std::vector<DesignPlacement> groups;
  Bytes fifo_bytes_without_crossings = 0;
};

/// What every task takes beside its buffers; a DSP makes `products_per_dsp` products of integers.
std::vector<Resources> logicOf(const CompiledDesign& compiled, double products_per_dsp);

/// `options` are those that the design was compiled with.
Result<PlacedDesign> placeCompiled(CompiledDesign compiled, const CompileOptions& options,
                                   double products_per_dsp, const Platform& platform,
                                   const PlacementOptions& placement = {});

}  // namespace sluice::inline tensor

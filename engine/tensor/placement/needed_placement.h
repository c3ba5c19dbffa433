#pragma once
// A compiled design on a platform that may have no room for it: what it needs then, in all and of each die.

#include "engine/tensor/placement/compiled_placement.h"

namespace sluice::inline tensor {

struct NeededPlacement {
  PlacedDesign placed;
  Diagnostics problems;  ///< why the platform has no room; empty: `placed` is on it
  double times = 1;      ///< how many times what a die has of everything `placed` lies on
};

/// Where there is no room, on dies that are enlarged until there is, every buffer in the memory that suits it
/// best, without the registers of crossings. Errors: those of placeCompiled() that larger dies do not help.
Result<NeededPlacement> placeAsNeeded(const CompiledDesign& compiled, const CompileOptions& options,
                                      double products_per_dsp, const Platform& platform,
                                      const PlacementOptions& placement = {});

}  // namespace sluice::inline tensor

#pragma once
// What a block of a transformer would take on a platform: compiled for it as far as its dies hold, then run
// in the simulator. No number is fitted to a measurement.

#include <optional>
#include <stop_token>

#include "engine/tensor/block_bound.h"
#include "engine/tensor/compile.h"
#include "engine/tensor/design_placement.h"

namespace sluice::figures {

/// One layer at W4A8, fused into one group as in the paper's evaluation.
struct CompiledBlock {
  CompiledDesign compiled;
  std::int64_t unroll = 0;              ///< the overall unroll size
  std::int64_t requests_per_cycle = 0;  ///< that one load or store makes
};

Result<CompiledBlock> compiledBlock(const TransformerModel& model, BlockPhase phase, const Platform& platform,
                                    std::int64_t unroll, std::int64_t requests_per_cycle);

/// The block unrolled as far as the platform's dies hold it: from all products that its DSPs can make at once
/// down, in steps of an eighth of that.
struct PlacedBlock {
  CompiledBlock block;
  DesignPlacement placement;
};
Result<PlacedBlock> placedBlock(const TransformerModel& model, BlockPhase phase, const Platform& platform,
                                std::int64_t requests_per_cycle);

/// Cycles of one run, FIFOs as sized.
Result<double> simulatedCycles(const CompiledBlock& block, const Platform& platform,
                               const std::stop_token& stop);

}  // namespace sluice::figures

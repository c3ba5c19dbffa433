#pragma once
// What a block's dataflow design would take on a platform: every task's first and last token, from its work,
// its unroll factor and the rate of its transfers. No number is fitted to a measurement.

#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/tensor/block_bound.h"
#include "engine/tensor/design_placement.h"
#include "engine/tensor/llm_blocks.h"

namespace sluice::figures {

/// How the memory's channels serve a design's loads and stores. Nothing published says; as with unrolling, a
/// design that leaves nothing idle that would help is what we predict.
enum class ChannelRule {
  OneEach,  ///< one channel for each transfer
  ByVolume  ///< the channels that are left go, one by one, to whichever transfer takes longest
};

/// One layer, fused into one group as in the paper's evaluation, at W4A8: tiled, materialised, unrolled.
struct BlockDesign {
  DataflowDesign design;
  std::vector<double> work;          ///< cycles of every compute task; 0 for the others
  std::vector<std::int64_t> unroll;  ///< products at once of every compute task; 0 for the others
};

/// `unroll` is shared by all kernels as the paper does: the slowest gets more, step by step.
Result<BlockDesign> blockDesign(const TransformerModel& model, BlockPhase phase, std::int64_t tile,
                                std::int64_t unroll);

/// The block unrolled as far as its dies hold it: from all products that the DSPs can make at once down, in
/// steps of an eighth of that.
struct PlacedBlock {
  BlockDesign block;
  DesignPlacement placement;
  std::int64_t unroll = 0;
};
Result<PlacedBlock> placedBlock(const TransformerModel& model, BlockPhase phase, std::int64_t tile,
                                const Platform& platform);

struct Prediction {
  double cycles = 0;
  std::string slowest;  ///< the task that is busy for longest
  std::size_t transfers = 0;
};

Prediction predict(const BlockDesign& block, const Platform& platform, ChannelRule channels);

}  // namespace sluice::figures

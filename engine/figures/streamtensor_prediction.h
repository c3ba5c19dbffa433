#pragma once
// What a block of a transformer would take on a platform: compiled for it as far as its dies hold, then run
// in the simulator. No number is fitted to a measurement.

#include <functional>
#include <optional>
#include <span>
#include <stop_token>

#include "engine/figures/figure.h"
#include "engine/tensor/placement/block_bound.h"
#include "engine/tensor/placement/compiled_placement.h"

namespace sluice::inline figures {

/// What the paper leaves open.
struct BlockChoices {
  std::int64_t unroll = 1;              ///< the overall unroll size
  std::int64_t requests_per_cycle = 1;  ///< of 64 bytes, that one load or store makes
  Equalisation equalisation = Equalisation::Conservative;
};

/// One layer at W4A8, fused into one group as in the paper's evaluation.
Result<CompiledDesign> compiledBlock(const TransformerModel& model, BlockPhase phase,
                                     const Platform& platform, const BlockChoices& choices);

/// The block as the platform holds it: unrolled from all products that its DSPs can make at once down, in
/// steps of an eighth of that; FIFOs for every kernel's own pace where the memory has room for them, else for
/// that of the slowest.
struct PlacedBlock {
  PlacedDesign placed;
  BlockChoices choices;
};
Result<PlacedBlock> placedBlock(const TransformerModel& model, BlockPhase phase, const Platform& platform,
                                std::int64_t requests_per_cycle);

/// A curve over requests of these lengths; value(at) is that of the one at this position.
void addCurve(FigureChart& chart, const std::string& name, bool published,
              std::span<const std::int64_t> lengths, const std::function<double(std::size_t)>& value);

/// Cycles of one run, FIFOs as sized.
Result<double> simulatedCycles(const CompiledDesign& compiled, const Platform& platform,
                               std::int64_t requests_per_cycle, const std::stop_token& stop);

}  // namespace sluice::inline figures

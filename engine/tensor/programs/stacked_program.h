#pragma once
// Several equal layers one after the other: what a layer gives first, the next one takes first.

#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

constexpr std::int64_t most_stacked_layers = 64;

/// Each layer with weights, caches and further results of its own, "key weight 2" in the second; tables,
/// which are the same in each, once. Fails where the first result has not the shape and width of the first
/// input.
Result<TensorProgram> stacked(const TensorProgram& layer, std::int64_t layers);

}  // namespace sluice::inline tensor

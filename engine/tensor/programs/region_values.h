#pragma once
// Values of the operators that take elements by their place: slices, concatenations, repetitions, reductions,
// choices and windows.

#include <span>

#include "engine/core/float_tensor.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// Slice, Concat, Expand, Where, reductions over the last dimension, convolutions and pools. `first` is the
/// first operand, what was fused before the operator done; `result` has its shape, and its data are filled
/// in.
void applyRegion(const TensorOperator& op, const FloatTensor& first, std::span<const FloatTensor> operands,
                 FloatTensor& result);

}  // namespace sluice::inline tensor

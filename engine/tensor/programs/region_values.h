#pragma once
// Values of the operators that take elements by their place: slices, concatenations, repetitions, reductions,
// choices and windows.

#include <optional>
#include <span>

#include "engine/core/float_tensor.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// The row of so many that a place of a Lookup names, which counts from behind where it is below 0; none
/// where it is no whole number or lies beyond them.
std::optional<std::size_t> rowNamed(float place, std::size_t rows);

/// Slice, Concat, Expand, Lookup, Where, reductions over the last dimension, convolutions and pools. `first`
/// is the first operand, what was fused before the operator done; `result` has its shape, and its data are
/// filled in. `exact_sums`: of integers.
void applyRegion(const TensorOperator& op, const FloatTensor& first, std::span<const FloatTensor> operands,
                 FloatTensor& result, bool exact_sums = false);

}  // namespace sluice::inline tensor

#pragma once
// Extents that no tile divides, made larger: 61 tokens in tiles of 16 are 64, instead of 61 tiles of one.

#include "engine/core/float_tensor.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// The program with extents above `tile` rounded up to a multiple of it wherever that at least halves the
/// number of tiles. Dimensions that operators tie to each other are padded together, or not at all: where an
/// operator reads all of a dimension that it does not know to have a part that counts (slices, windows),
/// where a reshape merges or splits it, or where a sum over it would take in padding that is not zero. What
/// counts of a tensor is its `valid`, of a row TensorOperator::valid. Tensors from outside have zeros in
/// their padding. Needs a program that passes verify() and has no padding yet.
TensorProgram padded(const TensorProgram& program, std::int64_t tile);

/// A warning for each extent that was padded.
Diagnostics paddingOf(const TensorProgram& program);

/// The tensor with zeros around it, as memory has it.
FloatTensor withPadding(const TensorValue& value, const FloatTensor& counts);
/// The part of it that counts.
FloatTensor withoutPadding(const TensorValue& value, FloatTensor whole);

}  // namespace sluice::inline tensor

#pragma once
// Tensors inside a program without their dimensions of extent 1 (one token in decode, one key and value
// head).

#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// Of a verified program. Transpositions that only move such dimensions become reshapes, reshapes that follow
/// each other one, and reshapes to the same shape nothing. Inputs and results keep their shapes: a reshape
/// stands between. Dimensions stay where an operator needs them (the rows and columns of a product).
TensorProgram withoutUnitDimensions(const TensorProgram& program);

}  // namespace sluice::inline tensor

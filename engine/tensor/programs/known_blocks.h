#pragma once
// Structures of operators that a tensor program has an operator for: rotary embeddings, heads of keys and
// values that several queries share, transposed operands. Every edge and number of a structure is checked;
// what only resembles one stays as it is.

#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// The same function of the same inputs, and the same results:
///  - x * cos + concat(-x[D/2:], x[:D/2]) * sin over the last dimension D is Rotary(x, cos, sin);
///  - a product whose second operand repeats heads (expand, then merge) shares them instead;
///  - a product with an operand whose last two dimensions changed places reads it transposed;
///  - products by 1, sums with 0, transposes and reshapes that undo each other vanish.
/// Operators that nothing reads then leave.
TensorProgram withKnownBlocks(const TensorProgram& program);

}  // namespace sluice::inline tensor

#pragma once
// What the kinds of operators of tensor programs are, in one table: names, numbers of inputs, operations,
// depth of their arithmetic, and the functions that work element by element.

#include <cstdint>
#include <string_view>

#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// What one iteration goes through, from the shortest to the longest.
enum class Arithmetic : std::uint8_t {
  Move,        ///< nothing is computed
  Add,         ///< an addition or a comparison
  Multiply,    ///< a product
  Accumulate,  ///< a product and a sum
  Divide,      ///< a division or a root
  Exponential,
  Activation,  ///< a product, an exponential and a division
  Softmax,     ///< an exponential, a sum and a division
  Norm         ///< a product, a sum, a root and a division
};

struct OperatorTraits {
  TensorOperatorKind kind;
  std::string_view name;
  std::size_t least_inputs = 1, most_inputs = 1;
  std::int64_t operations = 0;  ///< per element of the result; products of matrices and windows are apart
  Arithmetic arithmetic = Arithmetic::Move;
  std::int64_t passes = 1;  ///< over each row: its maximum or sums first, the results last
  float (*of_one)(float) = nullptr;
  float (*of_two)(float, float) = nullptr;  ///< the second is a tensor or a number
  bool commutative = false;
};

const OperatorTraits& traitsOf(TensorOperatorKind kind);

/// Of a matrix or a window: multiplications and additions per element of the result are counted by its depth.
bool isProduct(TensorOperatorKind kind);
/// Conv, DepthwiseConv, MaxPool, AveragePool.
bool hasWindow(TensorOperatorKind kind);
/// ReduceSum, ReduceMean, ReduceMax, ReduceMin.
/// Softmax, norms and reductions: what follows from all of a row.
bool hasRows(TensorOperatorKind kind);
bool isReduction(TensorOperatorKind kind);

/// Multiplications of an operator of a verified program; 0 of what is no product.
std::int64_t productCount(const TensorProgram& program, const TensorOperator& op);

}  // namespace sluice::inline tensor

#pragma once
// A program over whole tensors: the operators of transformer blocks in a topological order, each writing one
// tensor. What the compiler starts from, before anything is tiled or streamed.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/scalar.h"

namespace sluice::inline tensor {

enum class TensorRole {
  Input,      ///< from external memory: the block's input, the key and value caches
  Weight,     ///< a constant: parameters
  Table,      ///< a constant that is no parameter: masks, rotary angles
  Activation  ///< written by an operator of the program
};

struct TensorValue {
  std::string name;
  std::vector<std::int64_t> shape;
  Scalar scalar;
  TensorRole role = TensorRole::Activation;
  std::vector<std::int64_t> valid = {};  ///< extents of what counts, where the compiler padded it; empty: all

  bool operator==(const TensorValue&) const = default;
};

enum class TensorOperatorKind {
  Linear,         ///< x[..., K], weight[N, K], maybe bias[N] -> [..., N]
  BatchedMatmul,  ///< a[B..., M, K], b[B'..., K, N], B' a prefix of B (the rest shares b) -> [B..., M, N]
  Softmax,        ///< over the last dimension
  LayerNorm,      ///< x, gain, bias over the last dimension
  RmsNorm,        ///< x, gain over the last dimension
  Gelu,           ///< by the error function
  GeluTanh,       ///< its approximation by the hyperbolic tangent
  Silu,
  Relu,
  Sigmoid,
  Tanh,
  Exp,
  Log,
  Sqrt,
  Reciprocal,
  Neg,
  Abs,
  Round,  ///< to the nearest integer, to the even one of two
  Erf,
  Sin,
  Cos,
  Add,         ///< a, b: b of the shape of a or of a suffix of it, broadcast; or a and a number
  Mul,         ///< likewise, as are all up to Pow
  Sub,         ///< a - b
  Div,         ///< a / b
  Max,         ///< the larger
  Min,         ///< the smaller
  Pow,         ///< a to the power of b
  Rotary,      ///< x[..., S, D], angles[S, D]; or x, their cosines[S, D] and sines[S, D]
  Reshape,     ///< splits or merges neighbouring dimensions
  Transpose,   ///< output dimension i is input dimension permutation[i]
  Slice,       ///< of dimension `axis`: from `begin` on, as many as the output has
  Concat,      ///< along dimension `axis`, one input after the other
  Expand,      ///< dimensions of 1 are repeated; as many dimensions as the output
  ReduceSum,   ///< over the last dimension, which becomes 1
  ReduceMean,  ///< likewise
  ReduceMax,
  ReduceMin,
  Where,          ///< condition, a, b: a where the condition is not 0; each of a suffix of the result's shape
  Conv,           ///< x[N, C, H, W], weight[M, C, h, w], maybe bias[M] -> [N, M, H', W']; see TensorWindow
  DepthwiseConv,  ///< x[N, C, H, W], weight[C, 1, h, w], maybe bias[C] -> [N, C, H', W']
  MaxPool,        ///< x[N, C, H, W] -> [N, C, H', W']; what lies outside does not count
  AveragePool,    ///< likewise
  Fill,           ///< `number`, or 0, everywhere: no inputs
  Floor,          ///< the largest integer that is not above
  Sign,           ///< -1, 0 or 1
  Less,           ///< 1 where a < b, else 0; two operands as Add has them
  Greater,        ///< 1 where a > b, else 0
  Equal,          ///< 1 where a is b, else 0
  /// places[I...], table[R, D] -> [I..., D]: rows of a table in external memory, which alone are read; a
  /// place below 0 counts from behind the last row
  Lookup,
  Atan
};

constexpr int tensor_operator_kinds = static_cast<int>(TensorOperatorKind::Atan) + 1;

/// An elementwise operator that was fused into another one's nest.
struct ElementwiseStep {
  TensorOperatorKind kind = TensorOperatorKind::Gelu;
  std::optional<std::size_t> operand;  ///< the second tensor of Add, Mul ...
  std::optional<float> number = {};    ///< or a number in its place

  bool operator==(const ElementwiseStep&) const = default;
};

constexpr float default_epsilon = 1e-5f;

/// How a window moves over the last two dimensions: result i, tap j is at i * stride + j * dilation -
/// padding. Positions outside count as 0 (Conv), or not at all (pools).
struct TensorWindow {
  std::vector<std::int64_t> size;  ///< of a pool; of a Conv the weight says it
  std::vector<std::int64_t> strides, padding, dilations;

  bool operator==(const TensorWindow&) const = default;
};

struct TensorOperator {
  std::string name;
  TensorOperatorKind kind = TensorOperatorKind::Linear;
  std::vector<std::size_t> inputs;  ///< numbers of tensors
  std::size_t output = 0;
  bool transposed_right = false;              ///< BatchedMatmul: b is [B'..., N, K]
  std::vector<std::size_t> permutation;       ///< Transpose
  std::vector<ElementwiseStep> before_steps;  ///< on inputs[0], before it is used
  std::vector<ElementwiseStep> after_steps;   ///< on the result, before it is written
  float epsilon = default_epsilon;   ///< LayerNorm and RmsNorm: added to the variance, the mean square
  std::optional<float> number = {};  ///< elementwise: in place of a second tensor; Fill: its value
  std::size_t axis = 0;              ///< Slice, Concat
  std::int64_t begin = 0;            ///< Slice
  TensorWindow window = {};          ///< Conv, DepthwiseConv, MaxPool, AveragePool: two numbers of each
  /// Of rows (softmax, norms, reductions): how many elements count, from the first on; 0: all. A softmax
  /// gives 0 for the others.
  std::int64_t valid = 0;

  bool operator==(const TensorOperator&) const = default;
};

struct TensorProgram {
  std::string name;
  std::vector<TensorValue> tensors;
  std::vector<TensorOperator> operators;  ///< each after those whose results it reads
  std::vector<std::size_t> results;       ///< tensors that leave to external memory

  bool operator==(const TensorProgram&) const = default;
};

std::string_view text(TensorOperatorKind kind);
bool isElementwise(TensorOperatorKind kind);

/// Shapes, roles, order of the operators, sizes up to 2^60.
Diagnostics verify(const TensorProgram& program);

// The following need a program that passes verify().

std::int64_t elementCount(const TensorValue& tensor);
/// As stored: the bits of all elements, in whole bytes.
std::int64_t storedBytes(const TensorValue& tensor);
/// Scalar operations: a multiplication and an addition count two; an activation function, an exponential or a
/// division one. What only moves elements computes nothing.
std::int64_t operationCount(const TensorProgram& program, const TensorOperator& op);
std::int64_t operationCount(const TensorProgram& program);
/// Elements of all weights.
std::int64_t parameterCount(const TensorProgram& program);
/// Every tensor that the operator reads: its inputs, then the operands of the fused steps.
std::vector<std::size_t> readTensors(const TensorOperator& op);
/// The operator that writes each tensor, empty for those from outside.
std::vector<std::optional<std::size_t>> writers(const TensorProgram& program);
/// Of those, by number: the table of a Lookup, of which the task reads rows of its own accord, as its places
/// say.
bool isLookedUp(const TensorOperator& op, std::size_t read);
/// How often each tensor is read by operators, and as a result.
std::vector<std::size_t> useCounts(const TensorProgram& program);
/// Activations that are no results: what fusion may keep on chip.
std::vector<std::size_t> intermediates(const TensorProgram& program);
/// Without the tensors that nothing reads, writes or returns; the others renumbered in their order.
TensorProgram withoutUnusedTensors(const TensorProgram& program);

}  // namespace sluice::inline tensor

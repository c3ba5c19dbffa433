#include "engine/tensor/programs/operator_traits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/itensor/itensor.h"

namespace sluice::inline tensor {
namespace {

float gelu(float x) {
  return 0.5f * x * (1.0f + std::erf(x / std::sqrt(2.0f)));
}
float geluTanh(float x) {
  return 0.5f * x *
         (1.0f + std::tanh(std::sqrt(2.0f / std::numbers::pi_v<float>) * (x + 0.044715f * x * x * x)));
}
float silu(float x) {
  return x / (1.0f + std::exp(-x));
}
float signOf(float x) {
  if (x == 0.0f) return 0.0f;
  return x > 0.0f ? 1.0f : -1.0f;
}
float sigmoid(float x) {
  return 1.0f / (1.0f + std::exp(-x));
}

using Kind = TensorOperatorKind;

constexpr OperatorTraits ofOne(Kind kind, std::string_view name, Arithmetic arithmetic,
                               float (*function)(float)) {
  return {kind, name, 1, 1, 1, arithmetic, 1, function, nullptr, false};
}
constexpr OperatorTraits ofTwo(Kind kind, std::string_view name, Arithmetic arithmetic,
                               float (*function)(float, float), bool commutative) {
  return {kind, name, 1, 2, 1, arithmetic, 1, nullptr, function, commutative};
}
constexpr OperatorTraits other(Kind kind, std::string_view name, std::size_t least, std::size_t most,
                               std::int64_t operations, Arithmetic arithmetic, std::int64_t passes = 1) {
  return {kind, name, least, most, operations, arithmetic, passes, nullptr, nullptr, false};
}

using enum Arithmetic;
constexpr std::size_t any_number = 256;

constexpr std::array<OperatorTraits, tensor_operator_kinds> table{{
    other(Kind::Linear, "linear", 2, 3, 0, Accumulate),
    other(Kind::BatchedMatmul, "batched matmul", 2, 2, 0, Accumulate),
    other(Kind::Softmax, "softmax", 1, 1, 5, Softmax, 3),    // maximum, subtract, exponential, sum, divide
    other(Kind::LayerNorm, "layer norm", 3, 3, 7, Norm, 3),  // sum, subtract, square, sum, scale, gain, bias
    other(Kind::RmsNorm, "rms norm", 2, 2, 4, Norm, 2),      // square, sum, scale, gain
    ofOne(Kind::Gelu, "gelu", Activation, gelu),
    ofOne(Kind::GeluTanh, "gelu tanh", Activation, geluTanh),
    ofOne(Kind::Silu, "silu", Activation, silu),
    ofOne(Kind::Relu, "relu", Add, [](float x) { return x > 0.0f ? x : 0.0f; }),
    ofOne(Kind::Sigmoid, "sigmoid", Activation, sigmoid),
    ofOne(Kind::Tanh, "tanh", Activation, [](float x) { return std::tanh(x); }),
    ofOne(Kind::Exp, "exp", Exponential, [](float x) { return std::exp(x); }),
    ofOne(Kind::Log, "log", Exponential, [](float x) { return std::log(x); }),
    ofOne(Kind::Sqrt, "sqrt", Divide, [](float x) { return std::sqrt(x); }),
    ofOne(Kind::Reciprocal, "reciprocal", Divide, [](float x) { return 1.0f / x; }),
    ofOne(Kind::Neg, "neg", Add, [](float x) { return -x; }),
    ofOne(Kind::Abs, "abs", Add, [](float x) { return std::abs(x); }),
    ofOne(Kind::Round, "round", Add, [](float x) { return std::nearbyint(x); }),
    ofOne(Kind::Erf, "erf", Activation, [](float x) { return std::erf(x); }),
    ofOne(Kind::Sin, "sin", Exponential, [](float x) { return std::sin(x); }),
    ofOne(Kind::Cos, "cos", Exponential, [](float x) { return std::cos(x); }),
    ofTwo(
        Kind::Add, "add", Add, [](float a, float b) { return a + b; }, true),
    ofTwo(
        Kind::Mul, "mul", Multiply, [](float a, float b) { return a * b; }, true),
    ofTwo(
        Kind::Sub, "sub", Add, [](float a, float b) { return a - b; }, false),
    ofTwo(
        Kind::Div, "div", Divide, [](float a, float b) { return a / b; }, false),
    ofTwo(
        Kind::Max, "max", Add, [](float a, float b) { return a > b ? a : b; }, true),
    ofTwo(
        Kind::Min, "min", Add, [](float a, float b) { return a < b ? a : b; }, true),
    ofTwo(
        Kind::Pow, "pow", Exponential, [](float a, float b) { return std::pow(a, b); }, false),
    other(Kind::Rotary, "rotary", 2, 3, 3, Accumulate),  // two products and their sum
    other(Kind::Reshape, "reshape", 1, 1, 0, Move),
    other(Kind::Transpose, "transpose", 1, 1, 0, Move),
    other(Kind::Slice, "slice", 1, 1, 0, Move),
    other(Kind::Concat, "concat", 1, any_number, 0, Move),
    other(Kind::Expand, "expand", 1, 1, 0, Move),
    other(Kind::ReduceSum, "reduce sum", 1, 1, 0, Add),
    other(Kind::ReduceMean, "reduce mean", 1, 1, 1, Divide),
    other(Kind::ReduceMax, "reduce max", 1, 1, 0, Add),
    other(Kind::ReduceMin, "reduce min", 1, 1, 0, Add),
    other(Kind::Where, "where", 3, 3, 1, Add),
    other(Kind::Conv, "conv", 2, 3, 0, Accumulate),
    other(Kind::DepthwiseConv, "depthwise conv", 2, 3, 0, Accumulate),
    other(Kind::MaxPool, "max pool", 1, 1, 0, Add),
    other(Kind::AveragePool, "average pool", 1, 1, 1, Divide),
    other(Kind::Fill, "fill", 0, 0, 0, Move),
    ofOne(Kind::Floor, "floor", Add, [](float x) { return std::floor(x); }),
    ofOne(Kind::Sign, "sign", Add, signOf),
    ofTwo(
        Kind::Less, "less", Add, [](float a, float b) { return a < b ? 1.0f : 0.0f; }, false),
    ofTwo(
        Kind::Greater, "greater", Add, [](float a, float b) { return a > b ? 1.0f : 0.0f; }, false),
    ofTwo(
        Kind::Equal, "equal", Add, [](float a, float b) { return a == b ? 1.0f : 0.0f; }, true),
    other(Kind::Lookup, "lookup", 2, 2, 0, Move),
    ofOne(Kind::Atan, "atan", Exponential, [](float x) { return std::atan(x); }),
}};

constexpr bool inOrderOfKinds() {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].kind != static_cast<Kind>(i)) return false;
  return true;
}
static_assert(inOrderOfKinds(), "traitsOf() finds a kind by its number");

}  // namespace

const OperatorTraits& traitsOf(TensorOperatorKind kind) {
  return table.at(static_cast<std::size_t>(kind));
}

bool isProduct(TensorOperatorKind kind) {
  return kind == TensorOperatorKind::Linear || kind == TensorOperatorKind::BatchedMatmul ||
         kind == TensorOperatorKind::Conv || kind == TensorOperatorKind::DepthwiseConv;
}

bool hasWindow(TensorOperatorKind kind) {
  return kind == TensorOperatorKind::Conv || kind == TensorOperatorKind::DepthwiseConv ||
         kind == TensorOperatorKind::MaxPool || kind == TensorOperatorKind::AveragePool;
}

bool isReduction(TensorOperatorKind kind) {
  return kind == TensorOperatorKind::ReduceSum || kind == TensorOperatorKind::ReduceMean ||
         kind == TensorOperatorKind::ReduceMax || kind == TensorOperatorKind::ReduceMin;
}

bool hasRows(TensorOperatorKind kind) {
  return kind == TensorOperatorKind::Softmax || kind == TensorOperatorKind::LayerNorm ||
         kind == TensorOperatorKind::RmsNorm || isReduction(kind);
}

std::int64_t productCount(const TensorProgram& program, const TensorOperator& op) {
  if (!isProduct(op.kind)) return 0;
  const std::int64_t results = elementCount(program.tensors[op.output]);
  if (!hasWindow(op.kind)) return results * program.tensors[op.inputs[0]].shape.back();
  const TensorValue& weight = program.tensors[op.inputs[1]];
  return results * (elementCount(weight) / weight.shape[0]);
}

std::string_view text(TensorOperatorKind kind) {
  return traitsOf(kind).name;
}

bool isElementwise(TensorOperatorKind kind) {
  return traitsOf(kind).of_one != nullptr || traitsOf(kind).of_two != nullptr;
}

}  // namespace sluice::inline tensor

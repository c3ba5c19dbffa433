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
float sigmoid(float x) {
  return 1.0f / (1.0f + std::exp(-x));
}

constexpr OperatorTraits ofOne(std::string_view name, Arithmetic arithmetic, float (*function)(float)) {
  return {name, 1, 1, 1, arithmetic, 1, function, nullptr, false};
}
constexpr OperatorTraits ofTwo(std::string_view name, Arithmetic arithmetic, float (*function)(float, float),
                               bool commutative) {
  return {name, 1, 2, 1, arithmetic, 1, nullptr, function, commutative};
}
constexpr OperatorTraits other(std::string_view name, std::size_t least, std::size_t most,
                               std::int64_t operations, Arithmetic arithmetic, std::int64_t passes = 1) {
  return {name, least, most, operations, arithmetic, passes, nullptr, nullptr, false};
}

using enum Arithmetic;
constexpr std::size_t any_number = 256;

/// In the order of the enumeration.
constexpr std::array<OperatorTraits, tensor_operator_kinds> table{{
    other("linear", 2, 3, 0, Accumulate),
    other("batched matmul", 2, 2, 0, Accumulate),
    other("softmax", 1, 1, 5, Softmax, 3),  // maximum, subtract, exponential, sum, divide
    other("layer norm", 3, 3, 7, Norm, 3),  // sum, subtract, square, sum, scale, gain, bias
    other("rms norm", 2, 2, 4, Norm, 2),    // square, sum, scale, gain
    ofOne("gelu", Activation, gelu),
    ofOne("gelu tanh", Activation, geluTanh),
    ofOne("silu", Activation, silu),
    ofOne("relu", Add, [](float x) { return x > 0.0f ? x : 0.0f; }),
    ofOne("sigmoid", Activation, sigmoid),
    ofOne("tanh", Activation, [](float x) { return std::tanh(x); }),
    ofOne("exp", Exponential, [](float x) { return std::exp(x); }),
    ofOne("log", Exponential, [](float x) { return std::log(x); }),
    ofOne("sqrt", Divide, [](float x) { return std::sqrt(x); }),
    ofOne("reciprocal", Divide, [](float x) { return 1.0f / x; }),
    ofOne("neg", Add, [](float x) { return -x; }),
    ofOne("abs", Add, [](float x) { return std::abs(x); }),
    ofOne("erf", Activation, [](float x) { return std::erf(x); }),
    ofOne("sin", Exponential, [](float x) { return std::sin(x); }),
    ofOne("cos", Exponential, [](float x) { return std::cos(x); }),
    ofTwo(
        "add", Add, [](float a, float b) { return a + b; }, true),
    ofTwo(
        "mul", Multiply, [](float a, float b) { return a * b; }, true),
    ofTwo(
        "sub", Add, [](float a, float b) { return a - b; }, false),
    ofTwo(
        "div", Divide, [](float a, float b) { return a / b; }, false),
    ofTwo(
        "max", Add, [](float a, float b) { return a > b ? a : b; }, true),
    ofTwo(
        "min", Add, [](float a, float b) { return a < b ? a : b; }, true),
    ofTwo(
        "pow", Exponential, [](float a, float b) { return std::pow(a, b); }, false),
    other("rotary", 2, 3, 3, Accumulate),  // two products and their sum
    other("reshape", 1, 1, 0, Move),
    other("transpose", 1, 1, 0, Move),
    other("slice", 1, 1, 0, Move),
    other("concat", 1, any_number, 0, Move),
    other("expand", 1, 1, 0, Move),
    other("reduce sum", 1, 1, 0, Add),
    other("reduce mean", 1, 1, 1, Divide),
    other("reduce max", 1, 1, 0, Add),
    other("reduce min", 1, 1, 0, Add),
    other("where", 3, 3, 1, Add),
    other("conv", 2, 3, 0, Accumulate),
    other("depthwise conv", 2, 3, 0, Accumulate),
    other("max pool", 1, 1, 0, Add),
    other("average pool", 1, 1, 1, Divide),
    other("fill", 0, 0, 0, Move),
}};

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

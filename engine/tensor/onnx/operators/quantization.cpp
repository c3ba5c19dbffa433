// Quantization: numbers that are stored in fewer bits. Quantizing divides, rounds and clips; going back
// multiplies. Constants that are read back are weights, stored in few bits.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

/// The integers of a type of ONNX; empty for those that are none of few bits.
struct Bounds {
  double least, most;
};
std::optional<Bounds> boundsOf(std::int64_t type) {
  switch (type) {
    case 2:
      return Bounds{0, 255};
    case 3:
      return Bounds{-128, 127};
    case 4:
      return Bounds{0, 65535};
    case 5:
      return Bounds{-32768, 32767};
    case 21:
      return Bounds{0, 15};
    case 22:
      return Bounds{-8, 7};
    default:
      return {};
  }
}

constexpr std::int64_t uint8_type = 2;

/// Which element of a scale or zero point belongs to an element of the tensor: there is one, one for each
/// place of the axis, or one for each block along it.
std::size_t parameterOf(const OnnxInference& infer, std::size_t input, std::size_t place) {
  const OnnxShape &shape = infer.shape(0), &own = infer.shape(input);
  if (elementsIn(own) == 1) return 0;
  const std::size_t axis = infer.axis(integerOf(infer.node(), "axis", 1), shape.size());
  const std::int64_t inner =
      elementsIn({shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end()}).value_or(1);
  const auto at = static_cast<std::int64_t>(place);
  const std::int64_t index = at / inner % shape[axis], outer = at / inner / shape[axis];
  if (own.size() == 1) return static_cast<std::size_t>(index);
  const std::int64_t block = integerOf(infer.node(), "block_size", 0);
  if (block < 1 || own.size() != shape.size()) OnnxInference::giveUp();
  return static_cast<std::size_t>((outer * own[axis] + index / block) * inner + at % inner);
}

double pointOf(const OnnxInference& infer, std::size_t place) {
  return infer.given(2) ? infer.elements(2).at(parameterOf(infer, 2, place)) : 0;
}

void inferQuantize(OnnxInference& infer) {
  const std::int64_t wanted = integerOf(infer.node(), "output_dtype", 0);
  const std::int64_t type = wanted != 0 ? wanted : infer.given(2) ? infer.typeOf(2) : uint8_type;
  infer.result(0, infer.shape(0), type);
  const std::optional<Bounds> bounds = boundsOf(type);
  if (!bounds || !infer.knowsInputs()) return;
  infer.computed(0, [&](std::size_t place) {
    const double scale = infer.elements(1).at(parameterOf(infer, 1, place));
    const double whole = std::nearbyint(infer.elements(0).at(place) / scale) + pointOf(infer, place);
    return std::clamp(whole, bounds->least, bounds->most);
  });
}

void inferDequantize(OnnxInference& infer) {
  infer.result(0, infer.shape(0), infer.typeOf(1));
  infer.setStored(0, infer.typeOf(0));
  if (!infer.knowsInputs()) return;
  infer.computed(0, [&](std::size_t place) {
    const double scale = infer.elements(1).at(parameterOf(infer, 1, place));
    return (infer.elements(0).at(place) - pointOf(infer, place)) * scale;
  });
}

void inferDynamicQuantize(OnnxInference& infer) {
  infer.result(0, infer.shape(0), uint8_type);
  infer.result(1, {}, infer.typeOf(0));
  infer.result(2, {}, uint8_type);
}

/// Operators one after the other on a tensor, each with a name of its own.
class Steps {
 public:
  /// `scalar`: of what lies between them.
  Steps(OnnxConverter& to, const OnnxNode& node, std::size_t x, Scalar scalar)
      : to_(to), node_(node), shape_(to.at(x).shape), scalar_(scalar), x_(x) {}

  /// Empty: nothing left to be done.
  void with(Kind kind, std::optional<double> number = {}, std::optional<std::size_t> operand = {}) {
    finish();
    last_ = TensorOperator{{}, kind, {x_}, 0, false, {}, {}, {}};
    if (number) last_->number = static_cast<float>(*number);
    if (operand) last_->inputs.push_back(*operand);
  }
  /// With a scale or a zero point: a number, or one for each place of the axis.
  void withParameter(Kind kind, const std::string& parameter) {
    if (const std::optional<double> number = to_.number(parameter)) return with(kind, *number);
    with(kind, {}, spread(parameter));
  }
  void clip(const Bounds& bounds) {
    with(Kind::Max, bounds.least);
    with(Kind::Min, bounds.most);
  }
  void apply(std::size_t output = 0) {
    if (last_) return to_.apply(node_, *std::exchange(last_, {}), shape_, output);
    to_.give(node_, x_, output);
  }
  std::size_t finish() {
    if (last_) {
      const std::string name = node_.outputs[0] + " step " + std::to_string(++count_);
      last_->name = name;
      x_ = to_.add(*std::exchange(last_, {}), name, shape_, scalar_);
    }
    return x_;
  }

 private:
  std::size_t spread(const std::string& parameter) {
    const OnnxShape own = to_.shape(parameter);
    if (elementsIn(own) == 1) return to_.repeated(parameter, shape_, node_.outputs[0] + " " + parameter);
    const std::optional<std::size_t> axis = dimensionOf(integerOf(node_, "axis", 1), shape_.size());
    if (own.size() != 1 || !axis || own[0] != shape_[*axis] || integerOf(node_, "block_size", 0) != 0)
      throw OnnxUnknown("its scales are of blocks");
    OnnxShape column(shape_.size() - *axis, 1);
    column[0] = own[0];
    return to_.expanded(to_.viewed(parameter, column),
                        {shape_.begin() + static_cast<std::ptrdiff_t>(*axis), shape_.end()},
                        node_.outputs[0] + " " + parameter + " spread");
  }

  OnnxConverter& to_;
  const OnnxNode& node_;
  OnnxShape shape_;
  Scalar scalar_;
  std::size_t x_;
  std::optional<TensorOperator> last_;
  int count_ = 0;
};

bool hasPoint(const OnnxConverter& to, const OnnxNode& node) {
  return node.inputs.size() > 2 && !node.inputs[2].empty() && to.number(node.inputs[2]) != 0;
}

void quantize(OnnxConverter& to, const OnnxNode& node) {
  if (node.inputs.size() < 2) throw OnnxUnknown("it has no scale");
  const OnnxValue* const result = to.value(node.outputs[0]);
  const std::optional<Bounds> bounds = boundsOf(result ? result->type : 0);
  if (!bounds) throw OnnxUnknown("it does not make integers of few bits");
  Steps steps(to, node, to.tensor(node.inputs[0]), to.scalar(node.inputs[0]));
  steps.withParameter(Kind::Div, node.inputs[1]);
  steps.with(Kind::Round);
  if (hasPoint(to, node)) steps.withParameter(Kind::Add, node.inputs[2]);
  steps.clip(*bounds);
  steps.apply();
}

void dequantize(OnnxConverter& to, const OnnxNode& node) {
  if (node.inputs.size() < 2) throw OnnxUnknown("it has no scale");
  Steps steps(to, node, to.tensor(node.inputs[0]), to.scalar(node.inputs[1]));
  if (hasPoint(to, node)) steps.withParameter(Kind::Sub, node.inputs[2]);
  steps.withParameter(Kind::Mul, node.inputs[1]);
  steps.apply();
}

/// The scale and the zero point follow from the largest and the smallest number, 0 being between them.
void dynamicQuantize(OnnxConverter& to, const OnnxNode& node) {
  if (node.outputs.size() != 3 || node.outputs[1].empty() || node.outputs[2].empty())
    throw OnnxUnknown("it does not have three results");
  const OnnxShape shape = to.shape(node.inputs[0]);
  const std::string& result = node.outputs[0];
  const Scalar float_scalar = to.scalar(node.inputs[0]);
  const std::size_t x = to.tensor(node.inputs[0]);
  const std::size_t all = to.reshaped(x, {elementsIn(shape).value_or(0)}, result + " in a row");
  const auto extreme = [&](Kind reduction, Kind with_zero, const std::string& name) {
    const std::size_t found = to.step({{}, reduction, {all}, 0, false, {}, {}, {}}, result + " " + name, {1});
    TensorOperator op{{}, with_zero, {found}, 0, false, {}, {}, {}};
    op.number = 0;
    return to.step(std::move(op), result + " " + name + " or 0", {1});
  };
  const std::size_t most = extreme(Kind::ReduceMax, Kind::Max, "largest");
  const std::size_t least = extreme(Kind::ReduceMin, Kind::Min, "smallest");
  OnnxNode part = node;  // for names of steps
  part.outputs[0] = result + " scale";
  Steps scale(to, part, most, float_scalar);
  scale.with(Kind::Sub, {}, least);
  scale.with(Kind::Div, 255);
  scale.with(Kind::Max, std::numeric_limits<float>::min());  // of zeros alone
  const std::size_t scales = scale.finish();
  to.give(node, scales, 1);
  part.outputs[0] = result + " zero point";
  Steps point(to, part, least, float_scalar);
  point.with(Kind::Neg);
  point.with(Kind::Div, {}, scales);
  point.clip({0, 255});
  point.with(Kind::Round);
  point.apply(2);
  Steps steps(to, node, x, float_scalar);
  steps.withParameter(Kind::Div, node.outputs[1]);
  steps.with(Kind::Round);
  steps.withParameter(Kind::Add, node.outputs[2]);
  steps.clip({0, 255});
  steps.apply();
}

/// MatMulNBits(A, B, scales ...): B is [N, blocks, bytes] for a matrix of K x N.
void inferNBits(OnnxInference& infer) {
  OnnxShape shape = infer.shape(0);
  const std::int64_t columns = integerOf(infer.node(), "N", 0);
  if (shape.empty() || columns < 1) OnnxInference::giveUp();
  shape.back() = columns;
  infer.result(0, shape);
}

/// Bits `at * bits` to `(at + 1) * bits` of a row of bytes, the lowest ones first.
double packed(const std::vector<double>& bytes, std::size_t row, std::size_t at, std::size_t bits) {
  const auto byte = static_cast<unsigned>(bytes.at(row + at * bits / 8));
  return static_cast<double>(byte >> (at * bits % 8) & ((1u << bits) - 1));
}

/// The matrix of K x N numbers that a MatMulNBits multiplies with. Zero points are packed like the weight, or
/// one number each.
void inferDequantizeNBits(OnnxInference& infer) {
  const OnnxNode& node = infer.node();
  const std::int64_t columns = integerOf(node, "N", 0), depth = integerOf(node, "K", 0),
                     bits = integerOf(node, "bits", 4), block = integerOf(node, "block_size", 0);
  if (columns < 1 || depth < 1 || block < 1 || (bits != 2 && bits != 4 && bits != 8)) OnnxInference::giveUp();
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (columns > most || depth > most || block > most) OnnxInference::giveUp();
  infer.result(0, {depth, columns}, infer.typeOf(1));
  constexpr std::int64_t uint4_type = 21;
  if (bits >= 4) infer.setStored(0, bits == 4 ? uint4_type : uint8_type);
  if (!infer.knowsInputs()) return;
  const auto wide = static_cast<std::size_t>(bits), per_byte = 8 / wide;
  const auto blocks = static_cast<std::size_t>((depth + block - 1) / block);
  const std::size_t row = blocks * ((static_cast<std::size_t>(block) + per_byte - 1) / per_byte);
  const std::size_t points = (blocks + per_byte - 1) / per_byte;
  const bool packs = infer.given(2) && infer.typeOf(2) == uint8_type;
  infer.computed(0, [&](std::size_t place) {
    const std::size_t n = place % static_cast<std::size_t>(columns),
                      k = place / static_cast<std::size_t>(columns);
    const std::size_t own = k / static_cast<std::size_t>(block);
    double point = static_cast<double>(1u << (wide - 1));
    if (packs)
      point = packed(infer.elements(2), n * points, own, wide);
    else if (infer.given(2))
      point = infer.elements(2).at(n * blocks + own);
    return (packed(infer.elements(0), n * row, k, wide) - point) * infer.elements(1).at(n * blocks + own);
  });
}

/// A linear layer whose weight has few bits, in an order of its own; the blocks' scales stay out.
void matmulNBits(OnnxConverter& to, const OnnxNode& node) {
  const std::int64_t columns = integerOf(node, "N", 0), depth = integerOf(node, "K", 0),
                     bits = integerOf(node, "bits", 4);
  if (node.inputs.size() < 3 || columns < 1 || depth < 1) throw OnnxUnknown("its sizes are not given");
  if (bits != 2 && bits != 4 && bits != 8) throw OnnxUnknown("its weight has neither 2, 4 nor 8 bits");
  if (!to.constant(node.inputs[1])) throw OnnxUnknown("its weight is no constant");
  const std::size_t weight = to.ownWeight(node.inputs[1] + " dequantized", {columns, depth},
                                          Scalar{Scalar::Format::Signless, static_cast<std::uint16_t>(bits)});
  OnnxShape shape = to.shape(node.inputs[0]);
  if (shape.empty()) throw OnnxUnknown("its input has no dimensions");
  shape.back() = columns;
  to.tell(note("approximated", placeOf(node),
               "the scales and zero points of its weight are taken as part of the weight",
               "its values, where they matter, are those of '" + node.inputs[1] + " dequantized'"));
  to.apply(node, {{}, TensorOperatorKind::Linear, {to.tensor(node.inputs[0]), weight}, 0, false, {}, {}, {}},
           shape);
}

}  // namespace

std::span<const OnnxOperator> quantizationOfOnnx() {
  static constexpr OnnxOperator all[] = {
      {"QuantizeLinear", inferQuantize, quantize},
      {"DequantizeLinear", inferDequantize, dequantize},
      {"DynamicQuantizeLinear", inferDynamicQuantize, dynamicQuantize, true},
      {"DequantizeNBits", inferDequantizeNBits, nullptr},
      {"MatMulNBits", inferNBits, matmulNBits}};
  return all;
}

}  // namespace sluice::inline tensor

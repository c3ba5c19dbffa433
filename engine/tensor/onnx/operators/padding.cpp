// Pad: what surrounds a tensor is filled with a number, and put together with it.

#include <algorithm>

#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

/// Of each dimension: how many elements come before and behind it; below 0 they are taken away.
struct Padding {
  OnnxShape before, behind;
};

/// `axes`: the dimensions that `pads` is about, all where there are none. Empty: they do not go together.
std::optional<Padding> paddingOf(std::size_t rank, const OnnxShape& pads,
                                 const std::optional<OnnxShape>& axes) {
  Padding padding{OnnxShape(rank, 0), OnnxShape(rank, 0)};
  const std::size_t count = axes ? axes->size() : rank;
  if (pads.size() != 2 * count) return {};
  constexpr std::int64_t most = 1 << 30;
  for (const std::int64_t pad : pads)
    if (pad > most || pad < -most) return {};
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<std::size_t> axis =
        dimensionOf(axes ? (*axes)[i] : static_cast<std::int64_t>(i), rank);
    if (!axis) return {};
    padding.before[*axis] = pads[i];
    padding.behind[*axis] = pads[count + i];
  }
  return padding;
}

void inferPad(OnnxInference& infer) {
  OnnxShape shape = infer.shape(0);
  const std::optional<OnnxShape> pads = infer.list("pads", 1), axes = infer.list("axes", 3);
  const auto padding = pads ? paddingOf(shape.size(), *pads, axes) : std::nullopt;
  if (!padding) OnnxInference::giveUp();
  for (std::size_t k = 0; k < shape.size(); ++k) {
    shape[k] += padding->before[k] + padding->behind[k];
    if (shape[k] < 0) OnnxInference::giveUp();
  }
  infer.result(0, shape);
}

/// What is taken away goes first.
std::size_t trimmed(OnnxConverter& to, std::size_t x, std::size_t axis, std::int64_t before,
                    std::int64_t behind, const std::string& result) {
  const std::int64_t front = std::max<std::int64_t>(0, -before), back = std::max<std::int64_t>(0, -behind);
  if (front == 0 && back == 0) return x;
  const std::int64_t left = to.at(x).shape[axis] - front - back;
  if (left < 1) throw OnnxUnknown("it leaves nothing");
  return to.sliced(x, axis, front, left, result + " without what it loses along " + std::to_string(axis));
}

std::size_t surrounded(OnnxConverter& to, std::size_t x, std::size_t axis, std::int64_t before,
                       std::int64_t behind, double number, const std::string& result) {
  OnnxShape shape = to.at(x).shape;
  const auto filled = [&](std::int64_t count, const std::string& side) {
    const std::string name = result + side + std::to_string(axis);
    TensorOperator fill{name, Kind::Fill, {}, 0, false, {}, {}, {}};
    fill.number = static_cast<float>(number);
    OnnxShape part = shape;
    part[axis] = count;
    return to.add(std::move(fill), name, part, to.at(x).scalar);
  };
  TensorOperator op{{}, Kind::Concat, {}, 0, false, {}, {}, {}};
  op.axis = axis;
  if (before > 0) op.inputs.push_back(filled(before, " before "));
  op.inputs.push_back(x);
  if (behind > 0) op.inputs.push_back(filled(behind, " behind "));
  if (op.inputs.size() == 1) return x;
  shape[axis] += std::max<std::int64_t>(0, before) + std::max<std::int64_t>(0, behind);
  const Scalar scalar = to.at(x).scalar;
  return to.add(std::move(op), result + " padded along " + std::to_string(axis), shape, scalar);
}

void pad(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape from = to.shape(node.inputs[0]);
  const auto mode = node.texts.find("mode");
  const std::optional<OnnxShape> pads = to.list(node, "pads", 1), axes = to.list(node, "axes", 3);
  const auto padding = pads ? paddingOf(from.size(), *pads, axes) : std::nullopt;
  if (!padding) throw OnnxUnknown("its numbers do not go together");
  const auto none = [](const OnnxShape& list) { return std::ranges::count(list, 0) == std::ssize(list); };
  if (none(padding->before) && none(padding->behind)) return to.pass(node);
  if (mode != node.texts.end() && mode->second != "constant")
    throw OnnxUnknown("what it fills in is no constant, but '" + mode->second + "'");
  double number = numberOf(node, "value", 0);
  if (node.inputs.size() > 2 && !node.inputs[2].empty()) {
    const std::optional<double> given = to.number(node.inputs[2]);
    if (!given) throw OnnxUnknown("the number that it fills in is not known");
    number = *given;
  }
  std::size_t x = to.tensor(node.inputs[0]);
  for (std::size_t k = 0; k < from.size(); ++k)
    x = trimmed(to, x, k, padding->before[k], padding->behind[k], node.outputs[0]);
  for (std::size_t k = 0; k < from.size(); ++k)
    x = surrounded(to, x, k, padding->before[k], padding->behind[k], number, node.outputs[0]);
  to.give(node, x);
}

}  // namespace

std::span<const OnnxOperator> paddingOfOnnx() {
  static constexpr OnnxOperator all[] = {{"Pad", inferPad, pad}};
  return all;
}

}  // namespace sluice::inline tensor

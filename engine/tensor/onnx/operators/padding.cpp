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

/// What stands around a tensor.
struct Margin {
  std::string mode = "constant";  ///< or "edge", "reflect", "wrap"
  double number = 0;              ///< of a constant one
};

/// The tensors that stand on one side, in their order.
std::vector<std::size_t> marginOf(OnnxConverter& to, std::size_t x, std::size_t axis, bool before,
                                  std::int64_t count, const Margin& margin, const std::string& result) {
  OnnxShape part = to.at(x).shape;
  const std::int64_t extent = part[axis];
  const std::string name = result + (before ? " before " : " behind ") + std::to_string(axis);
  part[axis] = count;
  if (count < 1) return {};
  if (margin.mode == "constant") {
    TensorOperator fill{name, Kind::Fill, {}, 0, false, {}, {}, {}};
    fill.number = static_cast<float>(margin.number);
    return {to.add(std::move(fill), name, part, to.at(x).scalar)};
  }
  if (margin.mode == "edge")
    return {to.expanded(to.sliced(x, axis, before ? 0 : extent - 1, 1, name + " edge"), part, name)};
  constexpr std::int64_t most = 256;
  if (count > std::min(most, margin.mode == "wrap" ? extent : extent - 1))
    throw OnnxUnknown("it repeats more elements than there are, or more than 256");
  if (margin.mode == "wrap") return {to.sliced(x, axis, before ? extent - count : 0, count, name)};
  std::vector<std::size_t> parts;  // the order of neighbours turns
  for (std::int64_t i = 0; i < count; ++i)
    parts.push_back(
        to.sliced(x, axis, before ? count - i : extent - 2 - i, 1, name + " " + std::to_string(i)));
  return parts;
}

std::size_t surrounded(OnnxConverter& to, std::size_t x, std::size_t axis, std::int64_t before,
                       std::int64_t behind, const Margin& margin, const std::string& result) {
  OnnxShape shape = to.at(x).shape;
  TensorOperator op{{}, Kind::Concat, marginOf(to, x, axis, true, before, margin, result), 0, false, {}, {},
                    {}};
  op.axis = axis;
  op.inputs.push_back(x);
  for (const std::size_t part : marginOf(to, x, axis, false, behind, margin, result))
    op.inputs.push_back(part);
  if (op.inputs.size() == 1) return x;
  shape[axis] += std::max<std::int64_t>(0, before) + std::max<std::int64_t>(0, behind);
  const Scalar scalar = to.at(x).scalar;
  return to.add(std::move(op), result + " padded along " + std::to_string(axis), shape, scalar);
}

std::size_t withMargins(OnnxConverter& to, std::size_t x, const Padding& padding, const Margin& margin,
                        const std::string& result) {
  for (std::size_t k = 0; k < padding.before.size(); ++k)
    x = trimmed(to, x, k, padding.before[k], padding.behind[k], result);
  for (std::size_t k = 0; k < padding.before.size(); ++k)
    x = surrounded(to, x, k, padding.before[k], padding.behind[k], margin, result);
  return x;
}

void pad(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape from = to.shape(node.inputs[0]);
  const auto mode = node.texts.find("mode");
  const std::optional<OnnxShape> pads = to.list(node, "pads", 1), axes = to.list(node, "axes", 3);
  const auto padding = pads ? paddingOf(from.size(), *pads, axes) : std::nullopt;
  if (!padding) throw OnnxUnknown("its numbers do not go together");
  const auto none = [](const OnnxShape& list) { return std::ranges::count(list, 0) == std::ssize(list); };
  if (none(padding->before) && none(padding->behind)) return to.pass(node);
  Margin margin;
  if (mode != node.texts.end()) margin.mode = mode->second;
  const auto isLess = [](const OnnxShape& list) { return std::ranges::min(list) < 0; };
  if (margin.mode != "constant" && (isLess(padding->before) || isLess(padding->behind)))
    throw OnnxUnknown("it takes elements away and repeats others");
  if (margin.mode != "constant" && margin.mode != "edge" && margin.mode != "reflect" && margin.mode != "wrap")
    throw OnnxUnknown("what it fills in is '" + margin.mode + "'");
  margin.number = numberOf(node, "value", 0);
  if (node.inputs.size() > 2 && !node.inputs[2].empty()) {
    const std::optional<double> given = to.number(node.inputs[2]);
    if (!given) throw OnnxUnknown("the number that it fills in is not known");
    margin.number = *given;
  }
  to.give(node, withMargins(to, to.tensor(node.inputs[0]), *padding, margin, node.outputs[0]));
}

/// Cropped or padded with zeros to `wanted` extents of the dimensions, as much on both sides; where that is
/// odd, one more behind, or one less of what is taken away.
std::optional<Padding> centredOn(const OnnxShape& from, const OnnxShape& wanted,
                                 const std::optional<OnnxShape>& axes) {
  Padding padding{OnnxShape(from.size(), 0), OnnxShape(from.size(), 0)};
  if (wanted.size() != (axes ? axes->size() : from.size())) return {};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto axis = dimensionOf(axes ? (*axes)[i] : static_cast<std::int64_t>(i), from.size());
    if (!axis || wanted[i] < 1) return {};
    const std::int64_t more = wanted[i] - from[*axis];
    padding.before[*axis] = more / 2;
    padding.behind[*axis] = more - more / 2;
  }
  return padding;
}

std::optional<OnnxShape> axesOf(const OnnxNode& node) {
  const auto list = node.lists.find("axes");
  return list == node.lists.end() ? std::nullopt : std::optional(list->second);
}

void inferCentreCropPad(OnnxInference& infer) {
  OnnxShape shape = infer.shape(0);
  const auto padding = centredOn(shape, infer.integers(1), axesOf(infer.node()));
  if (!padding) OnnxInference::giveUp();
  for (std::size_t k = 0; k < shape.size(); ++k) shape[k] += padding->before[k] + padding->behind[k];
  infer.result(0, shape);
}

void centreCropPad(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape from = to.shape(node.inputs[0]);
  const std::optional<OnnxShape> wanted = node.inputs.size() > 1 ? to.integers(node.inputs[1]) : std::nullopt;
  const auto padding = wanted ? centredOn(from, *wanted, axesOf(node)) : std::nullopt;
  if (!padding) throw OnnxUnknown("the shape that it gives is not known");
  to.give(node, withMargins(to, to.tensor(node.inputs[0]), *padding, {}, node.outputs[0]));
}

}  // namespace

std::span<const OnnxOperator> paddingOfOnnx() {
  static constexpr OnnxOperator all[] = {{"Pad", inferPad, pad},
                                         {"CenterCropPad", inferCentreCropPad, centreCropPad}};
  return all;
}

}  // namespace sluice::inline tensor

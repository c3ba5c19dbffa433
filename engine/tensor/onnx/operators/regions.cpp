// Operators that take parts of tensors and put tensors together: Slice, Split, Concat.

#include <algorithm>
#include <numeric>

#include "engine/itensor/itensor.h"
#include "engine/itensor/itensor_text.h"
#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"
#include "engine/tensor/onnx/operators/lookups.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

/// Of one dimension: from `begin` on, every `step`th.
struct Range {
  std::int64_t begin = 0, step = 1, count = 0;
};

Range rangeOf(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t extent) {
  if (start < 0) start += extent;
  if (end < 0) end += extent;
  start = std::clamp<std::int64_t>(start, 0, step > 0 ? extent : extent - 1);
  end = std::clamp<std::int64_t>(end, step > 0 ? 0 : -1, extent);
  const std::int64_t distance = step > 0 ? end - start : start - end;
  const std::int64_t stride = step > 0 ? step : -step;
  return {start, step, distance <= 0 ? 0 : (distance + stride - 1) / stride};
}

/// The ranges of a Slice, one for each dimension. Empty: its numbers do not go together.
std::optional<std::vector<Range>> rangesOf(const OnnxShape& from, const OnnxShape& starts,
                                           const OnnxShape& ends, std::optional<OnnxShape> axes,
                                           std::optional<OnnxShape> steps) {
  std::vector<Range> ranges;
  for (const std::int64_t extent : from) ranges.push_back({0, 1, extent});
  if (!axes) {
    axes.emplace(starts.size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!steps) steps.emplace(starts.size(), 1);
  if (ends.size() != starts.size() || axes->size() != starts.size() || steps->size() != starts.size())
    return {};
  constexpr std::int64_t most = std::int64_t{1} << 61;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::optional<std::size_t> axis = dimensionOf((*axes)[i], from.size());
    if (!axis || (*steps)[i] == 0 || std::max((*steps)[i], -(*steps)[i]) > most) return {};
    ranges[*axis] = rangeOf(std::clamp(starts[i], -most, most), std::clamp(ends[i], -most, most), (*steps)[i],
                            from[*axis]);
  }
  return ranges;
}

void inferSlice(OnnxInference& infer) {
  const std::optional<OnnxShape> starts = infer.list("starts", 1), ends = infer.list("ends", 2);
  if (!starts || !ends) OnnxInference::giveUp();
  const auto ranges = rangesOf(infer.shape(0), *starts, *ends, infer.list("axes", 3), infer.list("steps", 4));
  if (!ranges) OnnxInference::giveUp();
  OnnxShape shape;
  for (const Range& range : *ranges) shape.push_back(range.count);
  infer.result(0, shape);
  infer.moved(0, [&](OnnxShape index) {
    for (std::size_t k = 0; k < index.size(); ++k)
      index[k] = (*ranges)[k].begin + index[k] * (*ranges)[k].step;
    return index;
  });
}

/// Every `step`th element: groups of so many, of which the first ones are kept. Where the last group lies
/// partly outside, they begin earlier, so that it ends with the tensor, or the tensor is made longer.
std::size_t stepped(OnnxConverter& to, std::size_t tensor, std::size_t axis, const Range& range,
                    const std::string& result) {
  const std::int64_t extent = to.at(tensor).shape.at(axis), length = range.count * range.step;
  std::int64_t begin = range.begin, first = 0;
  if (begin + length > extent && extent >= length) {
    first = begin + length - extent;
    begin = extent - length;
  } else if (begin + length > extent) {
    OnnxShape missing = to.at(tensor).shape;
    missing[axis] = begin + length - extent;
    const std::string name = result + " rest";
    const std::size_t rest =
        to.add({name, Kind::Fill, {}, 0, false, {}, {}, {}}, name, missing, to.at(tensor).scalar);
    TensorOperator op{{}, Kind::Concat, {tensor, rest}, 0, false, {}, {}, {}};
    op.axis = axis;
    missing[axis] += extent;
    tensor = to.step(std::move(op), result + " with a rest", missing);
  }
  tensor = to.sliced(tensor, axis, begin, length, result + " of whole groups");
  OnnxShape groups = to.at(tensor).shape;
  groups[axis] = range.count;
  const OnnxShape wanted = groups;
  groups.insert(groups.begin() + static_cast<std::ptrdiff_t>(axis) + 1, range.step);
  tensor = to.reshaped(tensor, groups, result + " in groups");
  return to.reshaped(to.sliced(tensor, axis + 1, first, 1, result + " of groups"), wanted, result);
}

OnnxShape listOf(OnnxConverter& to, const OnnxNode& node, const std::string& attribute, std::size_t input) {
  const std::optional<OnnxShape> list = to.list(node, attribute, input);
  if (!list) throw OnnxUnknown("its " + attribute + " are not given");
  return *list;
}

void slice(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape from = to.shape(node.inputs[0]);
  const auto ranges = rangesOf(from, listOf(to, node, "starts", 1), listOf(to, node, "ends", 2),
                               to.list(node, "axes", 3), to.list(node, "steps", 4));
  if (!ranges) throw OnnxUnknown("its numbers do not go together");
  std::size_t x = to.tensor(node.inputs[0]);
  std::vector<std::size_t> cut;
  for (std::size_t k = 0; k < from.size(); ++k) {
    const Range& range = (*ranges)[k];
    if (range.count == 0) throw OnnxUnknown("it takes nothing");
    if (range.count != from[k] || (range.step < 0 && range.count > 1)) cut.push_back(k);
  }
  if (cut.empty()) return to.pass(node);
  for (const std::size_t k : cut) {
    const Range& range = (*ranges)[k];
    const std::string result = node.outputs[0] + (k == cut.back() ? "" : " along " + std::to_string(k));
    if (range.step < 0 && range.count > 1) {
      constexpr std::int64_t most_turned = std::int64_t{1} << 20;
      if (range.count > most_turned) throw OnnxUnknown("it turns the order of more than 2^20 elements");
      OnnxShape places;
      for (std::int64_t i = 0; i < range.count; ++i) places.push_back(range.begin + i * range.step);
      x = lookups::Lookup(to, result).takenAlong(x, k, places);
      continue;
    }
    x = range.step > 1 && range.count > 1 ? stepped(to, x, k, range, result)
                                          : to.sliced(x, k, range.begin, range.count, result);
  }
  to.give(node, x);
}

/// How many each result of a Split has.
OnnxShape splitExtents(std::int64_t extent, std::size_t results, const std::optional<OnnxShape>& given) {
  if (given) return *given;
  const auto count = static_cast<std::int64_t>(results);
  const std::int64_t part = count == 0 ? 0 : quotientUp(extent, count);
  OnnxShape parts(results, part);
  if (!parts.empty()) parts.back() = extent - part * (count - 1);
  return parts;
}

void inferSplit(OnnxInference& infer) {
  const OnnxShape from = infer.shape(0);
  const std::size_t axis = infer.axis(integerOf(infer.node(), "axis", 0), from.size());
  const OnnxShape parts = splitExtents(from[axis], infer.outputs(), infer.list("split", 1));
  if (parts.size() != infer.outputs() || elementsIn(parts).value_or(0) == 0 ||
      std::accumulate(parts.begin(), parts.end(), std::int64_t{0}) != from[axis])
    OnnxInference::giveUp();
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < parts.size(); begin += parts[i++]) {
    OnnxShape shape = from;
    shape[axis] = parts[i];
    infer.result(i, shape);
    infer.moved(i, [&](OnnxShape index) {
      index[axis] += begin;
      return index;
    });
  }
}

void split(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape from = to.shape(node.inputs[0]);
  const std::optional<std::size_t> axis = dimensionOf(integerOf(node, "axis", 0), from.size());
  if (!axis) throw OnnxUnknown("its axis is no dimension of its input");
  const OnnxShape parts = splitExtents(from[*axis], node.outputs.size(), to.list(node, "split", 1));
  if (parts.size() != node.outputs.size() ||
      std::accumulate(parts.begin(), parts.end(), std::int64_t{0}) != from[*axis])
    throw OnnxUnknown("its parts are not as many as its results, or do not make up its input");
  const std::size_t x = to.tensor(node.inputs[0]);
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < parts.size(); begin += parts[i++])
    if (!node.outputs[i].empty() && to.isRead(node.outputs[i]))
      to.give(node, to.sliced(x, *axis, begin, parts[i], node.outputs[i]), i);
}

void inferConcat(OnnxInference& infer) {
  OnnxShape shape = infer.shape(0);
  const std::size_t axis = infer.axis(integerOf(infer.node(), "axis", 0), shape.size());
  for (std::size_t i = 1; i < infer.inputs(); ++i) {
    const OnnxShape& other = infer.shape(i);
    if (other.size() != shape.size()) OnnxInference::giveUp();
    shape[axis] += other[axis];
    if (shape[axis] > most_itensor_size) OnnxInference::giveUp();
  }
  infer.result(0, shape);
  if (!infer.knowsInputs() || elementsIn(shape).value_or(0) > infer.mostElements()) return;
  const std::int64_t outer =
      elementsIn({shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis)}).value_or(0);
  std::vector<double> elements;
  for (std::int64_t i = 0; i < outer; ++i)
    for (std::size_t part = 0; part < infer.inputs(); ++part) {
      const std::vector<double>& own = infer.elements(part);
      const auto length = static_cast<std::ptrdiff_t>(own.size()) / outer;
      elements.insert(elements.end(), own.begin() + i * length, own.begin() + (i + 1) * length);
    }
  infer.setElements(0, std::move(elements));
}

void concat(OnnxConverter& to, const OnnxNode& node) {
  OnnxShape shape = to.shape(node.inputs[0]);
  const std::optional<std::size_t> axis = dimensionOf(integerOf(node, "axis", 0), shape.size());
  if (!axis) throw OnnxUnknown("its axis is no dimension of its inputs");
  TensorOperator op{{}, Kind::Concat, {}, 0, false, {}, {}, {}};
  op.axis = *axis;
  shape[*axis] = 0;
  for (const std::string& name : node.inputs) {
    const OnnxShape part = to.shape(name);
    if (part.size() != shape.size()) throw OnnxUnknown("its inputs have different ranks");
    if (elementsIn(part) == 0) continue;
    shape[*axis] += part[*axis];
    op.inputs.push_back(to.tensor(name));
  }
  if (op.inputs.size() == 1) return to.give(node, op.inputs[0]);
  to.apply(node, std::move(op), shape);
}

}  // namespace

std::span<const OnnxOperator> regionsOfOnnx() {
  static constexpr OnnxOperator all[] = {
      {"Slice", inferSlice, slice}, {"Split", inferSplit, split, true}, {"Concat", inferConcat, concat}};
  return all;
}

}  // namespace sluice::inline tensor

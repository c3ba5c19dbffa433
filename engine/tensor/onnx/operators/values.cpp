// Operators whose results are known from shapes alone, and those of which only the shape is known.

#include <algorithm>

#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

void inferShape(OnnxInference& infer) {
  const OnnxShape& shape = infer.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto bound = [&](const char* name, std::int64_t otherwise) {
    const std::int64_t given = integerOf(infer.node(), name, otherwise);
    return std::clamp<std::int64_t>(given < 0 ? given + rank : given, 0, rank);
  };
  const std::int64_t begin = bound("start", 0), end = std::max(begin, bound("end", rank));
  const std::vector<double> part(shape.begin() + begin, shape.begin() + end);
  infer.result(0, {end - begin}, onnx_int64);
  infer.setElements(0, part);
}

void inferSize(OnnxInference& infer) {
  const std::optional<std::int64_t> size = elementsIn(infer.shape(0));
  if (!size) OnnxInference::giveUp();
  infer.result(0, {}, onnx_int64);
  infer.setElements(0, {static_cast<double>(*size)});
}

void inferConstantOfShape(OnnxInference& infer) {
  const OnnxShape shape = infer.integers(0);
  infer.result(0, shape, integerOf(infer.node(), "type of value", onnx_float));
  const double number = numberOf(infer.node(), "value", 0);
  if (!infer.node().texts.contains("value is unread")) infer.computed(0, [&](std::size_t) { return number; });
}

void inferRange(OnnxInference& infer) {
  const double start = infer.elements(0).at(0), limit = infer.elements(1).at(0),
               delta = infer.elements(2).at(0);
  const double steps = delta == 0 ? 0 : (limit - start) / delta;
  if (!(steps >= 0 && steps < 1e9)) OnnxInference::giveUp();
  const auto whole = static_cast<std::int64_t>(steps);
  infer.result(0, {whole + (static_cast<double>(whole) < steps ? 1 : 0)});
  infer.computed(0, [&](std::size_t i) { return start + static_cast<double>(i) * delta; });
}

void inferSame(OnnxInference& infer) {
  infer.result(0, infer.shape(0));
}

/// Elements of the data that one index of GatherND and ScatterND names.
std::int64_t partLength(const OnnxShape& data, const OnnxShape& indices) {
  return elementsIn({data.begin() + indices.back(), data.end()}).value_or(0);
}

/// Where they begin, for each index.
std::vector<std::int64_t> partsOf(const OnnxInference& infer, const OnnxShape& data,
                                  const OnnxShape& indices) {
  const OnnxShape numbers = infer.integers(1);
  const auto depth = static_cast<std::size_t>(indices.back());
  if (depth == 0) OnnxInference::giveUp();
  std::vector<std::int64_t> parts;
  for (std::size_t i = 0; i + depth <= numbers.size(); i += depth) {
    std::int64_t at = 0;
    for (std::size_t k = 0; k < depth; ++k) {
      const auto index = dimensionOf(numbers[i + k], static_cast<std::size_t>(data[k]));
      if (!index) OnnxInference::giveUp();
      at = at * data[k] + static_cast<std::int64_t>(*index);
    }
    parts.push_back(at * partLength(data, indices));
  }
  return parts;
}

/// Of the indices, with what an index leaves of the data.
void inferGatherND(OnnxInference& infer) {
  const OnnxShape &data = infer.shape(0), &indices = infer.shape(1);
  if (indices.empty() || integerOf(infer.node(), "batch_dims", 0) != 0 || indices.back() < 0 ||
      std::cmp_greater(indices.back(), data.size()))
    OnnxInference::giveUp();
  OnnxShape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), data.begin() + indices.back(), data.end());
  infer.result(0, shape);
  if (!infer.knowsInputs()) return;
  const std::vector<std::int64_t> parts = partsOf(infer, data, indices);
  const std::int64_t length = partLength(data, indices);
  infer.computed(0, [&](std::size_t place) {
    const auto at = static_cast<std::int64_t>(place);
    return infer.elements(0).at(
        static_cast<std::size_t>(parts.at(static_cast<std::size_t>(at / length)) + at % length));
  });
}

/// The data, with what the indices name replaced.
void inferScatterND(OnnxInference& infer) {
  const OnnxShape &data = infer.shape(0), &indices = infer.shape(1);
  infer.result(0, data);
  const auto how = infer.node().texts.find("reduction");
  if (!infer.knowsInputs() || indices.empty() || indices.back() < 0 ||
      std::cmp_greater(indices.back(), data.size()) ||
      (how != infer.node().texts.end() && how->second != "none"))
    return;
  const std::vector<std::int64_t> parts = partsOf(infer, data, indices);
  const std::int64_t length = partLength(data, indices);
  std::vector<double> elements = infer.elements(0);
  const std::vector<double>& updates = infer.elements(2);
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::int64_t k = 0; k < length; ++k)
      elements.at(static_cast<std::size_t>(parts[i] + k)) =
          updates.at(i * static_cast<std::size_t>(length) + static_cast<std::size_t>(k));
  infer.setElements(0, std::move(elements));
}

}  // namespace

std::span<const OnnxOperator> valuesOfOnnx() {
  static constexpr OnnxOperator all[] = {
      {"Shape", inferShape},      {"Size", inferSize},           {"ConstantOfShape", inferConstantOfShape},
      {"Range", inferRange},      {"ScatterND", inferScatterND}, {"ScatterElements", inferSame},
      {"GatherND", inferGatherND}};
  return all;
}

}  // namespace sluice::inline tensor

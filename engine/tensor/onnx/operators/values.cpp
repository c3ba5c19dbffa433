// Operators whose results are known from shapes and constants alone.

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
  if (whole > 0 && delta > 0)
    infer.setLargest(0, integerFrom(start + static_cast<double>(whole - 1) * delta));
}

/// Ones on a diagonal of a matrix as large as the input.
void inferEyeLike(OnnxInference& infer) {
  const OnnxShape shape = infer.shape(0);
  if (shape.size() != 2) OnnxInference::giveUp();
  infer.result(0, shape, integerOf(infer.node(), "dtype", infer.typeOf(0)));
  const std::int64_t diagonal = integerOf(infer.node(), "k", 0);
  infer.computed(0, [&](std::size_t place) {
    const auto at = static_cast<std::int64_t>(place);
    return at % shape[1] - at / shape[1] == diagonal ? 1.0 : 0.0;
  });
}

/// The index of each element that is not 0, as columns.
void inferNonZero(OnnxInference& infer) {
  const OnnxShape shape = infer.shape(0);
  std::vector<OnnxShape> found;
  OnnxShape index(shape.size(), 0);
  for (const double element : infer.elements(0)) {
    if (element != 0) found.push_back(index);
    for (std::size_t k = index.size(); k-- > 0 && ++index[k] == shape[k];) index[k] = 0;
  }
  std::vector<double> numbers;
  for (std::size_t k = 0; k < shape.size(); ++k)
    for (const OnnxShape& each : found) numbers.push_back(static_cast<double>(each[k]));
  infer.result(0, {static_cast<std::int64_t>(shape.size()), static_cast<std::int64_t>(found.size())},
               onnx_int64);
  infer.setElements(0, std::move(numbers));
}

}  // namespace

std::span<const OnnxOperator> valuesOfOnnx() {
  static constexpr OnnxOperator all[] = {
      {"Shape", inferShape}, {"Size", inferSize},       {"ConstantOfShape", inferConstantOfShape},
      {"Range", inferRange}, {"EyeLike", inferEyeLike}, {"NonZero", inferNonZero}};
  return all;
}

}  // namespace sluice::inline tensor

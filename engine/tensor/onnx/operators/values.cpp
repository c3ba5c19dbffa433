// Operators whose results are known from shapes and constants alone.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/tensor/onnx/onnx_converter.h"
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
double ofDiagonal(const OnnxNode& node, const OnnxShape& shape, std::int64_t place) {
  return place % shape[1] - place / shape[1] == integerOf(node, "k", 0) ? 1.0 : 0.0;
}

void inferEyeLike(OnnxInference& infer) {
  const OnnxShape shape = infer.shape(0);
  if (shape.size() != 2) OnnxInference::giveUp();
  infer.result(0, shape, integerOf(infer.node(), "dtype", infer.typeOf(0)));
  const std::int64_t count = elementsIn(shape).value_or(infer.mostElements() + 1);
  if (count > infer.mostElements()) return;
  std::vector<double> elements;
  for (std::int64_t place = 0; place < count; ++place)
    elements.push_back(ofDiagonal(infer.node(), shape, place));
  infer.setElements(0, std::move(elements));
}

/// A large one is a table.
void eyeLike(OnnxConverter& to, const OnnxNode& node) {
  constexpr std::int64_t most = std::int64_t{1} << 22;
  const OnnxShape shape = to.shape(node.inputs[0]);
  const OnnxValue* const result = to.value(node.outputs[0]);
  const std::int64_t count = elementsIn(shape).value_or(most + 1);
  if (shape.size() != 2 || count > most) throw OnnxUnknown("it is no matrix of up to 2^22 elements");
  std::vector<float> elements;
  for (std::int64_t place = 0; place < count; ++place)
    elements.push_back(static_cast<float>(ofDiagonal(node, shape, place)));
  to.give(node,
          to.ownTable(node.outputs[0] + " diagonal", shape,
                      to.scalarOf(node.outputs[0], result ? result->type : onnx_float), std::move(elements)));
}

/// The weights of a window over as many elements as a constant says.
void inferWindow(OnnxInference& infer) {
  const OnnxShape size = infer.integers(0);
  if (size.size() != 1 || size[0] < 1) OnnxInference::giveUp();
  const bool periodic = integerOf(infer.node(), "periodic", 1) != 0;
  const double steps = static_cast<double>(periodic || size[0] == 1 ? size[0] : size[0] - 1);
  // Of a constant, of the cosine of a turn and of two turns.
  const std::string& op = infer.node().op;
  const std::array<double, 3> weights = op == "HannWindow"      ? std::array{0.5, 0.5, 0.0}
                                        : op == "HammingWindow" ? std::array{25.0 / 46, 21.0 / 46, 0.0}
                                                                : std::array{0.42, 0.5, 0.08};
  infer.result(0, {size[0]}, integerOf(infer.node(), "output_datatype", onnx_float));
  infer.computed(0, [&](std::size_t i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / steps;
    return weights[0] - weights[1] * std::cos(angle) + weights[2] * std::cos(2 * angle);
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
  static constexpr OnnxOperator all[] = {{"Shape", inferShape},
                                         {"Size", inferSize},
                                         {"ConstantOfShape", inferConstantOfShape},
                                         {"Range", inferRange},
                                         {"EyeLike", inferEyeLike, eyeLike},
                                         {"NonZero", inferNonZero},
                                         {"HannWindow", inferWindow},
                                         {"HammingWindow", inferWindow},
                                         {"BlackmanWindow", inferWindow}};
  return all;
}

}  // namespace sluice::inline tensor

// Quantized operators as simpler ones.

#include "engine/tensor/onnx/onnx_expansion.h"

namespace sluice::inline tensor {
namespace {

std::string dequantized(OnnxExpansion& to, std::size_t x, std::size_t scale, std::size_t point,
                        std::int64_t axis = 1) {
  std::vector<std::string> inputs{to.in(x), to.in(scale)};
  if (to.has(point)) inputs.push_back(to.in(point));
  const std::string result = to.add("DequantizeLinear", std::move(inputs));
  to.made.back().integers["axis"] = axis;
  return result;
}

void quantizedResult(OnnxExpansion& to, const std::string& x, std::size_t scale, std::size_t point) {
  to.add("QuantizeLinear", {x, to.in(scale), to.in(point)});
  to.give();
}

void qLinearMatMul(OnnxExpansion& to) {
  if (!to.has(7)) return;
  quantizedResult(to, to.add("MatMul", {dequantized(to, 0, 1, 2), dequantized(to, 3, 4, 5)}), 6, 7);
}

void qLinearConv(OnnxExpansion& to) {
  if (!to.has(7)) return;
  std::vector<std::string> inputs{dequantized(to, 0, 1, 2), dequantized(to, 3, 4, 5, 0)};
  if (to.has(8)) {
    const std::string scale = to.add("Mul", {to.in(1), to.in(4)});
    inputs.push_back(to.add("DequantizeLinear", {to.in(8), scale}));
    to.made.back().integers["axis"] = 0;
  }
  const std::string y = to.add("Conv", std::move(inputs));
  OnnxNode& conv = to.made.back();
  conv.integers = to.node.integers, conv.lists = to.node.lists, conv.texts = to.node.texts;
  quantizedResult(to, y, 6, 7);
}

void qLinearPair(OnnxExpansion& to) {
  if (!to.has(7)) return;
  quantizedResult(to,
                  to.add(to.node.op == "QLinearAdd" ? "Add" : "Mul",
                         {dequantized(to, 0, 1, 2), dequantized(to, 3, 4, 5)}),
                  6, 7);
}

/// Both operands are taken from their zero points; then nothing lies outside that is not 0.
void convInteger(OnnxExpansion& to) {
  const auto from_zero = [&](std::size_t x, std::size_t point, std::int64_t axis) {
    std::vector<std::string> inputs{to.in(x), to.number(1)};
    if (to.has(point)) inputs.push_back(to.in(point));
    const std::string result = to.add("DequantizeLinear", std::move(inputs));
    to.made.back().integers["axis"] = axis;
    return result;
  };
  const std::string x = from_zero(0, 2, 1), weight = from_zero(1, 3, 0);
  to.add("Conv", {x, weight});
  OnnxNode& conv = to.made.back();
  conv.integers = to.node.integers, conv.lists = to.node.lists, conv.texts = to.node.texts;
  to.give();
}

/// The matrix that its few bits stand for, as columns, and a product with it.
void matMulNBits(OnnxExpansion& to) {
  if (to.has(4)) return;  // its groups are in an order of their own
  std::vector<std::string> inputs{to.in(1), to.in(2)};
  if (to.has(3)) inputs.push_back(to.in(3));
  const std::string weight = to.add("DequantizeNBits", std::move(inputs));
  to.made.back().integers = to.node.integers;
  const std::string product = to.add("MatMul", {to.in(0), weight});
  if (to.has(5)) to.add("Add", {product, to.in(5)});
  to.give();
}

}  // namespace

std::span<const OnnxExpansionRule> quantizationExpansionsOfOnnx() {
  static constexpr OnnxExpansionRule all[] = {{"QLinearMatMul", qLinearMatMul}, {"QLinearConv", qLinearConv},
                                              {"QLinearAdd", qLinearPair},      {"QLinearMul", qLinearPair},
                                              {"ConvInteger", convInteger},     {"MatMulNBits", matMulNBits}};
  return all;
}

}  // namespace sluice::inline tensor

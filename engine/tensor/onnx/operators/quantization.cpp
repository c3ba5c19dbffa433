// Quantization: a number that is stored in fewer bits. Widths are not modelled in values, so that quantizing
// and going back are two casts.

#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

void inferQuantize(OnnxInference& infer) {
  constexpr std::int64_t uint8_type = 2;
  infer.result(0, infer.shape(0), infer.given(2) ? infer.typeOf(2) : uint8_type);
}

void inferDequantize(OnnxInference& infer) {
  infer.result(0, infer.shape(0), infer.typeOf(1));
}

/// MatMulNBits(A, B, scales ...): B is [N, blocks, bytes] for a matrix of K x N.
void inferNBits(OnnxInference& infer) {
  OnnxShape shape = infer.shape(0);
  const std::int64_t columns = integerOf(infer.node(), "N", 0);
  if (shape.empty() || columns < 1) OnnxInference::giveUp();
  shape.back() = columns;
  infer.result(0, shape);
}

/// A linear layer whose weight has few bits; the blocks' scales stay out.
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
  static constexpr OnnxOperator all[] = {{"QuantizeLinear", inferQuantize, nullptr},
                                         {"DequantizeLinear", inferDequantize, nullptr},
                                         {"MatMulNBits", inferNBits, matmulNBits}};
  return all;
}

}  // namespace sluice::inline tensor

// Products: MatMul, Gemm, MatMulInteger.

#include <algorithm>

#include "engine/itensor/itensor.h"
#include "engine/itensor/itensor_text.h"
#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

OnnxShape batchesOf(const OnnxShape& shape) {
  return {shape.begin(), shape.end() - 2};
}
OnnxShape joined(OnnxShape front, std::initializer_list<std::int64_t> back) {
  front.insert(front.end(), back);
  return front;
}

/// Of constants: rotary angles are such products.
void multiply(OnnxInference& infer, const OnnxShape& a, const OnnxShape& b, const OnnxShape& batches) {
  const std::int64_t rows = a[a.size() - 2], depth = a.back(), columns = b.back();
  // Where the matrix of one operand lies that belongs to a batch of the result.
  const auto matrix = [&](const OnnxShape& own, std::int64_t batch) {
    std::int64_t at = 0, stride = 1;
    for (std::size_t i = 1; i <= batches.size(); ++i) {
      const std::int64_t extent = batches[batches.size() - i], index = batch % extent;
      batch /= extent;
      if (i + 2 > own.size()) continue;
      if (own[own.size() - 2 - i] != 1) at += index * stride;
      stride *= own[own.size() - 2 - i];
    }
    return at;
  };
  const std::vector<double>&x = infer.elements(0), &y = infer.elements(1);
  infer.computed(0, [&](std::size_t place) {
    const auto at = static_cast<std::int64_t>(place);
    const std::int64_t column = at % columns, row = at / columns % rows, batch = at / columns / rows;
    const std::int64_t left = matrix(a, batch) * rows * depth + row * depth,
                       right = matrix(b, batch) * depth * columns + column;
    double sum = 0;
    for (std::int64_t k = 0; k < depth; ++k)
      sum += x.at(static_cast<std::size_t>(left + k)) * y.at(static_cast<std::size_t>(right + k * columns));
    return sum;
  });
}

void inferMatmul(OnnxInference& infer) {
  OnnxShape a = infer.shape(0), b = infer.shape(1);
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  if (a.size() < 2 || b.size() < 2 || a.back() != b[b.size() - 2]) OnnxInference::giveUp();
  const std::optional<OnnxShape> batches = broadcastShape(batchesOf(a), batchesOf(b));
  if (!batches) OnnxInference::giveUp();
  OnnxShape result = *batches;
  if (!row) result.push_back(a[a.size() - 2]);
  if (!column) result.push_back(b.back());
  infer.result(0, result, infer.node().op == "MatMulInteger" ? onnx_int32 : 0);
  if (infer.node().op == "MatMul" && infer.knowsInputs()) multiply(infer, a, b, *batches);
}

/// A constant matrix is a linear layer. Of other products the batches are made those of the result, but for
/// what the second operand shares.
void matmul(OnnxConverter& to, const OnnxNode& node) {
  if (node.inputs.size() != 2) throw OnnxUnknown("it does not have two inputs");
  const OnnxShape a = to.shape(node.inputs[0]), b = to.shape(node.inputs[1]);
  if (a.size() < 2 || b.size() < 2) throw OnnxUnknown("one of its inputs is a vector");
  if (a.back() != b[b.size() - 2])
    throw OnnxUnknown("'" + node.inputs[1] + "' of " + shapeText(b) + " does not go together with '" +
                      node.inputs[0] + "' of " + shapeText(a));
  const std::optional<OnnxShape> batches = broadcastShape(batchesOf(a), batchesOf(b));
  if (!batches) throw OnnxUnknown("the batches of its inputs do not go together");
  const OnnxShape result = joined(*batches, {a[a.size() - 2], b.back()});
  if (to.constant(node.inputs[1]) && b.size() == 2) {
    const std::size_t x = to.tensor(node.inputs[0]);
    const std::size_t weight = to.constantAs(node.inputs[1], {b[1], b[0]}, TensorRole::Weight, true);
    return to.apply(node, {{}, Kind::Linear, {x, weight}, 0, false, {}, {}, {}}, result);
  }
  const OnnxShape left = joined(*batches, {a[a.size() - 2], a.back()});
  const std::size_t x = to.expanded(to.tensor(node.inputs[0]), left, node.outputs[0] + " left operand");
  // ONNX counts the batches of both from the last, a program from the first: b may lack the last ones.
  OnnxShape right = b;
  const bool whole = batchesOf(b) == *batches, none = boundedProduct(batchesOf(b)) == 1;
  if (none) right = {b[b.size() - 2], b.back()};
  std::size_t y = to.viewed(node.inputs[1], right);
  if (!whole && !none)
    y = to.expanded(y, joined(*batches, {b[b.size() - 2], b.back()}), node.outputs[0] + " right operand");
  to.apply(node, {{}, Kind::BatchedMatmul, {x, y}, 0, false, {}, {}, {}}, result);
}

/// Both operands without their zero points.
void matmulInteger(OnnxConverter& to, const OnnxNode& node) {
  if (node.inputs.size() < 2) throw OnnxUnknown("it does not have two inputs");
  const Scalar wide{Scalar::Format::Signless, 16};  // of a difference of two bytes
  const OnnxShape a = to.shape(node.inputs[0]), b = to.shape(node.inputs[1]);
  if (a.size() < 2 || b.size() != 2) throw OnnxUnknown("its second input is no matrix");
  const auto from = [&](std::size_t tensor, std::size_t point) {
    const std::string name = point < node.inputs.size() ? node.inputs[point] : "";
    if (name.empty() || to.number(name) == 0) return tensor;
    const OnnxShape shape = to.at(tensor).shape;
    TensorOperator op{{}, Kind::Sub, {tensor}, 0, false, {}, {}, {}};
    if (const std::optional<double> number = to.number(name))
      op.number = static_cast<float>(*number);
    else if (elementsIn(to.shape(name)) != 1 && point == 2)
      throw OnnxUnknown("its first input has a zero point for each row");
    else
      op.inputs.push_back(to.repeated(name, shape, node.outputs[0] + " " + name));
    const std::string result = node.outputs[0] + (point == 2 ? " left" : " right") + " from zero";
    op.name = result;
    return to.add(std::move(op), result, shape, wide);
  };
  const OnnxShape result = joined({a.begin(), a.end() - 1}, {b.back()});
  const std::size_t x = from(to.tensor(node.inputs[0]), 2);
  const bool centred = node.inputs.size() < 4 || node.inputs[3].empty() || to.number(node.inputs[3]) == 0;
  if (to.constant(node.inputs[1]) && centred) {
    const std::size_t weight = to.constantAs(node.inputs[1], {b[1], b[0]}, TensorRole::Weight, true);
    return to.apply(node, {{}, Kind::Linear, {x, weight}, 0, false, {}, {}, {}}, result);
  }
  const std::size_t y = from(to.tensor(node.inputs[1]), 3);
  to.apply(node, {{}, Kind::BatchedMatmul, {x, y}, 0, false, {}, {}, {}}, result);
}

void inferGemm(OnnxInference& infer) {
  const OnnxShape &a = infer.shape(0), &b = infer.shape(1);
  if (a.size() != 2 || b.size() != 2) OnnxInference::giveUp();
  const bool left = integerOf(infer.node(), "transA", 0) != 0,
             right = integerOf(infer.node(), "transB", 0) != 0;
  infer.result(0, {a[left ? 1 : 0], b[right ? 0 : 1]});
}

/// A number for each column, or one for all: what a linear operator takes as its bias.
bool isRow(const OnnxShape& bias, std::int64_t columns) {
  const std::int64_t elements = elementsIn(bias).value_or(0);
  return elements == 1 || (elements == columns && bias.back() == columns);
}

/// alpha * A * B + beta * C, of which the bias C may be missing.
void gemm(OnnxConverter& to, const OnnxNode& node) {
  const double alpha = numberOf(node, "alpha", 1), beta = numberOf(node, "beta", 1);
  const bool bias = node.inputs.size() > 2 && !node.inputs[2].empty() && beta != 0;
  const bool left = integerOf(node, "transA", 0) != 0, right = integerOf(node, "transB", 0) != 0;
  if (node.inputs.size() < 2) throw OnnxUnknown("it has no second input");
  const OnnxShape a = to.shape(node.inputs[0]), b = to.shape(node.inputs[1]);
  if (a.size() != 2 || b.size() != 2) throw OnnxUnknown("its inputs are no matrices");
  const std::string& name = node.outputs[0];
  const auto scaled = [&](std::size_t tensor, double by, const std::string& what) {
    if (by == 1) return tensor;
    TensorOperator times{{}, Kind::Mul, {tensor}, 0, false, {}, {}, {}};
    times.number = static_cast<float>(by);
    return to.step(std::move(times), name + what, to.at(tensor).shape);
  };
  std::size_t x = to.tensor(node.inputs[0]);
  if (left) x = to.transposed(x, {1, 0}, name + " left operand");
  x = scaled(x, alpha, " times alpha");
  const OnnxShape result{a[left ? 1 : 0], b[right ? 0 : 1]};
  TensorOperator product{{}, Kind::BatchedMatmul, {x}, 0, false, {}, {}, {}};
  const bool weight = to.constant(node.inputs[1]);
  if (weight) {
    product.kind = Kind::Linear;
    product.inputs.push_back(
        to.constantAs(node.inputs[1], right ? b : OnnxShape{b[1], b[0]}, TensorRole::Weight, !right));
  } else {
    product.inputs.push_back(to.tensor(node.inputs[1]));
    product.transposed_right = right;
  }
  if (!bias) return to.apply(node, std::move(product), result);
  if (weight && beta == 1 && to.constant(node.inputs[2]) && isRow(to.shape(node.inputs[2]), result[1])) {
    product.inputs.push_back(to.broadcastConstant(node.inputs[2], {result[1]}, TensorRole::Weight));
    return to.apply(node, std::move(product), result);
  }
  const std::size_t made = to.step(std::move(product), name + " product", result);
  const std::size_t added = scaled(to.repeated(node.inputs[2], result, name), beta, " bias times beta");
  to.apply(node, {{}, Kind::Add, {made, added}, 0, false, {}, {}, {}}, result);
}

}  // namespace

std::span<const OnnxOperator> productsOfOnnx() {
  static constexpr OnnxOperator all[] = {{"MatMul", inferMatmul, matmul},
                                         {"Gemm", inferGemm, gemm},
                                         {"MatMulInteger", inferMatmul, matmulInteger}};
  return all;
}

}  // namespace sluice::inline tensor

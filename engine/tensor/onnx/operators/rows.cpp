// Operators over rows: softmax, normalizations, reductions.

#include <algorithm>
#include <map>
#include <numeric>

#include "engine/itensor/itensor.h"
#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;
using Order = std::vector<std::size_t>;

void inferSame(OnnxInference& infer) {
  infer.result(0, infer.shape(0));
}

/// The dimensions in their order, but for some that become the last ones.
Order withLast(std::size_t rank, const std::set<std::size_t>& last) {
  Order order;
  for (const bool late : {false, true})
    for (std::size_t k = 0; k < rank; ++k)
      if (last.contains(k) == late) order.push_back(k);
  return order;
}
Order inverse(const Order& order) {
  Order back(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) back[order[k]] = k;
  return back;
}

/// Over any dimension: that one is the last meanwhile. Before opset 13 it is over all from the axis on.
void softmax(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape whole = to.shape(node.inputs[0]);
  const bool together = to.opset() < 13;
  const std::optional<std::size_t> axis =
      dimensionOf(integerOf(node, "axis", together ? 1 : -1), whole.size());
  if (!axis) throw OnnxUnknown("its axis is no dimension of its input");
  const std::string& result = node.outputs[0];
  std::size_t x = to.tensor(node.inputs[0]);
  const auto last = [&] { return TensorOperator{node.name, Kind::Softmax, {x}, 0, false, {}, {}, {}}; };
  if (*axis + 1 == whole.size()) return to.apply(node, last(), whole);
  if (together) {
    OnnxShape rows(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(*axis));
    rows.push_back(elementsIn({whole.begin() + static_cast<std::ptrdiff_t>(*axis), whole.end()}).value_or(0));
    x = to.reshaped(x, rows, result + " rows");
    const std::size_t made = to.step(last(), result + " of rows", rows);
    return to.give(node, to.reshaped(made, whole, result));
  }
  const Order order = withLast(whole.size(), {*axis});
  x = to.transposed(x, order, result + " rows");
  const std::size_t made = to.step(last(), result + " of rows", to.at(x).shape);
  to.give(node, to.transposed(made, inverse(order), result));
}

/// A gain or a bias of the dimensions `own`, in a row.
std::size_t parameter(OnnxConverter& to, const std::string& name, const OnnxShape& own) {
  const OnnxShape row{elementsIn(own).value_or(0)};
  if (own.size() == 1)
    return to.constant(name) ? to.broadcastConstant(name, row, TensorRole::Weight) : to.tensor(name);
  if (to.shape(name) != own) throw OnnxUnknown("a parameter of it has another shape than its rows");
  return to.constant(name) ? to.constantAs(name, row, TensorRole::Weight) : to.viewed(name, row);
}

void norm(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape whole = to.shape(node.inputs[0]);
  const std::optional<std::size_t> axis = dimensionOf(integerOf(node, "axis", -1), whole.size());
  if (!axis) throw OnnxUnknown("its axis is no dimension of its input");
  const bool layer = node.op == "LayerNormalization";
  OnnxShape rows(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(*axis));
  rows.push_back(elementsIn({whole.begin() + static_cast<std::ptrdiff_t>(*axis), whole.end()}).value_or(0));
  std::vector<std::size_t> inputs{to.reshaped(to.tensor(node.inputs[0]), rows, node.outputs[0] + " rows")};
  const OnnxShape own{rows.back()};
  for (std::size_t i = 1; i < (layer ? 3u : 2u); ++i) {
    const std::string given = i < node.inputs.size() ? node.inputs[i] : "";
    if (given.empty())
      inputs.push_back(to.ownTable(node.outputs[0] + (i == 1 ? " gain" : " bias"), own,
                                   to.scalar(node.inputs[0]), i == 1 ? 1 : 0));
    else
      inputs.push_back(
          parameter(to, given, {whole.begin() + static_cast<std::ptrdiff_t>(*axis), whole.end()}));
  }
  TensorOperator op{{}, layer ? Kind::LayerNorm : Kind::RmsNorm, std::move(inputs), 0, false, {}, {}, {}};
  op.epsilon = static_cast<float>(numberOf(node, "epsilon", default_epsilon));
  if (rows == whole) return to.apply(node, std::move(op), whole);
  to.give(node,
          to.reshaped(to.step(std::move(op), node.outputs[0] + " of rows", rows), whole, node.outputs[0]));
}

/// The dimensions that a reduction is over; all where none are named.
std::set<std::size_t> axesOf(const std::optional<OnnxShape>& axes, std::size_t rank) {
  std::set<std::size_t> over;
  for (const std::int64_t axis : axes.value_or(OnnxShape())) {
    const std::optional<std::size_t> dimension = dimensionOf(axis, rank);
    if (!dimension) throw OnnxUnknown("one of its axes is no dimension of its input");
    over.insert(*dimension);
  }
  for (std::size_t k = 0; over.size() < rank && (!axes || axes->empty()) && k < rank; ++k) over.insert(k);
  return over;
}

OnnxShape reducedShape(const OnnxShape& whole, const std::set<std::size_t>& over, bool keeps) {
  OnnxShape shape;
  for (std::size_t k = 0; k < whole.size(); ++k)
    if (!over.contains(k))
      shape.push_back(whole[k]);
    else if (keeps)
      shape.push_back(1);
  return shape;
}

bool keepsDimensions(const OnnxNode& node) {
  return integerOf(node, "keepdims", 1) != 0;
}
bool leavesAsItIs(const OnnxNode& node, const std::optional<OnnxShape>& axes) {
  return (!axes || axes->empty()) && integerOf(node, "noop_with_empty_axes", 0) != 0;
}

void inferReduction(OnnxInference& infer) {
  const OnnxShape whole = infer.shape(0);
  const std::optional<OnnxShape> axes = infer.list("axes", 1);
  if (leavesAsItIs(infer.node(), axes)) return infer.result(0, whole);
  std::set<std::size_t> over;
  for (const std::int64_t axis : axes.value_or(OnnxShape())) over.insert(infer.axis(axis, whole.size()));
  for (std::size_t k = 0; (!axes || axes->empty()) && k < whole.size(); ++k) over.insert(k);
  infer.result(0, reducedShape(whole, over, keepsDimensions(infer.node())));
  // Of shapes: how many elements there are.
  if (infer.node().op != "ReduceProd" || over.size() != whole.size() || !infer.knowsInputs()) return;
  double product = 1;
  for (const double factor : infer.elements(0)) product *= factor;
  infer.setElements(0, {product});
}

Kind reductionKind(const std::string& op) {
  return op == "ReduceMean"  ? Kind::ReduceMean
         : op == "ReduceMax" ? Kind::ReduceMax
         : op == "ReduceMin" ? Kind::ReduceMin
                             : Kind::ReduceSum;
}

/// Products of rows: one half with the other, again and again; what is left over joins at the end.
std::size_t productOfRows(OnnxConverter& to, std::size_t x, const std::string& name) {
  OnnxShape shape = to.at(x).shape;
  std::optional<std::size_t> rest;
  for (int round = 1; shape.back() > 1; ++round) {
    const std::int64_t count = shape.back();
    const auto part = [&](std::int64_t begin, std::int64_t length, const char* what) {
      return to.sliced(x, shape.size() - 1, begin, length, name + what + std::to_string(round));
    };
    const auto times = [&](std::size_t a, std::size_t b, const char* what) {
      return to.step({{}, Kind::Mul, {a, b}, 0, false, {}, {}, {}}, name + what + std::to_string(round),
                     to.at(a).shape);
    };
    if (count % 2 != 0) {
      const std::size_t last = part(count - 1, 1, " last ");
      rest = rest ? times(*rest, last, " rest ") : last;
    }
    const std::size_t first = part(0, count / 2, " first "), second = part(count / 2, count / 2, " second ");
    x = times(first, second, " product ");
    shape.back() = count / 2;
  }
  if (!rest) return x;
  return to.step({{}, Kind::Mul, {x, *rest}, 0, false, {}, {}, {}}, name + " product", shape);
}

/// What is done with the elements of rows before they are added up, and with the sum.
struct Powers {
  std::int64_t power = 1;  ///< of their sizes; 1: of the elements themselves
  bool root = false;       ///< of the same power
  bool sizes = false;      ///< without their signs
};

Powers powersOf(const OnnxNode& node) {
  if (node.op == "ReduceL2") return {2, true};
  if (node.op == "ReduceSumSquare") return {2, false};
  if (node.op != "GlobalLpPool") return {};
  const std::int64_t p = integerOf(node, "p", 2);
  if (p < 1) throw OnnxUnknown("its power is below 1");
  return {p, p > 1, true};
}

TensorOperator raised(std::size_t x, double power) {
  TensorOperator op{{}, Kind::Pow, {x}, 0, false, {}, {}, {}};
  op.number = static_cast<float>(power);
  return op;
}

/// Over any dimensions: they are made one, and the last.
void reduceOver(OnnxConverter& to, const OnnxNode& node, Kind kind, const std::set<std::size_t>& over,
                bool keeps) {
  const OnnxShape whole = to.shape(node.inputs[0]);
  if (over.empty()) throw OnnxUnknown("it is over no dimension");
  const Powers powers = powersOf(node);
  const std::string& result = node.outputs[0];
  std::size_t x = to.transposed(to.tensor(node.inputs[0]), withLast(whole.size(), over), result + " rows");
  OnnxShape rows = reducedShape(whole, over, false);
  std::int64_t length = 1;
  for (const std::size_t k : over) length *= whole[k];
  rows.push_back(length);
  x = to.reshaped(x, rows, result + " merged");
  const OnnxShape wanted = reducedShape(whole, over, keeps);
  if (node.op == "ReduceProd")
    return to.give(node, to.reshaped(productOfRows(to, x, result), wanted, result));
  if (powers.power == 2)
    x = to.step({{}, Kind::Mul, {x, x}, 0, false, {}, {}, {}}, result + " squares", rows);
  else if (powers.sizes)
    x = to.step({{}, Kind::Abs, {x}, 0, false, {}, {}, {}}, result + " sizes", rows);
  if (powers.power > 2) x = to.step(raised(x, static_cast<double>(powers.power)), result + " powers", rows);
  rows.back() = 1;
  TensorOperator op{{}, kind, {x}, 0, false, {}, {}, {}};
  if (powers.root) {
    x = to.step(std::move(op), result + " sum", rows);
    op = powers.power == 2 ? TensorOperator{{}, Kind::Sqrt, {x}, 0, false, {}, {}, {}}
                           : raised(x, 1 / static_cast<double>(powers.power));
  }
  if (rows == wanted) return to.apply(node, std::move(op), rows);
  to.give(node, to.reshaped(to.step(std::move(op), result + " reduced", rows), wanted, result));
}

void reduction(OnnxConverter& to, const OnnxNode& node) {
  const std::optional<OnnxShape> axes = to.list(node, "axes", 1);
  if (leavesAsItIs(node, axes)) return to.pass(node);
  reduceOver(to, node, reductionKind(node.op), axesOf(axes, to.shape(node.inputs[0]).size()),
             keepsDimensions(node));
}

void inferGlobalPool(OnnxInference& infer) {
  OnnxShape shape = infer.shape(0);
  for (std::size_t k = 2; k < shape.size(); ++k) shape[k] = 1;
  infer.result(0, shape);
}

void globalPool(OnnxConverter& to, const OnnxNode& node) {
  std::set<std::size_t> over;
  for (std::size_t k = 2; k < to.shape(node.inputs[0]).size(); ++k) over.insert(k);
  const Kind kind = node.op == "GlobalMaxPool"  ? Kind::ReduceMax
                    : node.op == "GlobalLpPool" ? Kind::ReduceSum
                                                : Kind::ReduceMean;
  reduceOver(to, node, kind, over, true);
}

/// (x - mean) / sqrt(variance + epsilon) * scale + bias, a number of each per channel.
void batchNorm(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape whole = to.shape(node.inputs[0]);
  if (node.inputs.size() != 5 || whole.size() < 2 || integerOf(node, "training_mode", 0) != 0)
    throw OnnxUnknown("it is not the form of inference");
  const OnnxShape channels{whole[1]};
  OnnxShape column{whole[1]};
  column.resize(whole.size() - 1, 1);
  const OnnxShape image(whole.begin() + 1, whole.end());
  const std::string& result = node.outputs[0];
  const auto vector = [&](std::size_t input) {
    if (to.shape(node.inputs[input]) != channels)
      throw OnnxUnknown("a parameter of it is no number a channel");
    return to.tensor(node.inputs[input]);
  };
  const auto spread = [&](std::size_t tensor, const std::string& name) {
    return to.expanded(to.reshaped(tensor, column, result + " " + name + " of channels"), image,
                       result + " " + name);
  };
  TensorOperator shifted{{}, Kind::Add, {vector(4)}, 0, false, {}, {}, {}};
  shifted.number = static_cast<float>(numberOf(node, "epsilon", default_epsilon));
  std::size_t deviation = to.step(std::move(shifted), result + " variance", channels);
  deviation = to.step({{}, Kind::Sqrt, {deviation}, 0, false, {}, {}, {}}, result + " deviation", channels);
  const std::size_t gain =
      to.step({{}, Kind::Div, {vector(1), deviation}, 0, false, {}, {}, {}}, result + " gain", channels);
  std::size_t x = to.tensor(node.inputs[0]);
  const auto with = [&](Kind kind, std::size_t other) {
    return TensorOperator{{}, kind, {x, other}, 0, false, {}, {}, {}};
  };
  x = to.step(with(Kind::Sub, spread(vector(3), "mean")), result + " centred", whole);
  x = to.step(with(Kind::Mul, spread(gain, "gains")), result + " scaled", whole);
  to.apply(node, with(Kind::Add, spread(vector(2), "bias")), whole);
}

}  // namespace

std::span<const OnnxOperator> rowsOfOnnx() {
  static constexpr OnnxOperator all[] = {{"Softmax", inferSame, softmax},
                                         {"LogSoftmax", inferSame, nullptr},
                                         {"LayerNormalization", inferSame, norm},
                                         {"RMSNormalization", inferSame, norm},
                                         {"SimplifiedLayerNormalization", inferSame, norm},
                                         {"InstanceNormalization", inferSame, nullptr},
                                         {"GroupNormalization", inferSame, nullptr},
                                         {"BatchNormalization", inferSame, batchNorm},
                                         {"ReduceSum", inferReduction, reduction},
                                         {"ReduceMean", inferReduction, reduction},
                                         {"ReduceMax", inferReduction, reduction},
                                         {"ReduceMin", inferReduction, reduction},
                                         {"ReduceSumSquare", inferReduction, reduction},
                                         {"ReduceL2", inferReduction, reduction},
                                         {"ReduceProd", inferReduction, reduction},
                                         {"ReduceL1", inferReduction, nullptr},
                                         {"ReduceLogSumExp", inferReduction, nullptr},
                                         {"GlobalAveragePool", inferGlobalPool, globalPool},
                                         {"GlobalMaxPool", inferGlobalPool, globalPool},
                                         {"GlobalLpPool", inferGlobalPool, globalPool}};
  return all;
}

}  // namespace sluice::inline tensor

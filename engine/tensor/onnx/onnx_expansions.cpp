// Operators of ONNX and of com.microsoft as simpler operators of ONNX.

#include "engine/tensor/onnx/onnx_expansions.h"

#include <algorithm>
#include <array>
#include <map>
#include <numbers>
#include <set>
#include <string_view>

#include "engine/tensor/onnx/onnx_inference.h"

namespace sluice::inline tensor {
namespace {

/// The simpler nodes of one.
class Expansion {
 public:
  Expansion(OnnxGraph& graph, const OnnxNode& whole) : node(whole), graph_(graph) {}

  const OnnxNode& node;
  std::vector<OnnxNode> made;

  bool has(std::size_t input) const { return input < node.inputs.size() && !node.inputs[input].empty(); }
  std::string in(std::size_t input) const { return has(input) ? node.inputs[input] : ""; }
  bool wants(std::size_t output) const {
    return output < node.outputs.size() && !node.outputs[output].empty();
  }
  std::int64_t opset() const { return graph_.opset; }
  const OnnxValue* value(const std::string& name) const {
    const auto found = graph_.values.find(name);
    return found == graph_.values.end() ? nullptr : &found->second;
  }

  std::string add(const std::string& op, std::vector<std::string> inputs) {
    const std::string result = node.outputs[0] + " part " + std::to_string(made.size() + 1);
    made.push_back({op, node.name, std::move(inputs), {result}, {}, {}, {}, {}});
    return result;
  }
  /// What was added last makes a result of the node.
  void give(std::size_t output = 0) { made.back().outputs[0] = node.outputs[output]; }
  /// Over one dimension, which becomes 1.
  std::string reduced(const std::string& op, const std::string& x, std::int64_t axis) {
    const std::string result = add(op, {x});
    made.back().lists["axes"] = {axis};
    return result;
  }
  std::string unsqueezed(const std::string& x, std::int64_t axis) {
    const std::string result = add("Unsqueeze", {x});
    made.back().lists["axes"] = {axis};
    return result;
  }
  std::string number(double number, std::int64_t type = onnx_float) { return constant({number}, {}, type); }
  std::string shapeOf(std::vector<double> extents) {
    const auto rank = static_cast<std::int64_t>(extents.size());
    return constant(std::move(extents), {rank}, onnx_int64);
  }

 private:
  std::string constant(std::vector<double> elements, OnnxShape shape, std::int64_t type) {
    const std::string name = node.outputs[0] + " number " + std::to_string(++constants_);
    OnnxValue own;
    own.shape = std::move(shape);
    own.type = type;
    own.constant = true;
    own.elements = std::move(elements);
    graph_.values[name] = std::move(own);
    return name;
  }

  OnnxGraph& graph_;
  std::size_t constants_ = 0;
};

// ---- rows

/// x - max - log(sum(exp(x - max))).
void logSoftmax(Expansion& to) {
  if (to.opset() < 13) return;  // over all dimensions from the axis on
  const std::int64_t axis = integerOf(to.node, "axis", -1);
  const std::string below = to.add("Sub", {to.in(0), to.reduced("ReduceMax", to.in(0), axis)});
  const std::string sum = to.reduced("ReduceSum", to.add("Exp", {below}), axis);
  to.add("Sub", {below, to.add("Log", {sum})});
  to.give();
}

/// A reduction over the same dimensions as the node's.
std::string alike(Expansion& to, const std::string& op, const std::string& x, bool keeps) {
  std::vector<std::string> inputs = to.node.inputs;
  inputs[0] = x;
  const std::string result = to.add(op, std::move(inputs));
  to.made.back().integers = to.node.integers;
  to.made.back().lists = to.node.lists;
  if (keeps) to.made.back().integers["keepdims"] = 1;
  return result;
}

void reduceL1(Expansion& to) {
  alike(to, "ReduceSum", to.add("Abs", {to.in(0)}), false);
  to.give();
}
void reduceLogSum(Expansion& to) {
  to.add("Log", {alike(to, "ReduceSum", to.in(0), false)});
  to.give();
}
void reduceLogSumExp(Expansion& to) {
  const std::string below = to.add("Sub", {to.in(0), alike(to, "ReduceMax", to.in(0), true)});
  const std::string sum = alike(to, "ReduceSum", to.add("Exp", {below}), false);
  const std::string log = to.add("Log", {sum});
  to.add("Add", {log, alike(to, "ReduceMax", to.in(0), false)});
  to.give();
}

void lpNormalization(Expansion& to) {
  const std::int64_t axis = integerOf(to.node, "axis", -1), p = integerOf(to.node, "p", 2);
  if (p != 1 && p != 2) return;
  to.add("Div", {to.in(0), p == 1 ? to.reduced("ReduceSum", to.add("Abs", {to.in(0)}), axis)
                                  : to.reduced("ReduceL2", to.in(0), axis)});
  to.give();
}

/// Rows of one mean and variance, without scale and bias.
std::string normalized(Expansion& to, const std::string& rows) {
  const std::string result = to.add("LayerNormalization", {rows, "", ""});
  to.made.back().integers["axis"] = -1;
  to.made.back().numbers["epsilon"] = numberOf(to.node, "epsilon", 1e-5);
  return result;
}
/// A number for each row.
std::string scaled(Expansion& to, const std::string& rows) {
  const std::string gained = to.add("Mul", {rows, to.unsqueezed(to.in(1), 1)});
  return to.add("Add", {gained, to.unsqueezed(to.in(2), 1)});
}

void instanceNormalization(Expansion& to) {
  const std::string rows = to.add("Reshape", {to.in(0), to.shapeOf({0, 0, -1})});
  to.add("Reshape", {scaled(to, normalized(to, rows)), to.add("Shape", {to.in(0)})});
  to.give();
}

/// Since opset 21 scale and bias are of channels, before of groups.
void groupNormalization(Expansion& to) {
  const std::int64_t groups = integerOf(to.node, "num_groups", 0);
  if (groups < 1) return;
  const std::string shape = to.add("Shape", {to.in(0)});
  std::string rows =
      normalized(to, to.add("Reshape", {to.in(0), to.shapeOf({0, static_cast<double>(groups), -1})}));
  if (to.opset() >= 21) rows = to.add("Reshape", {to.add("Reshape", {rows, shape}), to.shapeOf({0, 0, -1})});
  to.add("Reshape", {scaled(to, rows), shape});
  to.give();
}

/// Less its mean, over its deviation, of the dimensions that are named.
void meanVarianceNormalization(Expansion& to) {
  const auto axes = to.node.lists.find("axes");
  const auto mean = [&](const std::string& x) {
    const std::string result = to.add("ReduceMean", {x});
    to.made.back().lists["axes"] = axes == to.node.lists.end() ? OnnxShape{0, 2, 3} : axes->second;
    return result;
  };
  const std::string around = to.add("Sub", {to.in(0), mean(to.in(0))});
  const std::string deviation = to.add("Sqrt", {mean(to.add("Mul", {around, around}))});
  to.add("Div", {around, to.add("Add", {deviation, to.number(1e-9)})});
  to.give();
}

// ---- element by element

void variadic(Expansion& to) {
  std::string sum = to.in(0);
  for (std::size_t i = 1; i < to.node.inputs.size(); ++i) sum = to.add("Add", {sum, to.in(i)});
  if (to.node.op == "Mean") to.add("Mul", {sum, to.number(1.0 / static_cast<double>(to.node.inputs.size()))});
  if (to.made.empty()) to.add("Identity", {sum});
  to.give();
}

/// max(x, 0) + slope * min(x, 0).
void pRelu(Expansion& to) {
  const std::string below = to.add("Min", {to.in(0), to.number(0)});
  to.add("Add", {to.add("Relu", {to.in(0)}), to.add("Mul", {to.in(1), below})});
  to.give();
}

/// scale * (max(x, 0) + alpha * (exp(min(x, 0) / below) - 1)).
void exponentialBelow(Expansion& to, double alpha, double below, double scale) {
  std::string low = to.add("Min", {to.in(0), to.number(0)});
  if (below != 1) low = to.add("Div", {low, to.number(below)});
  low = to.add("Sub", {to.add("Exp", {low}), to.number(1)});
  std::string sum = to.add("Add", {to.add("Relu", {to.in(0)}), to.add("Mul", {low, to.number(alpha)})});
  if (scale != 1) sum = to.add("Mul", {sum, to.number(scale)});
  to.give();
}
void selu(Expansion& to) {
  exponentialBelow(to, numberOf(to.node, "alpha", 1.67326319217681884765625), 1,
                   numberOf(to.node, "gamma", 1.05070102214813232421875));
}
void celu(Expansion& to) {
  const double alpha = numberOf(to.node, "alpha", 1);
  if (alpha != 0) exponentialBelow(to, alpha, alpha, 1);
}
void mish(Expansion& to) {
  to.add("Mul", {to.in(0), to.add("Tanh", {to.add("Softplus", {to.in(0)})})});
  to.give();
}
void softsign(Expansion& to) {
  to.add("Div", {to.in(0), to.add("Add", {to.add("Abs", {to.in(0)}), to.number(1)})});
  to.give();
}
void quickGelu(Expansion& to) {
  const std::string scaled = to.add("Mul", {to.in(0), to.number(numberOf(to.node, "alpha", 1.702))});
  to.add("Mul", {to.in(0), to.add("Sigmoid", {scaled})});
  to.give();
}

/// x where it is above alpha, else 0.
void thresholdedRelu(Expansion& to) {
  const std::string above = to.add("Greater", {to.in(0), to.number(numberOf(to.node, "alpha", 1))});
  to.add("Mul", {to.in(0), above});
  to.give();
}
/// x + bias below -lambd, x - bias above lambd, else 0.
void shrink(Expansion& to) {
  const double bias = numberOf(to.node, "bias", 0), lambda = numberOf(to.node, "lambd", 0.5);
  const std::string below = to.add("Less", {to.in(0), to.number(-lambda)}),
                    above = to.add("Greater", {to.in(0), to.number(lambda)});
  const std::string low = to.add("Mul", {to.add("Add", {to.in(0), to.number(bias)}), below}),
                    high = to.add("Mul", {to.add("Sub", {to.in(0), to.number(bias)}), above});
  to.add("Add", {low, high});
  to.give();
}

// ---- functions of angles, and of areas under a hyperbola

void tangent(Expansion& to) {
  to.add("Div", {to.add("Sin", {to.in(0)}), to.add("Cos", {to.in(0)})});
  to.give();
}
/// atan(x / sqrt(1 - x^2)); pi/2 less that is the arc of the cosine.
void arcSine(Expansion& to) {
  const std::string rest = to.add("Sub", {to.number(1), to.add("Mul", {to.in(0), to.in(0)})});
  const std::string sine = to.add("Atan", {to.add("Div", {to.in(0), to.add("Sqrt", {rest})})});
  if (to.node.op == "Acos") to.add("Sub", {to.number(std::numbers::pi / 2), sine});
  to.give();
}
/// (exp(x) - exp(-x)) / 2, or their sum.
void hyperbolic(Expansion& to) {
  const std::string up = to.add("Exp", {to.in(0)}), down = to.add("Exp", {to.add("Neg", {to.in(0)})});
  to.add("Mul", {to.add(to.node.op == "Sinh" ? "Sub" : "Add", {up, down}), to.number(0.5)});
  to.give();
}
/// log(|x| + sqrt(x^2 + 1)) with the sign of x; of Acosh, log(x + sqrt(x^2 - 1)).
void areaOfHyperbolic(Expansion& to) {
  const bool sine = to.node.op == "Asinh";
  const std::string square = to.add("Mul", {to.in(0), to.in(0)});
  const std::string root = to.add("Sqrt", {to.add(sine ? "Add" : "Sub", {square, to.number(1)})});
  const std::string size = sine ? to.add("Abs", {to.in(0)}) : to.in(0);
  const std::string area = to.add("Log", {to.add("Add", {size, root})});
  if (sine) to.add("Mul", {area, to.add("Sign", {to.in(0)})});
  to.give();
}
/// log((1 + x) / (1 - x)) / 2.
void areaOfTangent(Expansion& to) {
  const std::string up = to.add("Add", {to.in(0), to.number(1)}),
                    down = to.add("Sub", {to.number(1), to.in(0)});
  to.add("Mul", {to.add("Log", {to.add("Div", {up, down})}), to.number(0.5)});
  to.give();
}

// ---- windows

OnnxShape listOr(const OnnxNode& node, const std::string& name, std::size_t count, std::int64_t otherwise) {
  const auto list = node.lists.find(name);
  return list == node.lists.end() ? OnnxShape(count, otherwise) : list->second;
}

std::vector<double> numbersOf(const OnnxShape& extents) {
  return {extents.begin(), extents.end()};
}

/// The kernel of a convolution that does the same: input and output channels change places, and the taps
/// their order.
std::string turnedKernel(Expansion& to, const OnnxShape& shape, std::int64_t groups) {
  std::string kernel = to.in(1);
  OnnxShape order{1, 0}, apart{groups, shape[0] / groups, shape[1]},
      whole{shape[1] * groups, shape[0] / groups};
  OnnxShape starts, ends, axes;
  for (std::size_t k = 2; k < shape.size(); ++k) {
    order.push_back(static_cast<std::int64_t>(k));
    apart.push_back(shape[k]), whole.push_back(shape[k]);
    starts.push_back(-1), ends.push_back(-(std::int64_t{1} << 31)),
        axes.push_back(static_cast<std::int64_t>(k));
  }
  if (groups > 1) {
    kernel = to.add("Reshape", {kernel, to.shapeOf(numbersOf(apart))});
    for (std::int64_t& axis : order) ++axis;
    order.insert(order.begin(), 0);
  }
  kernel = to.add("Transpose", {kernel});
  to.made.back().lists["perm"] = order;
  if (groups > 1) kernel = to.add("Reshape", {kernel, to.shapeOf(numbersOf(whole))});
  return to.add("Slice", {kernel, to.shapeOf(numbersOf(starts)), to.shapeOf(numbersOf(ends)),
                          to.shapeOf(numbersOf(axes)), to.shapeOf(std::vector<double>(axes.size(), -1))});
}

/// stride - 1 zeros behind every element of the dimensions from the third on.
std::string apart(Expansion& to, const OnnxShape& strides) {
  const std::size_t rank = strides.size();
  std::string x = to.in(0);
  OnnxShape behind(2 * (2 + 2 * rank), 0);
  for (std::size_t k = rank; k-- > 0;) {
    x = to.unsqueezed(x, static_cast<std::int64_t>(3 + k));
    behind[2 + 2 * rank + 3 + 2 * k] = strides[k] - 1;
  }
  x = to.add("Pad", {x});
  to.made.back().lists["pads"] = behind;
  std::vector<double> times{1, 1};
  times.insert(times.end(), strides.begin(), strides.end());
  const std::string shape = to.add("Shape", {to.in(0)});
  return to.add("Reshape", {x, to.add("Mul", {shape, to.shapeOf(times)})});
}

/// A convolution of the image with zeros between its elements. Windows that lie side by side stay as they
/// are: a product for each element is less.
void convTranspose(Expansion& to) {
  const OnnxValue* const kernel = to.value(to.in(1));
  const OnnxNode& node = to.node;
  if (!kernel || !kernel->constant || !kernel->shape || node.texts.contains("auto_pad") ||
      node.lists.contains("output_shape"))
    return;
  const OnnxShape& shape = *kernel->shape;
  const std::int64_t groups = integerOf(node, "group", 1);
  if (shape.size() < 3 || shape.size() > 4 || groups < 1 || elementsIn(shape).value_or(0) == 0 ||
      shape[0] % groups != 0)
    return;
  const std::size_t rank = shape.size() - 2;
  const OnnxShape strides = listOr(node, "strides", rank, 1), dilations = listOr(node, "dilations", rank, 1),
                  pads = listOr(node, "pads", 2 * rank, 0), more = listOr(node, "output_padding", rank, 0);
  if (strides.size() != rank || dilations.size() != rank || pads.size() != 2 * rank || more.size() != rank)
    return;
  OnnxShape padding(2 * rank);
  for (std::size_t k = 0; k < rank; ++k) {
    constexpr std::int64_t most = 1 << 15;
    for (const std::int64_t number : {shape[2 + k], strides[k], dilations[k]})
      if (number < 1 || number > most) return;
    const std::int64_t reach = (shape[2 + k] - 1) * dilations[k];
    padding[k] = reach - pads[k];
    padding[rank + k] = reach - pads[rank + k] + more[k] - (strides[k] - 1);
  }
  const bool side_by_side = rank == 2 && groups == 1 &&
                            OnnxShape(shape.begin() + 2, shape.end()) == strides && pads == OnnxShape(4, 0) &&
                            more == OnnxShape(2, 0);
  if (side_by_side || std::ranges::min(padding) < 0) return;
  const bool spread = std::ranges::max(strides) > 1;
  std::vector<std::string> inputs{spread ? apart(to, strides) : to.in(0), turnedKernel(to, shape, groups)};
  if (to.has(2)) inputs.push_back(to.in(2));
  to.add("Conv", std::move(inputs));
  to.made.back().lists["pads"] = padding;
  to.made.back().lists["dilations"] = dilations;
  to.made.back().integers["group"] = groups;
  to.give();
}

// ---- com.microsoft: what its optimizer joins

void skipNormalization(Expansion& to) {
  const bool layer = to.node.op == "SkipLayerNormalization";
  const std::size_t bias = layer ? 4 : 3;
  std::string sum = to.add("Add", {to.in(0), to.in(1)});
  if (to.has(bias)) sum = to.add("Add", {sum, to.in(bias)});
  if (to.wants(1) || to.wants(2)) return to.made.clear();
  if (to.wants(3)) {
    to.give(3);
    sum = to.node.outputs[3];
  }
  std::vector<std::string> inputs{sum, to.in(2)};
  if (layer) inputs.push_back(to.in(3));
  to.add(layer ? "LayerNormalization" : "RMSNormalization", std::move(inputs));
  to.made.back().integers["axis"] = -1;
  to.made.back().numbers["epsilon"] = numberOf(to.node, "epsilon", layer ? 1e-12 : 1e-5);
  to.give();
}

void biasedGelu(Expansion& to) {
  const std::string x = to.has(1) ? to.add("Add", {to.in(0), to.in(1)}) : to.in(0);
  to.add("Gelu", {x});
  if (to.node.op == "FastGelu") to.made.back().texts["approximate"] = "tanh";
  to.give();
}

// ---- quantization

std::string dequantized(Expansion& to, std::size_t x, std::size_t scale, std::size_t point,
                        std::int64_t axis = 1) {
  std::vector<std::string> inputs{to.in(x), to.in(scale)};
  if (to.has(point)) inputs.push_back(to.in(point));
  const std::string result = to.add("DequantizeLinear", std::move(inputs));
  to.made.back().integers["axis"] = axis;
  return result;
}

void quantizedResult(Expansion& to, const std::string& x, std::size_t scale, std::size_t point) {
  to.add("QuantizeLinear", {x, to.in(scale), to.in(point)});
  to.give();
}

void qLinearMatMul(Expansion& to) {
  if (!to.has(7)) return;
  quantizedResult(to, to.add("MatMul", {dequantized(to, 0, 1, 2), dequantized(to, 3, 4, 5)}), 6, 7);
}

void qLinearConv(Expansion& to) {
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

void qLinearPair(Expansion& to) {
  if (!to.has(7)) return;
  quantizedResult(to,
                  to.add(to.node.op == "QLinearAdd" ? "Add" : "Mul",
                         {dequantized(to, 0, 1, 2), dequantized(to, 3, 4, 5)}),
                  6, 7);
}

/// Both operands are taken from their zero points; then nothing lies outside that is not 0.
void convInteger(Expansion& to) {
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
void matMulNBits(Expansion& to) {
  if (to.has(4)) return;  // its groups are in an order of their own
  std::vector<std::string> inputs{to.in(1), to.in(2)};
  if (to.has(3)) inputs.push_back(to.in(3));
  const std::string weight = to.add("DequantizeNBits", std::move(inputs));
  to.made.back().integers = to.node.integers;
  const std::string product = to.add("MatMul", {to.in(0), weight});
  if (to.has(5)) to.add("Add", {product, to.in(5)});
  to.give();
}

using Rule = void (*)(Expansion&);
constexpr auto rules = std::to_array<std::pair<std::string_view, Rule>>(
    {{"LogSoftmax", logSoftmax},
     {"ReduceL1", reduceL1},
     {"ReduceLogSum", reduceLogSum},
     {"ReduceLogSumExp", reduceLogSumExp},
     {"LpNormalization", lpNormalization},
     {"InstanceNormalization", instanceNormalization},
     {"GroupNormalization", groupNormalization},
     {"Sum", variadic},
     {"Mean", variadic},
     {"PRelu", pRelu},
     {"Selu", selu},
     {"Celu", celu},
     {"Mish", mish},
     {"Softsign", softsign},
     {"QuickGelu", quickGelu},
     {"ThresholdedRelu", thresholdedRelu},
     {"Shrink", shrink},
     {"Tan", tangent},
     {"Asin", arcSine},
     {"Acos", arcSine},
     {"Sinh", hyperbolic},
     {"Cosh", hyperbolic},
     {"Asinh", areaOfHyperbolic},
     {"Acosh", areaOfHyperbolic},
     {"Atanh", areaOfTangent},
     {"MeanVarianceNormalization", meanVarianceNormalization},
     {"SkipLayerNormalization", skipNormalization},
     {"SkipSimplifiedLayerNormalization", skipNormalization},
     {"BiasGelu", biasedGelu},
     {"FastGelu", biasedGelu},
     {"QLinearMatMul", qLinearMatMul},
     {"QLinearConv", qLinearConv},
     {"QLinearAdd", qLinearPair},
     {"QLinearMul", qLinearPair},
     {"ConvInteger", convInteger},
     {"ConvTranspose", convTranspose},
     {"MatMulNBits", matMulNBits}});

/// A softmax that is 0 where it is not a number, as after a row of minus infinities: a ReLU is the same, as
/// what is not a number is not above 0 either.
void joinNotANumber(OnnxGraph& graph) {
  std::map<std::string, std::size_t> makers, readers;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& output : graph.nodes[i].outputs) makers[output] = i;
    for (const std::string& input : graph.nodes[i].inputs) ++readers[input];
    for (const std::string& value : graph.nodes[i].captured) ++readers[value];
  }
  for (const std::string& output : graph.outputs) ++readers[output];
  const auto made_by = [&](const std::string& value, const char* op) {
    const auto maker = makers.find(value);
    return maker != makers.end() && graph.nodes[maker->second].op == op;
  };
  std::set<std::size_t> gone;
  for (OnnxNode& node : graph.nodes) {
    if (node.op != "Where" || node.inputs.size() != 3 || !made_by(node.inputs[0], "IsNaN")) continue;
    const std::size_t test = makers[node.inputs[0]];
    const auto otherwise = graph.values.find(node.inputs[1]);
    if (graph.nodes[test].inputs != std::vector{node.inputs[2]} || !made_by(node.inputs[2], "Softmax") ||
        otherwise == graph.values.end() || otherwise->second.number() != 0.0)
      continue;
    if (--readers[node.inputs[0]] == 0) gone.insert(test);
    node.op = "Relu";
    node.inputs = {node.inputs[2]};
  }
  std::vector<OnnxNode> kept;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (!gone.contains(i)) kept.push_back(std::move(graph.nodes[i]));
  graph.nodes = std::move(kept);
}

}  // namespace

void expandNodes(OnnxGraph& graph) {
  joinNotANumber(graph);
  std::vector<OnnxNode> nodes;
  for (OnnxNode& node : graph.nodes) {
    const auto rule = std::ranges::find(rules, node.op, [](const auto& one) { return one.first; });
    Expansion to(graph, node);
    if (rule != rules.end() && !node.inputs.empty() && !node.outputs.empty()) rule->second(to);
    if (to.made.empty()) {
      nodes.push_back(std::move(node));
      continue;
    }
    for (std::size_t i = 0; i + 1 < to.made.size(); ++i) to.made[i].name += " part " + std::to_string(i + 1);
    std::ranges::move(to.made, std::back_inserter(nodes));
  }
  graph.nodes = std::move(nodes);
}

}  // namespace sluice::inline tensor

// Operators over rows as simpler ones: normalizations, reductions.

#include "engine/tensor/onnx/onnx_expansion.h"

namespace sluice::inline tensor {
namespace {

/// x - max - log(sum(exp(x - max))).
void logSoftmax(OnnxExpansion& to) {
  if (to.opset() < 13) return;  // over all dimensions from the axis on
  const std::int64_t axis = integerOf(to.node, "axis", -1);
  const std::string below = to.add("Sub", {to.in(0), to.reduced("ReduceMax", to.in(0), axis)});
  const std::string sum = to.reduced("ReduceSum", to.add("Exp", {below}), axis);
  to.add("Sub", {below, to.add("Log", {sum})});
  to.give();
}

/// A reduction over the same dimensions as the node's.
std::string alike(OnnxExpansion& to, const std::string& op, const std::string& x, bool keeps) {
  std::vector<std::string> inputs = to.node.inputs;
  inputs[0] = x;
  const std::string result = to.add(op, std::move(inputs));
  to.made.back().integers = to.node.integers;
  to.made.back().lists = to.node.lists;
  if (keeps) to.made.back().integers["keepdims"] = 1;
  return result;
}

void reduceL1(OnnxExpansion& to) {
  alike(to, "ReduceSum", to.add("Abs", {to.in(0)}), false);
  to.give();
}
void reduceLogSum(OnnxExpansion& to) {
  to.add("Log", {alike(to, "ReduceSum", to.in(0), false)});
  to.give();
}
void reduceLogSumExp(OnnxExpansion& to) {
  const std::string below = to.add("Sub", {to.in(0), alike(to, "ReduceMax", to.in(0), true)});
  const std::string sum = alike(to, "ReduceSum", to.add("Exp", {below}), false);
  const std::string log = to.add("Log", {sum});
  to.add("Add", {log, alike(to, "ReduceMax", to.in(0), false)});
  to.give();
}

void lpNormalization(OnnxExpansion& to) {
  const std::int64_t axis = integerOf(to.node, "axis", -1), p = integerOf(to.node, "p", 2);
  if (p != 1 && p != 2) return;
  to.add("Div", {to.in(0), p == 1 ? to.reduced("ReduceSum", to.add("Abs", {to.in(0)}), axis)
                                  : to.reduced("ReduceL2", to.in(0), axis)});
  to.give();
}

/// Rows of one mean and variance, without scale and bias.
std::string normalized(OnnxExpansion& to, const std::string& rows) {
  const std::string result = to.add("LayerNormalization", {rows, "", ""});
  to.made.back().integers["axis"] = -1;
  to.made.back().numbers["epsilon"] = numberOf(to.node, "epsilon", 1e-5);
  return result;
}
/// A number for each row.
std::string scaled(OnnxExpansion& to, const std::string& rows) {
  const std::string gained = to.add("Mul", {rows, to.unsqueezed(to.in(1), 1)});
  return to.add("Add", {gained, to.unsqueezed(to.in(2), 1)});
}

void instanceNormalization(OnnxExpansion& to) {
  const std::string rows = to.add("Reshape", {to.in(0), to.shapeOf({0, 0, -1})});
  to.add("Reshape", {scaled(to, normalized(to, rows)), to.add("Shape", {to.in(0)})});
  to.give();
}

/// Since opset 21 scale and bias are of channels, before of groups.
void groupNormalization(OnnxExpansion& to) {
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
void meanVarianceNormalization(OnnxExpansion& to) {
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

}  // namespace

std::span<const OnnxExpansionRule> rowsExpansionsOfOnnx() {
  static constexpr OnnxExpansionRule all[] = {{"LogSoftmax", logSoftmax},
                                              {"ReduceL1", reduceL1},
                                              {"ReduceLogSum", reduceLogSum},
                                              {"ReduceLogSumExp", reduceLogSumExp},
                                              {"LpNormalization", lpNormalization},
                                              {"InstanceNormalization", instanceNormalization},
                                              {"GroupNormalization", groupNormalization},
                                              {"MeanVarianceNormalization", meanVarianceNormalization}};
  return all;
}

}  // namespace sluice::inline tensor

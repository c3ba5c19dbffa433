// Operators that work element by element as simpler ones.

#include "engine/tensor/onnx/onnx_expansion.h"

namespace sluice::inline tensor {
namespace {

/// Two operands at a time. Pairs of the same name stay as they are.
void variadic(OnnxExpansion& to) {
  const std::string& op = to.node.op;
  const bool extreme = op == "Max" || op == "Min";
  if (extreme && to.node.inputs.size() == 2) return;
  std::string sum = to.in(0);
  for (std::size_t i = 1; i < to.node.inputs.size(); ++i) sum = to.add(extreme ? op : "Add", {sum, to.in(i)});
  if (op == "Mean") to.add("Mul", {sum, to.number(1.0 / static_cast<double>(to.node.inputs.size()))});
  if (to.made.empty()) to.add("Identity", {sum});
  to.give();
}

/// max(x, 0) + slope * min(x, 0).
void pRelu(OnnxExpansion& to) {
  const std::string below = to.add("Min", {to.in(0), to.number(0)});
  to.add("Add", {to.add("Relu", {to.in(0)}), to.add("Mul", {to.in(1), below})});
  to.give();
}

/// scale * (max(x, 0) + alpha * (exp(min(x, 0) / below) - 1)).
void exponentialBelow(OnnxExpansion& to, double alpha, double below, double scale) {
  std::string low = to.add("Min", {to.in(0), to.number(0)});
  if (below != 1) low = to.add("Div", {low, to.number(below)});
  low = to.add("Sub", {to.add("Exp", {low}), to.number(1)});
  std::string sum = to.add("Add", {to.add("Relu", {to.in(0)}), to.add("Mul", {low, to.number(alpha)})});
  if (scale != 1) sum = to.add("Mul", {sum, to.number(scale)});
  to.give();
}
void selu(OnnxExpansion& to) {
  exponentialBelow(to, numberOf(to.node, "alpha", 1.67326319217681884765625), 1,
                   numberOf(to.node, "gamma", 1.05070102214813232421875));
}
void celu(OnnxExpansion& to) {
  const double alpha = numberOf(to.node, "alpha", 1);
  if (alpha != 0) exponentialBelow(to, alpha, alpha, 1);
}
void mish(OnnxExpansion& to) {
  to.add("Mul", {to.in(0), to.add("Tanh", {to.add("Softplus", {to.in(0)})})});
  to.give();
}
void softsign(OnnxExpansion& to) {
  to.add("Div", {to.in(0), to.add("Add", {to.add("Abs", {to.in(0)}), to.number(1)})});
  to.give();
}
/// x sigmoid(alpha x).
void gated(OnnxExpansion& to) {
  const double alpha = numberOf(to.node, "alpha", to.node.op == "Swish" ? 1 : 1.702);
  const std::string scaled = alpha == 1 ? to.in(0) : to.add("Mul", {to.in(0), to.number(alpha)});
  to.add("Mul", {to.in(0), to.add("Sigmoid", {scaled})});
  to.give();
}

/// x where it is above alpha, else 0.
void thresholdedRelu(OnnxExpansion& to) {
  const std::string above = to.add("Greater", {to.in(0), to.number(numberOf(to.node, "alpha", 1))});
  to.add("Mul", {to.in(0), above});
  to.give();
}
/// x + bias below -lambd, x - bias above lambd, else 0.
void shrink(OnnxExpansion& to) {
  const double bias = numberOf(to.node, "bias", 0), lambda = numberOf(to.node, "lambd", 0.5);
  const std::string below = to.add("Less", {to.in(0), to.number(-lambda)}),
                    above = to.add("Greater", {to.in(0), to.number(lambda)});
  const std::string low = to.add("Mul", {to.add("Add", {to.in(0), to.number(bias)}), below}),
                    high = to.add("Mul", {to.add("Sub", {to.in(0), to.number(bias)}), above});
  to.add("Add", {low, high});
  to.give();
}

}  // namespace

std::span<const OnnxExpansionRule> pointwiseExpansionsOfOnnx() {
  static constexpr OnnxExpansionRule all[] = {
      {"Sum", variadic},      {"Max", variadic},    {"Min", variadic}, {"Mean", variadic},
      {"PRelu", pRelu},       {"Selu", selu},       {"Celu", celu},    {"Mish", mish},
      {"Softsign", softsign}, {"QuickGelu", gated}, {"Swish", gated},  {"ThresholdedRelu", thresholdedRelu},
      {"Shrink", shrink}};
  return all;
}

}  // namespace sluice::inline tensor

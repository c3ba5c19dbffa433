// Functions of angles, and of areas under a hyperbola, as simpler ones.

#include <numbers>

#include "engine/tensor/onnx/onnx_expansion.h"

namespace sluice::inline tensor {
namespace {

void tangent(OnnxExpansion& to) {
  to.add("Div", {to.add("Sin", {to.in(0)}), to.add("Cos", {to.in(0)})});
  to.give();
}
/// atan(x / sqrt(1 - x^2)); pi/2 less that is the arc of the cosine.
void arcSine(OnnxExpansion& to) {
  const std::string rest = to.add("Sub", {to.number(1), to.add("Mul", {to.in(0), to.in(0)})});
  const std::string sine = to.add("Atan", {to.add("Div", {to.in(0), to.add("Sqrt", {rest})})});
  if (to.node.op == "Acos") to.add("Sub", {to.number(std::numbers::pi / 2), sine});
  to.give();
}
/// (exp(x) - exp(-x)) / 2, or their sum.
void hyperbolic(OnnxExpansion& to) {
  const std::string up = to.add("Exp", {to.in(0)}), down = to.add("Exp", {to.add("Neg", {to.in(0)})});
  to.add("Mul", {to.add(to.node.op == "Sinh" ? "Sub" : "Add", {up, down}), to.number(0.5)});
  to.give();
}
/// log(|x| + sqrt(x^2 + 1)) with the sign of x; of Acosh, log(x + sqrt(x^2 - 1)).
void areaOfHyperbolic(OnnxExpansion& to) {
  const bool sine = to.node.op == "Asinh";
  const std::string square = to.add("Mul", {to.in(0), to.in(0)});
  const std::string root = to.add("Sqrt", {to.add(sine ? "Add" : "Sub", {square, to.number(1)})});
  const std::string size = sine ? to.add("Abs", {to.in(0)}) : to.in(0);
  const std::string area = to.add("Log", {to.add("Add", {size, root})});
  if (sine) to.add("Mul", {area, to.add("Sign", {to.in(0)})});
  to.give();
}
/// log((1 + x) / (1 - x)) / 2.
void areaOfTangent(OnnxExpansion& to) {
  const std::string up = to.add("Add", {to.in(0), to.number(1)}),
                    down = to.add("Sub", {to.number(1), to.in(0)});
  to.add("Mul", {to.add("Log", {to.add("Div", {up, down})}), to.number(0.5)});
  to.give();
}

}  // namespace

std::span<const OnnxExpansionRule> anglesExpansionsOfOnnx() {
  static constexpr OnnxExpansionRule all[] = {{"Tan", tangent},
                                              {"Asin", arcSine},
                                              {"Acos", arcSine},
                                              {"Sinh", hyperbolic},
                                              {"Cosh", hyperbolic},
                                              {"Asinh", areaOfHyperbolic},
                                              {"Acosh", areaOfHyperbolic},
                                              {"Atanh", areaOfTangent}};
  return all;
}

}  // namespace sluice::inline tensor

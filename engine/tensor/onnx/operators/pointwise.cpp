// Operators that work element by element: of one tensor, of two, of a choice between two.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "engine/itensor/itensor.h"
#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_functions.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"
#include "engine/tensor/onnx/onnx_types.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

bool isComparison(const std::string& op) {
  for (const char* known :
       {"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "And", "Or", "Xor", "Not", "IsNaN"})
    if (op == known) return true;
  return false;
}

/// Of the elements of a value that is broadcast to `shape`, the one at a place.
double elementAt(const std::vector<double>& elements, const OnnxShape& own, const OnnxShape& shape,
                 std::size_t place) {
  auto rest = static_cast<std::int64_t>(place);
  std::int64_t at = 0, stride = 1;
  for (std::size_t i = 1; i <= own.size(); ++i) {
    const std::int64_t index = rest % shape[shape.size() - i];
    rest /= shape[shape.size() - i];
    if (own[own.size() - i] != 1) at += index * stride;
    stride *= own[own.size() - i];
  }
  return elements.at(static_cast<std::size_t>(at));
}

/// Results of integers are integers.
double asType(double number, std::int64_t type) {
  return type == onnx_int64 || type == onnx_int32 ? static_cast<double>(integerFrom(number)) : number;
}

void inferPointwise(OnnxInference& infer) {
  OnnxShape shape = infer.shape(0);
  for (std::size_t i = 1; i < infer.inputs(); ++i) {
    const std::optional<OnnxShape> both = broadcastShape(shape, infer.shape(i));
    if (!both) OnnxInference::giveUp();
    shape = *both;
  }
  const std::string& op = infer.node().op;
  infer.result(0, shape, isComparison(op) ? onnx_bool : 0);
  if (!infer.knowsInputs() || op.empty()) return;
  const std::int64_t type = infer.typeOf(0);
  std::vector<double> operands(infer.inputs());
  bool known = true;
  std::vector<double> elements;
  const std::int64_t count = *elementsIn(shape);
  for (std::int64_t place = 0; known && place < std::min(count, infer.mostElements() + 1); ++place) {
    for (std::size_t i = 0; i < operands.size(); ++i)
      operands[i] = elementAt(infer.elements(i), infer.shape(i), shape, static_cast<std::size_t>(place));
    const std::optional<double> made = computed(op, operands);
    known = made.has_value();
    elements.push_back(asType(made.value_or(0), type));
  }
  if (known) infer.setElements(0, std::move(elements));
}

void inferSame(OnnxInference& infer) {
  infer.result(0, infer.shape(0));
}

/// The result of comparisons, and what is known of choices between known numbers.
void inferWhere(OnnxInference& infer) {
  std::optional<OnnxShape> shape = broadcastShape(infer.shape(1), infer.shape(2));
  if (shape) shape = broadcastShape(*shape, infer.shape(0));
  if (!shape) OnnxInference::giveUp();
  infer.result(0, *shape, infer.typeOf(1));
  infer.computed(0, [&](std::size_t place) {
    const auto at = [&](std::size_t i) {
      return elementAt(infer.elements(i), infer.shape(i), *shape, place);
    };
    return at(at(0) != 0 ? 1 : 2);
  });
}

TensorOperator ofOne(Kind kind, std::size_t x) {
  return {{}, kind, {x}, 0, false, {}, {}, {}};
}
TensorOperator withNumber(Kind kind, std::size_t x, double number) {
  TensorOperator op = ofOne(kind, x);
  op.number = static_cast<float>(number);
  return op;
}

std::optional<Kind> kindOf(const std::string& op) {
  static const std::map<std::string, Kind> kinds{
      {"Add", Kind::Add},        {"Sub", Kind::Sub},     {"Mul", Kind::Mul},
      {"Div", Kind::Div},        {"Max", Kind::Max},     {"Min", Kind::Min},
      {"Pow", Kind::Pow},        {"Relu", Kind::Relu},   {"Sigmoid", Kind::Sigmoid},
      {"Tanh", Kind::Tanh},      {"Exp", Kind::Exp},     {"Log", Kind::Log},
      {"Sqrt", Kind::Sqrt},      {"Neg", Kind::Neg},     {"Reciprocal", Kind::Reciprocal},
      {"Abs", Kind::Abs},        {"Round", Kind::Round}, {"Erf", Kind::Erf},
      {"Sin", Kind::Sin},        {"Cos", Kind::Cos},     {"Atan", Kind::Atan},
      {"Silu", Kind::Silu},      {"Gelu", Kind::Gelu},   {"Floor", Kind::Floor},
      {"Sign", Kind::Sign},      {"And", Kind::Mul},     {"Or", Kind::Max},
      {"Xor", Kind::Sub},        {"Less", Kind::Less},   {"Equal", Kind::Equal},
      {"Greater", Kind::Greater}};
  const auto found = kinds.find(op);
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

void activation(OnnxConverter& to, const OnnxNode& node) {
  Kind kind = *kindOf(node.op);
  const auto form = node.texts.find("approximate");
  if (kind == Kind::Gelu && form != node.texts.end() && form->second == "tanh") kind = Kind::GeluTanh;
  to.apply(node, ofOne(kind, to.tensor(node.inputs[0])), to.shape(node.inputs[0]));
}

/// What a number of a model is in the program's arithmetic; empty where it is too large for it.
std::optional<double> usable(std::optional<double> number) {
  if (number && !std::isfinite(static_cast<float>(*number))) return {};
  return number;
}

/// The operand that flows through, in the whole shape.
std::size_t flowing(OnnxConverter& to, const std::string& name, const OnnxShape& whole,
                    const std::string& result) {
  const OnnxShape own = to.shape(name);
  if (withoutLeadingOnes(own) == withoutLeadingOnes(whole)) return to.viewed(name, whole);
  return to.expanded(to.tensor(name), whole, result + " spread");
}

/// Two operands, broadcast: the larger flows, the other is repeated, or a number.
struct Operands {
  OnnxShape whole;
  bool swapped = false;  ///< the second is the one that flows
  std::size_t x = 0;
  std::optional<double> number;
  std::size_t other = 0;  ///< where there is no number
};

Operands operandsOf(OnnxConverter& to, const OnnxNode& node) {
  if (node.inputs.size() != 2) throw OnnxUnknown("it does not have two inputs");
  if (node.integers.contains("axis"))
    throw OnnxUnknown("its axis is a way of broadcasting from before opset 7");
  const std::string &a = node.inputs[0], &b = node.inputs[1], &result = node.outputs[0];
  if (to.constant(a) && to.constant(b)) throw OnnxUnknown("both inputs are constants");
  const std::optional<OnnxShape> whole = broadcastShape(to.shape(a), to.shape(b));
  if (!whole) throw OnnxUnknown("the shapes of its inputs do not go together");
  if (whole->empty()) throw OnnxUnknown("its input has no dimensions");
  const auto isWhole = [&](const std::string& name) {
    return !to.constant(name) && withoutLeadingOnes(to.shape(name)) == withoutLeadingOnes(*whole);
  };
  Operands two{*whole, to.constant(a) || (!isWhole(a) && isWhole(b)), 0, {}, 0};
  two.x = flowing(to, two.swapped ? b : a, *whole, result);
  const std::string& small = two.swapped ? a : b;
  two.number = usable(to.number(small));
  if (!two.number) two.other = to.repeated(small, *whole, result);
  return two;
}

/// `kind` of both operands, of which `x` is the one that flows.
TensorOperator ofBoth(Kind kind, std::size_t x, const Operands& two) {
  if (two.number) return withNumber(kind, x, *two.number);
  TensorOperator op = ofOne(kind, x);
  op.inputs.push_back(two.other);
  return op;
}

/// Cut towards 0, as quotients of integers are.
std::size_t cutQuotient(OnnxConverter& to, std::size_t quotient, const std::string& result,
                        const OnnxShape& shape) {
  std::size_t times = to.step(ofOne(Kind::Abs, quotient), result + " size", shape);
  times = to.step(ofOne(Kind::Floor, times), result + " times", shape);
  const std::size_t sign = to.step(ofOne(Kind::Sign, quotient), result + " sign", shape);
  return to.step({{}, Kind::Mul, {times, sign}, 0, false, {}, {}, {}}, result + " cut", shape);
}

/// Where the operands change places, a difference becomes a sum with the negative, a quotient a product with
/// the inverse.
void pair(OnnxConverter& to, const OnnxNode& node) {
  Kind kind = *kindOf(node.op);
  const bool whole = !node.inputs.empty() && !isFloat(to.scalar(node.inputs[0]));
  if (kind == Kind::Pow && whole)
    throw OnnxUnknown("it works on integers, and what it drops of a result is not followed");
  const bool grows = node.op == "Add" || node.op == "Sub" || node.op == "Mul";
  if (const int bits = to.scalar(node.inputs[0]).bits; whole && grows && bits < 32)
    throw OnnxUnknown("it works on integers of " + std::to_string(bits) +
                      " bits, and how results wrap is not followed");
  const Operands two = operandsOf(to, node);
  if (two.swapped && kind == Kind::Pow) throw OnnxUnknown("its exponent is computed");
  const std::string& result = node.outputs[0];
  if (kind == Kind::Div && whole) {
    if (two.swapped) throw OnnxUnknown("its divisor is larger than what it divides");
    const std::size_t quotient = to.step(ofBoth(kind, two.x, two), result + " quotient", two.whole);
    return to.give(node, cutQuotient(to, quotient, result, two.whole));
  }
  std::size_t x = two.x;
  if (two.swapped && (kind == Kind::Sub || kind == Kind::Div)) {
    x = to.step(ofOne(kind == Kind::Sub ? Kind::Neg : Kind::Reciprocal, x),
                result + (kind == Kind::Sub ? " negated" : " inverted"), two.whole);
    kind = kind == Kind::Sub ? Kind::Add : Kind::Mul;
  }
  to.apply(node, ofBoth(kind, x, two), two.whole);
}

/// 1 where it holds, else 0. What is not above another number is below it or the same.
void comparison(OnnxConverter& to, const OnnxNode& node) {
  const Operands two = operandsOf(to, node);
  if (node.op == "Equal") return to.apply(node, ofBoth(Kind::Equal, two.x, two), two.whole);
  const bool below = node.op.starts_with("Less") != two.swapped, or_equal = node.op.ends_with("OrEqual");
  TensorOperator strictly = ofBoth(below ? Kind::Less : Kind::Greater, two.x, two);
  if (!or_equal) return to.apply(node, std::move(strictly), two.whole);
  const std::string& result = node.outputs[0];
  const std::size_t apart = to.step(std::move(strictly), result + (below ? " below" : " above"), two.whole),
                    same = to.step(ofBoth(Kind::Equal, two.x, two), result + " same", two.whole);
  to.apply(node, {{}, Kind::Max, {apart, same}, 0, false, {}, {}, {}}, two.whole);
}

/// Truth values are 0 and 1.
void exclusiveOr(OnnxConverter& to, const OnnxNode& node) {
  const Operands two = operandsOf(to, node);
  const std::size_t apart =
      to.step(ofBoth(Kind::Sub, two.x, two), node.outputs[0] + " difference", two.whole);
  to.apply(node, ofOne(Kind::Abs, apart), two.whole);
}

/// 1 - x.
void negation(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape shape = to.shape(node.inputs[0]);
  const std::size_t x =
      to.step(ofOne(Kind::Neg, to.tensor(node.inputs[0])), node.outputs[0] + " negated", shape);
  to.apply(node, withNumber(Kind::Add, x, 1), shape);
}

/// What is not the same as itself.
void isNotANumber(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape shape = to.shape(node.inputs[0]);
  const std::size_t x = to.tensor(node.inputs[0]);
  std::size_t same =
      to.step({{}, Kind::Equal, {x, x}, 0, false, {}, {}, {}}, node.outputs[0] + " same", shape);
  same = to.step(ofOne(Kind::Neg, same), node.outputs[0] + " negated", shape);
  to.apply(node, withNumber(Kind::Add, same, 1), shape);
}

/// What is larger than every number, or below all of them.
void isInfinite(OnnxConverter& to, const OnnxNode& node) {
  const bool below = integerOf(node, "detect_negative", 1) != 0,
             above = integerOf(node, "detect_positive", 1) != 0;
  if (!below && !above) throw OnnxUnknown("it looks for no infinity");
  const OnnxShape shape = to.shape(node.inputs[0]);
  std::size_t size = to.tensor(node.inputs[0]);
  if (below) size = to.step(ofOne(above ? Kind::Abs : Kind::Neg, size), node.outputs[0] + " size", shape);
  to.apply(node, withNumber(Kind::Greater, size, std::numeric_limits<float>::max()), shape);
}

/// -floor(-x).
void ceiling(OnnxConverter& to, const OnnxNode& node) {
  const OnnxShape shape = to.shape(node.inputs[0]);
  const std::string& result = node.outputs[0];
  std::size_t x = to.step(ofOne(Kind::Neg, to.tensor(node.inputs[0])), result + " negated", shape);
  x = to.step(ofOne(Kind::Floor, x), result + " floor", shape);
  to.apply(node, ofOne(Kind::Neg, x), shape);
}

/// a - b floor(a / b): of the divisor's sign; with `fmod` the quotient is cut towards 0: of the dividend's.
void remainder(OnnxConverter& to, const OnnxNode& node) {
  const Operands two = operandsOf(to, node);
  if (two.swapped) throw OnnxUnknown("its divisor is larger than what it divides");
  const std::string& result = node.outputs[0];
  const std::size_t quotient = to.step(ofBoth(Kind::Div, two.x, two), result + " quotient", two.whole);
  const bool cuts = integerOf(node, "fmod", 0) != 0;
  const std::size_t times = cuts ? cutQuotient(to, quotient, result, two.whole)
                                 : to.step(ofOne(Kind::Floor, quotient), result + " times", two.whole);
  const std::size_t whole = to.step(ofBoth(Kind::Mul, times, two), result + " multiple", two.whole);
  to.apply(node, {{}, Kind::Sub, {two.x, whole}, 0, false, {}, {}, {}}, two.whole);
}

void one(OnnxConverter& to, const OnnxNode& node) {
  if (node.inputs.size() != 1) throw OnnxUnknown("it does not have one input");
  activation(to, node);
}

void clip(OnnxConverter& to, const OnnxNode& node) {
  const auto bound = [&](const char* attribute, std::size_t input) -> std::optional<double> {
    if (node.numbers.contains(attribute)) return node.numbers.at(attribute);
    if (input >= node.inputs.size() || node.inputs[input].empty()) return {};
    const std::optional<double> number = to.number(node.inputs[input]);
    if (!number) throw OnnxUnknown("the value of its bound '" + node.inputs[input] + "' is not known");
    return number;
  };
  const std::optional<double> low = usable(bound("min", 1)), high = usable(bound("max", 2));
  const OnnxShape shape = to.shape(node.inputs[0]);
  if (!low && !high) return to.pass(node);
  std::size_t x = to.tensor(node.inputs[0]);
  if (low && high) x = to.step(withNumber(Kind::Max, x, *low), node.outputs[0] + " from below", shape);
  to.apply(node, high ? withNumber(Kind::Min, x, *high) : withNumber(Kind::Max, x, *low), shape);
}

/// max(0, min(1, alpha x + beta)); HardSwish multiplies by x.
void hard(OnnxConverter& to, const OnnxNode& node) {
  const bool swish = node.op == "HardSwish";
  const double alpha = swish ? 1.0 / 6 : numberOf(node, "alpha", 0.2),
               beta = swish ? 0.5 : numberOf(node, "beta", 0.5);
  const OnnxShape shape = to.shape(node.inputs[0]);
  const std::string& result = node.outputs[0];
  const std::size_t x = to.tensor(node.inputs[0]);
  std::size_t y = to.step(withNumber(Kind::Mul, x, alpha), result + " scaled", shape);
  y = to.step(withNumber(Kind::Add, y, beta), result + " shifted", shape);
  y = to.step(withNumber(Kind::Min, y, 1), result + " from above", shape);
  if (!swish) return to.apply(node, withNumber(Kind::Max, y, 0), shape);
  y = to.step(withNumber(Kind::Max, y, 0), result + " gate", shape);
  to.apply(node, {{}, Kind::Mul, {y, x}, 0, false, {}, {}, {}}, shape);
}

/// max(x, 0) + alpha (exp(min(x, 0)) - 1); of Softplus, log(1 + exp(-|x|)) in place of the second.
void softenedRelu(OnnxConverter& to, const OnnxNode& node) {
  const bool plus = node.op == "Softplus";
  const double alpha = numberOf(node, "alpha", 1);
  const OnnxShape shape = to.shape(node.inputs[0]);
  const std::string& result = node.outputs[0];
  const std::size_t x = to.tensor(node.inputs[0]);
  const auto step = [&](TensorOperator op, const std::string& name) {
    return to.step(std::move(op), result + " " + name, shape);
  };
  std::size_t y = plus ? step(ofOne(Kind::Neg, step(ofOne(Kind::Abs, x), "size")), "below")
                       : step(withNumber(Kind::Min, x, 0), "below");
  y = step(ofOne(Kind::Exp, y), "exponential");
  y = plus ? step(ofOne(Kind::Log, step(withNumber(Kind::Add, y, 1), "and 1")), "logarithm")
           : step(withNumber(Kind::Mul, step(withNumber(Kind::Sub, y, 1), "less 1"), alpha), "scaled");
  const std::size_t above = step(withNumber(Kind::Max, x, 0), "above");
  to.apply(node, {{}, Kind::Add, {above, y}, 0, false, {}, {}, {}}, shape);
}

void leakyRelu(OnnxConverter& to, const OnnxNode& node) {
  const double slope = numberOf(node, "alpha", 0.01);
  if (!(slope >= 0 && slope <= 1)) throw OnnxUnknown("its slope is not from 0 to 1");
  const OnnxShape shape = to.shape(node.inputs[0]);
  const std::size_t x = to.tensor(node.inputs[0]);
  const std::size_t y = to.step(withNumber(Kind::Mul, x, slope), node.outputs[0] + " below", shape);
  to.apply(node, {{}, Kind::Max, {y, x}, 0, false, {}, {}, {}}, shape);
}

void where(OnnxConverter& to, const OnnxNode& node) {
  if (node.inputs.size() != 3) throw OnnxUnknown("it does not have three inputs");
  std::optional<OnnxShape> whole = broadcastShape(to.shape(node.inputs[1]), to.shape(node.inputs[2]));
  if (whole) whole = broadcastShape(*whole, to.shape(node.inputs[0]));
  if (!whole || whole->empty()) throw OnnxUnknown("the shapes of its inputs do not go together");
  std::vector<std::size_t> inputs;
  for (const std::string& name : node.inputs) {
    std::optional<double> number = to.number(name);
    if (number && !std::isnan(*number)) {
      constexpr double most = std::numeric_limits<float>::max();
      if (!std::isinf(*number)) number = std::clamp(*number, -most, most);
      TensorOperator fill{node.outputs[0] + " " + name, Kind::Fill, {}, 0, false, {}, {}, {}};
      fill.number = static_cast<float>(*number);
      const std::string label = fill.name;
      inputs.push_back(to.add(std::move(fill), label, {whole->back()}, to.scalar(name)));
    } else {
      inputs.push_back(to.repeated(name, *whole, node.outputs[0] + " " + name));
    }
  }
  to.apply(node, {{}, Kind::Where, std::move(inputs), 0, false, {}, {}, {}}, *whole);
}

constexpr OnnxOperator pointwise[] = {{"Add", inferPointwise, pair},
                                      {"Sub", inferPointwise, pair},
                                      {"Mul", inferPointwise, pair},
                                      {"Div", inferPointwise, pair},
                                      {"Max", inferPointwise, pair},
                                      {"Min", inferPointwise, pair},
                                      {"Pow", inferPointwise, pair},
                                      {"Relu", inferPointwise, one},
                                      {"Sigmoid", inferPointwise, one},
                                      {"Tanh", inferPointwise, one},
                                      {"Exp", inferPointwise, one},
                                      {"Log", inferPointwise, one},
                                      {"Sqrt", inferPointwise, one},
                                      {"Neg", inferPointwise, one},
                                      {"Reciprocal", inferPointwise, one},
                                      {"Abs", inferPointwise, one},
                                      {"Erf", inferPointwise, one},
                                      {"Sin", inferPointwise, one},
                                      {"Cos", inferPointwise, one},
                                      {"Silu", inferSame, activation},
                                      {"Gelu", inferSame, activation},
                                      {"Clip", inferSame, clip},
                                      {"HardSigmoid", inferSame, hard},
                                      {"HardSwish", inferSame, hard},
                                      {"LeakyRelu", inferSame, leakyRelu},
                                      {"Where", inferWhere, where},
                                      {"Equal", inferPointwise, comparison},
                                      {"Less", inferPointwise, comparison},
                                      {"Greater", inferPointwise, comparison},
                                      {"LessOrEqual", inferPointwise, comparison},
                                      {"GreaterOrEqual", inferPointwise, comparison},
                                      {"And", inferPointwise, pair},
                                      {"Or", inferPointwise, pair},
                                      {"Xor", inferPointwise, exclusiveOr},
                                      {"Not", inferPointwise, negation},
                                      {"Mod", inferPointwise, remainder},
                                      {"Floor", inferPointwise, one},
                                      {"Ceil", inferPointwise, ceiling},
                                      {"Round", inferPointwise, one},
                                      {"Sign", inferPointwise, one},
                                      {"Elu", inferSame, softenedRelu},
                                      {"Selu", inferSame, nullptr},
                                      {"Celu", inferSame, nullptr},
                                      {"Mish", inferSame, nullptr},
                                      {"Softplus", inferSame, softenedRelu},
                                      {"Softsign", inferSame, nullptr},
                                      {"PRelu", inferSame, nullptr},
                                      {"IsNaN", inferPointwise, isNotANumber},
                                      {"IsInf", inferPointwise, isInfinite},
                                      {"Atan", inferPointwise, one},
                                      {"Tan", inferSame, nullptr},
                                      {"Asin", inferSame, nullptr},
                                      {"Acos", inferSame, nullptr},
                                      {"Sinh", inferSame, nullptr},
                                      {"Cosh", inferSame, nullptr},
                                      {"Asinh", inferSame, nullptr},
                                      {"Acosh", inferSame, nullptr},
                                      {"Atanh", inferSame, nullptr},
                                      {"ThresholdedRelu", inferSame, nullptr},
                                      {"Shrink", inferSame, nullptr},
                                      {"MeanVarianceNormalization", inferSame, nullptr},
                                      {"QuickGelu", inferSame, nullptr}};

}  // namespace

std::span<const OnnxOperator> pointwiseOfOnnx() {
  return pointwise;
}

}  // namespace sluice::inline tensor

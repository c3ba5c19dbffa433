// Einsum of one or two operands: transpositions around a product of matrices.

#include <algorithm>
#include <map>
#include <set>

#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

/// "bij,bjk->bik": a letter for each dimension.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

/// Empty: with dots, or a letter twice in one operand, which takes diagonals.
std::optional<Equation> equationOf(const OnnxNode& node) {
  const auto found = node.texts.find("equation");
  if (found == node.texts.end()) return {};
  Equation equation;
  std::string text = found->second;
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  for (std::size_t begin = 0; begin <= std::min(arrow, text.size());) {
    const std::size_t end = std::min({text.find(',', begin), arrow, text.size()});
    equation.operands.push_back(text.substr(begin, end - begin));
    begin = end + 1;
    if (end == arrow) break;
  }
  std::map<char, int> count;
  for (const std::string& operand : equation.operands) {
    if (std::set<char>(operand.begin(), operand.end()).size() != operand.size()) return {};
    for (const char letter : operand) ++count[letter];
  }
  if (text.find('.') != std::string::npos || equation.operands.size() != node.inputs.size()) return {};
  if (arrow != std::string::npos) {
    equation.result = text.substr(arrow + 2);
  } else {
    for (const auto& [letter, times] : count)
      if (times == 1) equation.result += letter;
  }
  for (const char letter : equation.result)
    if (!count.contains(letter) || std::ranges::count(equation.result, letter) != 1) return {};
  return equation;
}

/// Of each letter; empty where operands do not agree.
std::optional<std::map<char, std::int64_t>> extentsOf(const Equation& equation,
                                                      std::span<const OnnxShape> shapes) {
  std::map<char, std::int64_t> extents;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].size() != equation.operands[i].size()) return {};
    for (std::size_t k = 0; k < shapes[i].size(); ++k)
      if (extents.try_emplace(equation.operands[i][k], shapes[i][k]).first->second != shapes[i][k]) return {};
  }
  return extents;
}

void inferEinsum(OnnxInference& infer) {
  const std::optional<Equation> equation = equationOf(infer.node());
  std::vector<OnnxShape> shapes;
  for (std::size_t i = 0; i < infer.inputs(); ++i) shapes.push_back(infer.shape(i));
  const auto extents = equation ? extentsOf(*equation, shapes) : std::nullopt;
  if (!extents) OnnxInference::giveUp();
  OnnxShape result;
  for (const char letter : equation->result) result.push_back(extents->at(letter));
  infer.result(0, result);
}

class Einsum {
 public:
  Einsum(OnnxConverter& to, const OnnxNode& node, Equation equation, std::map<char, std::int64_t> extents)
      : to_(to), node_(node), equation_(std::move(equation)), extents_(std::move(extents)) {}

  void convert() {
    if (equation_.operands.size() == 1) {
      if (equation_.operands[0].size() != equation_.result.size())
        throw OnnxUnknown("it sums over one operand");
      const std::size_t x = to_.tensor(node_.inputs[0]);
      return to_.give(node_, inOrder(x, equation_.operands[0], equation_.result, node_.outputs[0]));
    }
    if (equation_.operands.size() != 2) throw OnnxUnknown("it has more than two operands");
    sort();
    const std::string& name = node_.outputs[0];
    const std::size_t left = matrices(0, both_ + left_ + summed_, left_, name + " left operand");
    const std::size_t right = matrices(1, both_ + right_ + summed_, right_, name + " right operand");
    OnnxShape shape = extents(both_);
    shape.insert(shape.end(), {size(left_), size(right_)});
    const std::size_t product = to_.step({{}, Kind::BatchedMatmul, {left, right}, 0, true, {}, {}, {}},
                                         name + " product", std::move(shape));
    const std::string order = both_ + left_ + right_;
    const std::size_t whole = to_.reshaped(product, extents(order), name + " apart");
    to_.give(node_, inOrder(whole, order, equation_.result, name));
  }

 private:
  /// Letters of both operands that stay or are summed over, and those of one.
  void sort() {
    const auto has = [](const std::string& letters, char letter) {
      return letters.find(letter) != std::string::npos;
    };
    for (const char letter : equation_.operands[0]) {
      const bool other = has(equation_.operands[1], letter), stays = has(equation_.result, letter);
      if (!other && !stays) throw OnnxUnknown("it sums over one operand");
      (other ? stays ? both_ : summed_ : left_) += letter;
    }
    for (const char letter : equation_.operands[1]) {
      if (has(equation_.operands[0], letter)) continue;
      if (!has(equation_.result, letter)) throw OnnxUnknown("it sums over one operand");
      right_ += letter;
    }
  }

  OnnxShape extents(const std::string& letters) const {
    OnnxShape shape;
    for (const char letter : letters) shape.push_back(extents_.at(letter));
    return shape;
  }
  std::int64_t size(const std::string& letters) const { return elementsIn(extents(letters)).value_or(0); }

  std::size_t inOrder(std::size_t x, const std::string& from, const std::string& to,
                      const std::string& name) {
    std::vector<std::size_t> permutation;
    for (const char letter : to) permutation.push_back(from.find(letter));
    return to_.transposed(x, permutation, name);
  }

  /// [both..., rows, summed].
  std::size_t matrices(std::size_t input, const std::string& order, const std::string& rows,
                       const std::string& name) {
    const std::size_t x =
        inOrder(to_.tensor(node_.inputs[input]), equation_.operands[input], order, name + " in order");
    OnnxShape shape = extents(both_);
    shape.insert(shape.end(), {size(rows), size(summed_)});
    return to_.reshaped(x, shape, name);
  }

  OnnxConverter& to_;
  const OnnxNode& node_;
  Equation equation_;
  std::map<char, std::int64_t> extents_;
  std::string both_, left_, right_, summed_;
};

void einsum(OnnxConverter& to, const OnnxNode& node) {
  std::optional<Equation> equation = equationOf(node);
  if (!equation) throw OnnxUnknown("its equation has dots or takes diagonals");
  std::vector<OnnxShape> shapes;
  for (const std::string& input : node.inputs) shapes.push_back(to.shape(input));
  auto extents = extentsOf(*equation, shapes);
  if (!extents) throw OnnxUnknown("the shapes of its operands do not go with its equation");
  Einsum(to, node, *std::move(equation), *std::move(extents)).convert();
}

}  // namespace

std::span<const OnnxOperator> einsumOfOnnx() {
  static constexpr OnnxOperator all[] = {{"Einsum", inferEinsum, einsum}};
  return all;
}

}  // namespace sluice::inline tensor

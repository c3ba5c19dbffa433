// Einsum: transpositions around products of matrices, and sums.

#include <algorithm>
#include <map>
#include <set>

#include "engine/tensor/onnx/onnx_converter.h"
#include "engine/tensor/onnx/onnx_coverage.h"
#include "engine/tensor/onnx/onnx_inference.h"
#include "engine/tensor/onnx/onnx_operators.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

/// "bij,bjk->bik": a letter for each dimension, digits for those of dots.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

/// Dots are letters, too: of so many dimensions, the last ones of as many as an operand has.
std::string withoutDots(std::string letters, std::size_t dimensions) {
  constexpr std::string_view digits = "0123456789";
  const std::size_t at = letters.find("...");
  if (at == std::string::npos || dimensions > digits.size()) return letters;
  return letters.replace(at, 3, digits.substr(digits.size() - dimensions));
}

/// Of operands of these ranks. Empty: a letter twice in one operand takes diagonals, or it is no equation.
std::optional<Equation> equationOf(const OnnxNode& node, std::span<const OnnxShape> shapes) {
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
  if (equation.operands.size() != shapes.size()) return {};
  std::size_t dots = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    std::string& operand = equation.operands[i];
    if (operand.find("...") == std::string::npos) continue;
    if (shapes[i].size() + 3 < operand.size()) return {};
    const std::size_t own = shapes[i].size() + 3 - operand.size();
    operand = withoutDots(operand, own);
    dots = std::max(dots, own);
  }
  std::map<char, int> count;
  for (const std::string& operand : equation.operands) {
    if (std::set<char>(operand.begin(), operand.end()).size() != operand.size()) return {};
    for (const char letter : operand) ++count[letter];
  }
  if (arrow != std::string::npos) {
    equation.result = withoutDots(text.substr(arrow + 2), dots);
  } else {
    equation.result = withoutDots("...", dots);
    for (const auto& [letter, times] : count)
      if (times == 1 && equation.result.find(letter) == std::string::npos) equation.result += letter;
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
  std::vector<OnnxShape> shapes;
  for (std::size_t i = 0; i < infer.inputs(); ++i) shapes.push_back(infer.shape(i));
  const std::optional<Equation> equation = equationOf(infer.node(), shapes);
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

  /// Operands are multiplied one after the other.
  void convert() {
    const std::string& name = node_.outputs[0];
    Term made{to_.tensor(node_.inputs[0]), equation_.operands[0]};
    for (std::size_t i = 1; i < equation_.operands.size(); ++i) {
      std::string kept = equation_.result;
      for (std::size_t k = i + 1; k < equation_.operands.size(); ++k) kept += equation_.operands[k];
      const bool last = i + 1 == equation_.operands.size();
      made = product(made, {to_.tensor(node_.inputs[i]), equation_.operands[i]}, kept,
                     last ? name : name + " of " + std::to_string(i + 1));
    }
    made = summed(made, equation_.result, name);
    to_.give(node_, inOrder(made.tensor, made.letters, equation_.result, name));
  }

 private:
  struct Term {
    std::size_t tensor = 0;
    std::string letters;
  };

  static bool has(const std::string& letters, char letter) {
    return letters.find(letter) != std::string::npos;
  }

  Term product(Term a, Term b, const std::string& kept, const std::string& name) {
    a = summed(a, b.letters + kept, name + " left");
    b = summed(b, a.letters + kept, name + " right");
    std::string both, left, right, inner;
    for (const char letter : a.letters)
      (has(b.letters, letter) ? has(kept, letter) ? both : inner : left) += letter;
    for (const char letter : b.letters)
      if (!has(a.letters, letter)) right += letter;
    const std::size_t x = matrices(a, both, left, inner, name + " left operand"),
                      y = matrices(b, both, right, inner, name + " right operand");
    OnnxShape shape = extents(both);
    shape.insert(shape.end(), {size(left), size(right)});
    const std::size_t made =
        to_.step({{}, Kind::BatchedMatmul, {x, y}, 0, true, {}, {}, {}}, name + " product", std::move(shape));
    const std::string order = both + left + right;
    return {to_.reshaped(made, extents(order), name + " apart"), order};
  }

  /// Without the letters that nobody keeps.
  Term summed(const Term& x, const std::string& kept, const std::string& name) {
    std::string own, gone;
    for (const char letter : x.letters) (has(kept, letter) ? own : gone) += letter;
    if (gone.empty()) return x;
    std::size_t rows = inOrder(x.tensor, x.letters, own + gone, name + " rows");
    OnnxShape shape = extents(own);
    shape.push_back(size(gone));
    rows = to_.reshaped(rows, shape, name + " merged");
    shape.back() = 1;
    rows = to_.step({{}, Kind::ReduceSum, {rows}, 0, false, {}, {}, {}}, name + " summed", shape);
    if (own.empty()) throw OnnxUnknown("its result has no dimensions");
    return {to_.reshaped(rows, extents(own), name + " sums"), own};
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

  /// [both..., rows, inner].
  std::size_t matrices(const Term& term, const std::string& both, const std::string& rows,
                       const std::string& inner, const std::string& name) {
    const std::size_t x = inOrder(term.tensor, term.letters, both + rows + inner, name + " in order");
    OnnxShape shape = extents(both);
    shape.insert(shape.end(), {size(rows), size(inner)});
    return to_.reshaped(x, shape, name);
  }

  OnnxConverter& to_;
  const OnnxNode& node_;
  Equation equation_;
  std::map<char, std::int64_t> extents_;
};

void einsum(OnnxConverter& to, const OnnxNode& node) {
  std::vector<OnnxShape> shapes;
  for (const std::string& input : node.inputs) shapes.push_back(to.shape(input));
  std::optional<Equation> equation = equationOf(node, shapes);
  if (!equation) throw OnnxUnknown("its equation takes diagonals, or is none");
  auto extents = extentsOf(*equation, shapes);
  if (!extents) throw OnnxUnknown("the shapes of its operands do not go with its equation");
  Einsum(to, node, *std::move(equation), *std::move(extents)).convert();
}

}  // namespace

/// Of each two operands one after the other, a product for every combination of the letters that they have
/// when what nobody keeps is summed.
std::optional<std::int64_t> productsOfEinsum(const OnnxNode& node, std::span<const OnnxShape> shapes) {
  const std::optional<Equation> equation = equationOf(node, shapes);
  const auto extents = equation ? extentsOf(*equation, shapes) : std::nullopt;
  if (!extents) return {};
  std::set<char> made(equation->operands[0].begin(), equation->operands[0].end());
  std::int64_t sum = 0;
  for (std::size_t i = 1; i < equation->operands.size(); ++i) {
    std::string kept = equation->result;
    for (std::size_t k = i + 1; k < equation->operands.size(); ++k) kept += equation->operands[k];
    const std::set<char> other(equation->operands[i].begin(), equation->operands[i].end()), left = made;
    const auto is_kept = [&](char letter) { return kept.find(letter) != std::string::npos; };
    std::erase_if(made, [&](char letter) { return !other.contains(letter) && !is_kept(letter); });
    for (const char letter : other)
      if (left.contains(letter) || is_kept(letter)) made.insert(letter);
    OnnxShape factors;
    for (const char letter : made) factors.push_back(extents->at(letter));
    const std::optional<std::int64_t> products = elementsIn(factors);
    if (!products || *products > (std::int64_t{1} << 60) - sum) return {};
    sum += *products;
    std::erase_if(made, [&](char letter) { return !is_kept(letter); });
  }
  return sum;
}

std::span<const OnnxOperator> einsumOfOnnx() {
  static constexpr OnnxOperator all[] = {{"Einsum", inferEinsum, einsum}};
  return all;
}

}  // namespace sluice::inline tensor

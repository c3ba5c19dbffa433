// The value of an expression where every symbol has one: its tree in checked 64-bit arithmetic.

#include <algorithm>
#include <charconv>

#include "engine/symbolic/tree.h"

namespace sluice::inline symbolic {
namespace {

using Values = std::map<std::string, std::int64_t>;
using Number = std::optional<std::int64_t>;

/// Nothing: a symbol without a value, a division by what is not positive, or a number that does not fit.
Number valueOf(const Tree& tree, const Values& values);

Number numberOf(const std::string& digits) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && stop == digits.data() + digits.size() ? Number(number) : std::nullopt;
}

Number combined(Tree::Kind kind, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (kind) {
    case Tree::Kind::Sum:
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : Number(result);
    case Tree::Kind::Product:
    case Tree::Kind::Power:
      return __builtin_mul_overflow(a, b, &result) ? std::nullopt : Number(result);
    case Tree::Kind::CeilDiv:
      return b > 0 ? Number(a / b + (a % b > 0 ? 1 : 0)) : std::nullopt;
    case Tree::Kind::FloorDiv:
      return b > 0 ? Number(a / b - (a % b < 0 ? 1 : 0)) : std::nullopt;
    case Tree::Kind::Max:
      return std::max(a, b);
    case Tree::Kind::Min:
      return std::min(a, b);
    case Tree::Kind::Number:
    case Tree::Kind::Symbol:
      break;
  }
  return std::nullopt;
}

Number valueOf(const Tree& tree, const Values& values) {
  if (tree.kind == Tree::Kind::Number) return numberOf(tree.name);
  if (tree.kind == Tree::Kind::Symbol) {
    const auto value = values.find(tree.name);
    return value == values.end() ? std::nullopt : Number(value->second);
  }
  Number result = valueOf(tree.operands.front(), values);
  if (tree.kind == Tree::Kind::Power) {
    const Number base = result;
    if (!base || tree.exponent < 1) return std::nullopt;
    if (*base == 0 || *base == 1) return base;  // all others soon reach their end, or that of 64 bits
    if (*base == -1) return tree.exponent % 2 == 0 ? 1 : -1;
    for (std::int64_t k = 1; result && k < tree.exponent; ++k) result = combined(tree.kind, *result, *base);
    return result;
  }
  for (std::size_t i = 1; result && i < tree.operands.size(); ++i) {
    const Number next = valueOf(tree.operands[i], values);
    result = next ? combined(tree.kind, *result, *next) : std::nullopt;
  }
  return result;
}

}  // namespace

std::optional<std::int64_t> Expr::value(const Values& values) const {
  if (const auto number = constant()) return number;
  if (const auto number = valueOf(*toTree(*this), values)) return number;
  // What is not known may fall away when what is known stands in its place.
  std::map<std::string, Expr> replacements;
  const std::shared_ptr<const std::set<std::string>> symbols = symbolsOf(*this);
  if (values.size() < symbols->size()) {  // a few knobs, in a sum over hundreds of experts
    for (const auto& [symbol, value] : values)
      if (symbols->contains(symbol)) replacements.emplace(symbol, value);
  } else {
    for (const std::string& symbol : *symbols)
      if (const auto value = values.find(symbol); value != values.end())
        replacements.emplace(symbol, value->second);
  }
  if (replacements.empty()) return std::nullopt;
  return substitute(replacements).constant();
}

}  // namespace sluice::inline symbolic

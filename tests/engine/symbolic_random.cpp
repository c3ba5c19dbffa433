#include "tests/engine/symbolic_random.h"

#include <algorithm>
#include <cmath>

namespace sluice::symbolic_test {
namespace {

using Kind = Formula::Kind;

constexpr std::int64_t kLargest = std::int64_t{1} << 50;

int pick(std::mt19937& random, int from, int to) {
  return std::uniform_int_distribution<int>(from, to)(random);
}

/// Rounds towards minus infinity by searching from the truncated quotient.
std::int64_t floorOf(std::int64_t a, std::int64_t b) {
  std::int64_t quotient = a / b;
  while ((b > 0 && quotient * b > a) || (b < 0 && quotient * b < a)) --quotient;
  return quotient;
}

std::int64_t ceilOf(std::int64_t a, std::int64_t b) {
  std::int64_t quotient = a / b;
  while ((b > 0 && quotient * b < a) || (b < 0 && quotient * b > a)) ++quotient;
  return quotient;
}

}  // namespace

Formula randomFormula(std::mt19937& random, int depth, const std::vector<std::string>& names) {
  Formula formula;
  if (depth == 0 || pick(random, 0, 7) == 0) {
    if (pick(random, 0, 2) == 0) {
      formula.number = pick(random, -4, 12);
    } else {
      formula.kind = Kind::Symbol;
      formula.name = names[static_cast<std::size_t>(pick(random, 0, static_cast<int>(names.size()) - 1))];
    }
    return formula;
  }
  formula.kind = static_cast<Kind>(pick(random, static_cast<int>(Kind::Add), static_cast<int>(Kind::Min)));
  for (int i = 0; i < 2; ++i) formula.operands.push_back(randomFormula(random, depth - 1, names));
  return formula;
}

Values randomValues(std::mt19937& random, const std::vector<std::string>& names, int largest) {
  Values values;
  for (const std::string& name : names) values[name] = pick(random, 0, largest);
  return values;
}

std::optional<std::int64_t> evaluated(const Formula& formula, const Values& values) {
  if (formula.kind == Kind::Number) return formula.number;
  if (formula.kind == Kind::Symbol) return values.at(formula.name);
  const auto a = evaluated(formula.operands[0], values), b = evaluated(formula.operands[1], values);
  if (!a || !b) return {};
  const bool divides = formula.kind == Kind::Ceil || formula.kind == Kind::Floor;
  if (divides && *b == 0) return {};
  if (formula.kind == Kind::Multiply && std::fabs(static_cast<double>(*a) * static_cast<double>(*b)) > 1e15)
    return {};
  std::int64_t result = 0;
  switch (formula.kind) {
    case Kind::Add:
      result = *a + *b;
      break;
    case Kind::Subtract:
      result = *a - *b;
      break;
    case Kind::Multiply:
      result = *a * *b;
      break;
    case Kind::Ceil:
      result = ceilOf(*a, *b);
      break;
    case Kind::Floor:
      result = floorOf(*a, *b);
      break;
    case Kind::Max:
      result = std::max(*a, *b);
      break;
    case Kind::Min:
      result = std::min(*a, *b);
      break;
    case Kind::Number:
    case Kind::Symbol:
      break;
  }
  if (result > kLargest || result < -kLargest) return {};
  return result;
}

Expr built(const Formula& formula) {
  if (formula.kind == Kind::Number) return formula.number;
  if (formula.kind == Kind::Symbol) return Expr::symbol(formula.name);
  const Expr a = built(formula.operands[0]), b = built(formula.operands[1]);
  switch (formula.kind) {
    case Kind::Add:
      return a + b;
    case Kind::Subtract:
      return a - b;
    case Kind::Multiply:
      return a * b;
    case Kind::Ceil:
      return ceilDiv(a, b);
    case Kind::Floor:
      return floorDiv(a, b);
    case Kind::Max:
      return max(a, b);
    default:
      return min(a, b);
  }
}

std::string written(const Formula& formula) {
  if (formula.kind == Kind::Number) return std::to_string(formula.number);
  if (formula.kind == Kind::Symbol) return formula.name;
  const std::string a = written(formula.operands[0]), b = written(formula.operands[1]);
  switch (formula.kind) {
    case Kind::Add:
      return "(" + a + " + " + b + ")";
    case Kind::Subtract:
      return "(" + a + " - " + b + ")";
    case Kind::Multiply:
      return "(" + a + "*" + b + ")";
    // max(a, a) keeps a division inside `a` a floor division: directly inside ceil it would be exact.
    case Kind::Ceil:
      return "ceil(max(" + a + ", " + a + ")/max(" + b + ", " + b + "))";
    case Kind::Floor:
      return "max(" + a + "/" + b + ", " + a + "/" + b + ")";
    case Kind::Max:
      return "max(" + a + ", " + b + ")";
    default:
      return "min(" + a + ", " + b + ")";
  }
}

std::map<std::string, Expr> asExprs(const Values& values) {
  std::map<std::string, Expr> result;
  for (const auto& [name, value] : values) result.emplace(name, value);
  return result;
}

}  // namespace sluice::symbolic_test

#pragma once
// Random formulas for the symbolic tests, with an evaluator and a printer that know nothing of Expr.

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engine/symbolic/expr.h"

namespace sluice::symbolic_test {

using Values = std::map<std::string, std::int64_t>;

struct Formula {
  enum class Kind { Number, Symbol, Add, Subtract, Multiply, Ceil, Floor, Max, Min };
  Kind kind = Kind::Number;
  std::int64_t number = 0;
  std::string name;
  std::vector<Formula> operands;  ///< none or two
};

/// A formula of at most that depth over those names, with numbers from -4 to 12.
Formula randomFormula(std::mt19937& random, int depth, const std::vector<std::string>& names);
/// Every name's value, from 0 to `largest`.
Values randomValues(std::mt19937& random, const std::vector<std::string>& names, int largest);

/// The value by plain 64-bit arithmetic; nothing if it divides by zero or leaves the range where doubles are
/// exact.
std::optional<std::int64_t> evaluated(const Formula& formula, const Values& values);
Expr built(const Formula& formula);
/// Fully parenthesised, in the language of parseExpr; a floor division is written a / b.
std::string written(const Formula& formula);

std::map<std::string, Expr> asExprs(const Values& values);

}  // namespace sluice::symbolic_test

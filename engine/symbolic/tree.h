#pragma once
// Tree: an expression as plain data, free of GiNaC and its lock. Printing and compiling walk this.

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/symbolic/expr.h"

namespace sluice::inline symbolic {

struct Tree {
  enum class Kind { Number, Symbol, Sum, Product, Power, CeilDiv, FloorDiv, Max, Min };

  Kind kind = Kind::Number;
  std::string name;           ///< of a Symbol; the decimal digits of a Number, with its sign
  std::int64_t exponent = 1;  ///< of a Power, at least 2
  std::vector<Tree>
      operands;  ///< terms, factors, the base, dividend and divisor, or arguments; in no particular order
};

/// Made once.
std::shared_ptr<const Tree> toTree(const Expr& expr);
/// The names of its symbols, without the copy that Expr::symbols() is; null for a number.
std::shared_ptr<const std::set<std::string>> symbolsOf(const Expr& expr);

}  // namespace sluice::inline symbolic

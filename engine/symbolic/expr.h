#pragma once
// Expr: a symbolic integer expression in non-negative symbols, canonical, with ceil-division, floor-division,
// max and min. Simplification takes every divisor to be other than zero: ceil(N*x/N) is x. A division by the
// number 0 stays as it is. Held in GiNaC; no GiNaC type shows here. Expr is safe to use from any thread:
// GiNaC itself is not, so an operation takes the one GiNaC lock inside (see ginac_guard in expr.cpp) - when a
// thread meets it first (memo.h). Evaluating at many points takes no lock: CompiledExprs (compiled.h).

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace sluice::inline symbolic {

class Expr {
 public:
  Expr() = default;                             ///< 0
  Expr(std::int64_t value) : number_(value) {}  ///< implicit on purpose: shapes mix numbers and symbols
  Expr(int value) : Expr(static_cast<std::int64_t>(value)) {}
  /// The non-negative integer symbol of that name; the same name is the same symbol everywhere.
  static Expr symbol(const std::string& name);

  friend Expr operator+(const Expr& a, const Expr& b);
  friend Expr operator-(const Expr& a, const Expr& b);
  friend Expr operator*(const Expr& a, const Expr& b);
  Expr& operator+=(const Expr& other) { return *this = *this + other; }
  Expr& operator*=(const Expr& other) { return *this = *this * other; }
  /// Algebraic equality (both sides have the same canonical form), not identity.
  bool operator==(const Expr& other) const;

  /// The value, if no symbol is left and it fits in 64 bits.
  std::optional<std::int64_t> constant() const { return node_ ? std::nullopt : std::optional(number_); }
  std::set<std::string> symbols() const;
  Expr substitute(const std::map<std::string, Expr>& values) const;
  /// What substitute() leaves if that is a constant; without GiNaC where 64 bits are enough on the way.
  std::optional<std::int64_t> value(const std::map<std::string, std::int64_t>& values) const;
  /// Deterministic: the same expression prints the same in every run ("4*ceil(n_0/16) + 2*D").
  std::string text() const;
  std::string latex() const;  ///< "4 \lceil n_{0}/16 \rceil + 2 D"

  struct Node;  ///< the GiNaC side, expr.cpp only
  const Node* node() const { return node_.get(); }
  explicit Expr(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

 private:
  std::shared_ptr<const Node> node_;  ///< null: a number
  std::int64_t number_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Expr& expr);  ///< its text

/// All of them at once: `total += term` over thousands of terms copies the growing sum every time.
Expr sum(std::span<const Expr> terms);
Expr ceilDiv(const Expr& a, const Expr& b);   ///< ceiling of a/b; simplifies multiples and constants
Expr floorDiv(const Expr& a, const Expr& b);  ///< floor of a/b
Expr max(const Expr& a, const Expr& b);
Expr min(const Expr& a, const Expr& b);

/// Whether it may be walked, printed and compiled: what stands for other expressions many times over can be
/// small in memory and yet have more parts than there is time for.
bool isTractable(const Expr& expr);

/// Parses "2*B*ceil(F/f) + max(a, b)". '/' is floor division, but exact directly inside ceil(...) and
/// floor(...): there ceil(2*a/b + 1) means what it says. Names are [A-Za-z_][A-Za-z0-9_.]*; N^2 is a power
/// with a number as exponent; functions are ceil(a/b) or ceil(a, b), floor likewise, max and min of two or
/// more. The diagnostic's place names the column; `place` is put before it.
Result<Expr> parseExpr(std::string_view text, const Location& place = "expression");
/// The expression with `by` for every mention of the symbol `name`, and otherwise as it is written.
std::string replaceSymbol(std::string_view expression, std::string_view name, std::string_view by);

}  // namespace sluice::inline symbolic

// Expr on GiNaC. Everything that touches GiNaC is in this file and algebra.cpp, under one lock.

#include "engine/symbolic/expr.h"

#include <ginac/ginac.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <sstream>
#include <unordered_map>
#include <vector>

#include "engine/symbolic/algebra.h"
#include "engine/symbolic/tree.h"

namespace sluice {

static_assert(sizeof(long) == sizeof(std::int64_t), "GiNaC's numbers are made from long");

/// A number, or a GiNaC expression that is no 64-bit number. Numbers cost no GiNaC and no lock.
struct Expr::Node {
  explicit Node(std::int64_t value) : number(value) {}
  explicit Node(GiNaC::ex value) : symbolic(std::move(value)) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();

  std::int64_t number = 0;
  std::optional<GiNaC::ex> symbolic;
};

namespace {

using GiNaC::ex;
using GiNaC::ex_to;
using GiNaC::is_a;

using NodePointer = std::shared_ptr<const Expr::Node>;

/// GiNaC counts references without atomics and shares its small numbers between all expressions, so it has
/// process-wide state whatever we do; the lock and the names of its symbols therefore belong to the process
/// too. Never destroyed, so that an Expr may outlive main().
struct Ginac {
  std::recursive_mutex mutex;
  std::unordered_map<std::string, NodePointer> symbols;
};

Ginac& ginac() {
  static Ginac& instance = *new Ginac;
  return instance;
}

/// Held around every touch of GiNaC, the end of an expression included.
[[nodiscard]] std::unique_lock<std::recursive_mutex> ginac_guard() {
  return std::unique_lock(ginac().mutex);
}

std::optional<std::int64_t> smallNumber(const ex& e) {
  if (!is_a<GiNaC::numeric>(e)) return {};
  const auto& number = ex_to<GiNaC::numeric>(e);
  if (number < GiNaC::numeric(std::numeric_limits<long>::min())) return {};
  if (number > GiNaC::numeric(std::numeric_limits<long>::max())) return {};
  return number.to_long();
}

// The helpers below are called under the lock.

NodePointer nodeOf(const ex& e) {
  if (const auto number = smallNumber(e)) return std::make_shared<const Expr::Node>(*number);
  return std::make_shared<const Expr::Node>(e);
}

ex exOf(const Expr& expr) {
  const Expr::Node& node = expr.node();
  return node.symbolic ? *node.symbolic : ex(GiNaC::numeric(static_cast<long>(node.number)));
}

bool isNumber(const Expr& expr, std::int64_t value) {
  return !expr.node().symbolic && expr.node().number == value;
}
bool bothNumbers(const Expr& a, const Expr& b) {
  return !a.node().symbolic && !b.node().symbolic;
}
bool smallDivision(const Expr& a, const Expr& b) {
  return bothNumbers(a, b) && b.node().number > 0;
}

Expr apply(algebra::Function function, const Expr& a, const Expr& b) {
  const auto guard = ginac_guard();
  return Expr(nodeOf(algebra::apply(function, exOf(a), exOf(b))));
}

/// Calls use(symbol) for every occurrence of a symbol.
template <class Use>
void forEachSymbol(const ex& e, const Use& use) {
  if (is_a<GiNaC::symbol>(e)) use(ex_to<GiNaC::symbol>(e));
  for (const ex& operand : e) forEachSymbol(operand, use);
}

Tree::Kind kindOf(const ex& e) {
  if (is_a<GiNaC::add>(e)) return Tree::Kind::Sum;
  if (is_a<GiNaC::mul>(e)) return Tree::Kind::Product;
  if (is_a<GiNaC::power>(e)) return Tree::Kind::Power;
  if (is_a<GiNaC::symbol>(e)) return Tree::Kind::Symbol;
  if (is_a<GiNaC::numeric>(e)) return Tree::Kind::Number;
  switch (algebra::functionOf(e).value()) {
    case algebra::Function::CeilDiv:
      return Tree::Kind::CeilDiv;
    case algebra::Function::FloorDiv:
      return Tree::Kind::FloorDiv;
    case algebra::Function::Max:
      return Tree::Kind::Max;
    case algebra::Function::Min:
      return Tree::Kind::Min;
  }
  throw std::logic_error("an unknown function in an expression");
}

Tree treeOf(const ex& e) {
  Tree tree{.kind = kindOf(e), .name = {}, .exponent = 1, .operands = {}};
  if (tree.kind == Tree::Kind::Symbol) {
    tree.name = ex_to<GiNaC::symbol>(e).get_name();
  } else if (tree.kind == Tree::Kind::Number) {
    std::ostringstream digits;
    digits << e;
    tree.name = digits.str();
  } else if (tree.kind == Tree::Kind::Power) {
    tree.exponent = ex_to<GiNaC::numeric>(e.op(1)).to_long();
    tree.operands.push_back(treeOf(e.op(0)));
  } else {
    tree.operands.reserve(e.nops());
    for (const ex& operand : e) tree.operands.push_back(treeOf(operand));
  }
  return tree;
}

}  // namespace

Expr::Node::~Node() {
  if (!symbolic) return;
  const auto guard = ginac_guard();
  symbolic.reset();
}

Expr::Expr() : Expr(std::int64_t{0}) {}
Expr::Expr(std::int64_t value) : node_(std::make_shared<const Node>(value)) {}

Expr Expr::symbol(const std::string& name) {
  const auto guard = ginac_guard();
  NodePointer& node = ginac().symbols[name];
  if (!node) node = std::make_shared<const Node>(ex(GiNaC::symbol(name)));
  return Expr(node);
}

Expr operator+(const Expr& a, const Expr& b) {
  if (isNumber(b, 0)) return a;
  if (isNumber(a, 0)) return b;
  std::int64_t result = 0;
  if (bothNumbers(a, b) && !__builtin_add_overflow(a.node_->number, b.node_->number, &result)) return result;
  const auto guard = ginac_guard();
  return Expr(nodeOf(exOf(a) + exOf(b)));
}

Expr operator-(const Expr& a, const Expr& b) {
  if (isNumber(b, 0)) return a;
  if (a.node_ == b.node_) return {};
  std::int64_t result = 0;
  if (bothNumbers(a, b) && !__builtin_sub_overflow(a.node_->number, b.node_->number, &result)) return result;
  const auto guard = ginac_guard();
  return Expr(nodeOf(exOf(a) - exOf(b)));
}

Expr operator*(const Expr& a, const Expr& b) {
  if (isNumber(b, 1) || isNumber(a, 0)) return a;
  if (isNumber(a, 1) || isNumber(b, 0)) return b;
  std::int64_t result = 0;
  if (bothNumbers(a, b) && !__builtin_mul_overflow(a.node_->number, b.node_->number, &result)) return result;
  const auto guard = ginac_guard();
  return Expr(nodeOf(algebra::expanded(exOf(a) * exOf(b))));
}

bool Expr::operator==(const Expr& other) const {
  if (node_ == other.node_) return true;
  if (bothNumbers(*this, other)) return node_->number == other.node_->number;
  if (!node_->symbolic || !other.node_->symbolic) return false;  // a symbolic node is never a 64-bit number
  const auto guard = ginac_guard();
  return node_->symbolic->is_equal(*other.node_->symbolic);  // both are canonical
}

std::optional<std::int64_t> Expr::constant() const {
  if (node_->symbolic) return {};
  return node_->number;
}

std::set<std::string> Expr::symbols() const {
  std::set<std::string> names;
  if (!node_->symbolic) return names;
  const auto guard = ginac_guard();
  forEachSymbol(*node_->symbolic, [&names](const GiNaC::symbol& symbol) { names.insert(symbol.get_name()); });
  return names;
}

Expr Expr::substitute(const std::map<std::string, Expr>& values) const {
  if (!node_->symbolic || values.empty()) return *this;
  const auto guard = ginac_guard();
  GiNaC::exmap replacements;
  forEachSymbol(*node_->symbolic, [&](const GiNaC::symbol& symbol) {
    const auto value = values.find(symbol.get_name());
    if (value != values.end()) replacements.emplace(symbol, exOf(value->second));
  });
  if (replacements.empty()) return *this;
  return Expr(
      nodeOf(algebra::expanded(node_->symbolic->subs(replacements, GiNaC::subs_options::no_pattern))));
}

Expr sum(std::span<const Expr> terms) {
  if (terms.size() == 1) return terms.front();
  const auto guard = ginac_guard();
  GiNaC::exvector all;
  all.reserve(terms.size());
  for (const Expr& term : terms) all.push_back(exOf(term));
  return Expr(nodeOf(GiNaC::add(all)));
}

Expr ceilDiv(const Expr& a, const Expr& b) {
  if (isNumber(b, 1)) return a;
  if (smallDivision(a, b)) {
    const std::int64_t n = a.node().number, d = b.node().number;
    return n / d + (n % d > 0 ? 1 : 0);
  }
  return apply(algebra::Function::CeilDiv, a, b);
}

Expr floorDiv(const Expr& a, const Expr& b) {
  if (isNumber(b, 1)) return a;
  if (smallDivision(a, b)) {
    const std::int64_t n = a.node().number, d = b.node().number;
    return n / d - (n % d < 0 ? 1 : 0);
  }
  return apply(algebra::Function::FloorDiv, a, b);
}

Expr max(const Expr& a, const Expr& b) {
  if (bothNumbers(a, b)) return a.node().number < b.node().number ? b : a;
  return apply(algebra::Function::Max, a, b);
}

Expr min(const Expr& a, const Expr& b) {
  if (bothNumbers(a, b)) return b.node().number < a.node().number ? b : a;
  return apply(algebra::Function::Min, a, b);
}

Tree toTree(const Expr& expr) {
  if (!expr.node().symbolic) {
    return {.kind = Tree::Kind::Number,
            .name = std::to_string(expr.node().number),
            .exponent = 1,
            .operands = {}};
  }
  const auto guard = ginac_guard();
  return treeOf(*expr.node().symbolic);
}

}  // namespace sluice

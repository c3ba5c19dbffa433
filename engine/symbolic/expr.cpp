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
#include "engine/symbolic/memo.h"
#include "engine/symbolic/tree.h"

namespace sluice::inline symbolic {

static_assert(sizeof(long) == sizeof(std::int64_t), "GiNaC's numbers are made from long");

/// A GiNaC expression that is no 64-bit number. Numbers cost no GiNaC and no lock.
struct Expr::Node {
  explicit Node(GiNaC::ex value) : symbolic(std::move(value)) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();

  std::optional<GiNaC::ex> symbolic;  ///< always there; optional, so that it can end under the lock

  /// Free of GiNaC; made when it is first asked for. Not to be asked for under the lock.
  struct Facts {
    Tree tree;
    std::set<std::string> symbols;
  };
  std::shared_ptr<const Facts> facts() const;

 private:
  mutable std::once_flag facts_once_;
  mutable std::shared_ptr<const Facts> facts_;
};

namespace {

using GiNaC::ex;
using GiNaC::ex_to;
using GiNaC::is_a;

using Operation = Memo::Operation;

/// GiNaC counts references without atomics and shares its small numbers between all expressions, so it has
/// process-wide state whatever we do; the lock and the names of its symbols therefore belong to the process
/// too. Never destroyed, so that an Expr may outlive main().
struct Ginac {
  std::recursive_mutex mutex;
  std::unordered_map<std::string, GiNaC::symbol> symbols;
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

Expr exprOf(const ex& e) {
  if (const auto number = smallNumber(e)) return *number;
  return Expr(std::make_shared<const Expr::Node>(e));
}

ex exOf(const Expr& expr) {
  const auto number = expr.constant();
  return number ? ex(GiNaC::numeric(static_cast<long>(*number))) : *expr.node()->symbolic;
}

bool isNumber(const Expr& expr, std::int64_t value) {
  return expr.constant() == value;
}
bool bothNumbers(const Expr& a, const Expr& b) {
  return !a.node() && !b.node();
}
bool smallDivision(const Expr& a, const Expr& b) {
  return bothNumbers(a, b) && *b.constant() > 0;
}

/// What `compute` gives under the lock, or gave before.
template <class Compute>
Expr remembered(Operation operation, const Expr& a, const Expr& b, const Compute& compute) {
  return Memo::ofThisThread()(operation, a, b, [&] {
    const auto guard = ginac_guard();
    return exprOf(compute());
  });
}

Expr apply(Operation operation, algebra::Function function, const Expr& a, const Expr& b) {
  return remembered(operation, a, b, [&] { return algebra::apply(function, exOf(a), exOf(b)); });
}

/// Every node of a tree is asked: by the exact type, which is told faster than a base.
Tree::Kind kindOf(const ex& e) {
  using GiNaC::is_exactly_a;
  if (is_exactly_a<GiNaC::symbol>(e)) return Tree::Kind::Symbol;
  if (is_exactly_a<GiNaC::numeric>(e)) return Tree::Kind::Number;
  if (is_exactly_a<GiNaC::mul>(e)) return Tree::Kind::Product;
  if (is_exactly_a<GiNaC::add>(e)) return Tree::Kind::Sum;
  if (is_exactly_a<GiNaC::power>(e)) return Tree::Kind::Power;
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

std::string digitsOf(const ex& number) {
  const bool whole = ex_to<GiNaC::numeric>(number).is_integer();
  if (const auto small = whole ? smallNumber(number) : std::nullopt) return std::to_string(*small);
  std::ostringstream digits;
  digits << number;
  return digits.str();
}

Tree treeOf(const ex& e) {
  Tree tree{.kind = kindOf(e), .name = {}, .exponent = 1, .operands = {}};
  if (tree.kind == Tree::Kind::Symbol) {
    tree.name = ex_to<GiNaC::symbol>(e).get_name();
  } else if (tree.kind == Tree::Kind::Number) {
    tree.name = digitsOf(e);
  } else if (tree.kind == Tree::Kind::Power) {
    tree.exponent = ex_to<GiNaC::numeric>(e.op(1)).to_long();
    tree.operands.push_back(treeOf(e.op(0)));
  } else {
    tree.operands.reserve(e.nops());
    for (const ex& operand : e) tree.operands.push_back(treeOf(operand));
  }
  return tree;
}

void collectSymbols(const Tree& tree, std::set<std::string>& symbols) {
  if (tree.kind == Tree::Kind::Symbol) symbols.insert(tree.name);
  for (const Tree& operand : tree.operands) collectSymbols(operand, symbols);
}

}  // namespace

Expr::Node::~Node() {
  const auto guard = ginac_guard();
  symbolic.reset();
}

Expr Expr::symbol(const std::string& name) {
  return Memo::ofThisThread().symbol(name, [&name] {
    const auto guard = ginac_guard();
    return Expr(std::make_shared<const Node>(ginac().symbols.try_emplace(name, name).first->second));
  });
}

Expr operator+(const Expr& a, const Expr& b) {
  if (isNumber(b, 0)) return a;
  if (isNumber(a, 0)) return b;
  std::int64_t result = 0;
  if (bothNumbers(a, b) && !__builtin_add_overflow(a.number_, b.number_, &result)) return result;
  return remembered(Operation::Add, a, b, [&] { return exOf(a) + exOf(b); });
}

Expr operator-(const Expr& a, const Expr& b) {
  if (isNumber(b, 0)) return a;
  if (a.node_ && a.node_ == b.node_) return {};
  std::int64_t result = 0;
  if (bothNumbers(a, b) && !__builtin_sub_overflow(a.number_, b.number_, &result)) return result;
  return remembered(Operation::Subtract, a, b, [&] { return exOf(a) - exOf(b); });
}

Expr operator*(const Expr& a, const Expr& b) {
  if (isNumber(b, 1) || isNumber(a, 0)) return a;
  if (isNumber(a, 1) || isNumber(b, 0)) return b;
  std::int64_t result = 0;
  if (bothNumbers(a, b) && !__builtin_mul_overflow(a.number_, b.number_, &result)) return result;
  return remembered(Operation::Multiply, a, b, [&] { return algebra::expanded(exOf(a) * exOf(b)); });
}

bool Expr::operator==(const Expr& other) const {
  if (node_ == other.node_) return number_ == other.number_;
  if (!node_ || !other.node_) return false;  // a node is never a 64-bit number
  const Expr equal = remembered(Operation::Equal, *this, other, [&] {
    return ex(node_->symbolic->is_equal(*other.node_->symbolic) ? 1 : 0);  // both are canonical
  });
  return equal.number_ != 0;
}

std::set<std::string> Expr::symbols() const {
  return node_ ? node_->facts()->symbols : std::set<std::string>();
}

Expr Expr::substitute(const std::map<std::string, Expr>& values) const {
  if (!node_ || values.empty()) return *this;
  std::vector<Expr> replaced;
  std::vector<const Expr*> operands = {this};
  for (const std::string& name : node_->facts()->symbols) {
    const auto value = values.find(name);
    if (value == values.end()) continue;
    replaced.push_back(symbol(name));
    operands.push_back(&value->second);
  }
  if (replaced.empty()) return *this;
  const std::size_t count = replaced.size();
  for (const Expr& each : replaced) operands.push_back(&each);
  return Memo::ofThisThread()(Operation::Substitute, operands, [&] {
    const auto guard = ginac_guard();
    GiNaC::exmap replacements;
    for (std::size_t i = 1; i <= count; ++i)
      replacements.emplace(exOf(*operands[i + count]), exOf(*operands[i]));
    return exprOf(algebra::expanded(node_->symbolic->subs(replacements, GiNaC::subs_options::no_pattern)));
  });
}

Expr sum(std::span<const Expr> terms) {
  std::vector<const Expr*> operands;
  operands.reserve(terms.size());
  std::int64_t numbers = 0, next = 0;  // added up without GiNaC
  for (const Expr& term : terms) {
    const std::optional<std::int64_t> number = term.constant();
    if (number && !__builtin_add_overflow(numbers, *number, &next))
      numbers = next;
    else
      operands.push_back(&term);
  }
  if (operands.empty()) return numbers;
  const Expr rest = numbers;
  if (numbers != 0) operands.push_back(&rest);
  if (operands.size() == 1) return *operands.front();
  return Memo::ofThisThread()(Operation::Sum, operands, [&] {
    const auto guard = ginac_guard();
    GiNaC::exvector all;
    all.reserve(operands.size());
    for (const Expr* term : operands) all.push_back(exOf(*term));
    return exprOf(GiNaC::add(all));
  });
}

Expr ceilDiv(const Expr& a, const Expr& b) {
  if (isNumber(b, 1)) return a;
  if (smallDivision(a, b)) {
    const std::int64_t n = *a.constant(), d = *b.constant();
    return n / d + (n % d > 0 ? 1 : 0);
  }
  return apply(Operation::CeilDiv, algebra::Function::CeilDiv, a, b);
}

Expr floorDiv(const Expr& a, const Expr& b) {
  if (isNumber(b, 1)) return a;
  if (smallDivision(a, b)) {
    const std::int64_t n = *a.constant(), d = *b.constant();
    return n / d - (n % d < 0 ? 1 : 0);
  }
  return apply(Operation::FloorDiv, algebra::Function::FloorDiv, a, b);
}

Expr max(const Expr& a, const Expr& b) {
  if (bothNumbers(a, b)) return *a.constant() < *b.constant() ? b : a;
  return apply(Operation::Max, algebra::Function::Max, a, b);
}

Expr min(const Expr& a, const Expr& b) {
  if (bothNumbers(a, b)) return *b.constant() < *a.constant() ? b : a;
  return apply(Operation::Min, algebra::Function::Min, a, b);
}

std::shared_ptr<const Expr::Node::Facts> Expr::Node::facts() const {
  std::call_once(facts_once_, [this] {
    const auto guard = ginac_guard();
    auto facts = std::make_shared<Facts>();
    facts->tree = treeOf(*symbolic);
    collectSymbols(facts->tree, facts->symbols);
    facts_ = std::move(facts);
  });
  return facts_;
}

std::shared_ptr<const Tree> toTree(const Expr& expr) {
  if (const auto number = expr.constant()) {
    return std::make_shared<const Tree>(
        Tree{.kind = Tree::Kind::Number, .name = std::to_string(*number), .exponent = 1, .operands = {}});
  }
  const auto facts = expr.node()->facts();
  return {facts, &facts->tree};
}

std::shared_ptr<const std::set<std::string>> symbolsOf(const Expr& expr) {
  if (!expr.node()) return nullptr;
  const auto facts = expr.node()->facts();
  return {facts, &facts->symbols};
}

std::size_t partCount(const Expr& expr, std::size_t most) {
  if (!expr.node()) return 1;
  const auto guard = ginac_guard();
  return algebra::partCount(*expr.node()->symbolic, most);
}

bool isTractable(const Expr& expr) {
  if (!expr.node()) return true;
  const Expr* const operands[] = {&expr};
  const Expr bearable = Memo::ofThisThread()(Operation::Bearable, operands, [&] {
    const auto guard = ginac_guard();
    return Expr(algebra::isTractable(*expr.node()->symbolic) ? 1 : 0);
  });
  return bearable == Expr(1);
}

}  // namespace sluice::inline symbolic

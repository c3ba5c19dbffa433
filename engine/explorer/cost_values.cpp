#include "engine/explorer/cost_values.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "engine/symbolic/compiled.h"

namespace sluice::inline explorer {
namespace {

constexpr CostTerm terms[] = {
    {&Cost::off_chip_bytes, &CostValues::off_chip_bytes, "bytes of off-chip traffic"},
    {&Cost::on_chip_bytes, &CostValues::on_chip_bytes, "bytes on chip"},
    {&Cost::flops, &CostValues::flops, "FLOPs"},
    {&Cost::compute, &CostValues::compute, "FLOPs per cycle"},
};

/// Values that formulas have had on this thread: what a search tries differs little from what it has tried.
class Remembered {
 public:
  struct Formula {
    Expr expr;  ///< alive, so that no other takes its place
    std::vector<std::string> symbols;
    std::optional<std::vector<double>> at;  ///< their values; none before the first
    std::optional<double> value;            ///< there; nothing: it is not finite
  };

  static Remembered& ofThisThread() {
    thread_local Remembered remembered;
    return remembered;
  }

  Formula& operator[](const Expr& expr) {
    const auto [found, is_new] = formulas_.try_emplace(expr.node());
    if (is_new) {
      const std::set<std::string> symbols = expr.symbols();
      found->second = {expr, {symbols.begin(), symbols.end()}, {}, {}};
    }
    return found->second;
  }
  /// Before formulas are asked for: those that it gives stay until the next time.
  void makeRoom() {
    constexpr std::size_t most = 1 << 15;
    if (formulas_.size() > most) formulas_.clear();
  }

 private:
  std::unordered_map<const Expr::Node*, Formula> formulas_;
};

/// The values of its symbols; nothing where one has none.
std::optional<std::vector<double>> valuesAt(const std::vector<std::string>& symbols,
                                            const KnownSymbols& known) {
  std::vector<double> values;
  for (const std::string& symbol : symbols) {
    const auto value = known.find(symbol);
    if (value == known.end()) return {};
    values.push_back(value->second);
  }
  return values;
}

/// All at once, as instances of an operator share parts of their formulas.
void evaluate(std::span<Remembered::Formula* const> formulas, const KnownSymbols& known) {
  if (formulas.empty()) return;
  std::vector<Expr> exprs;
  for (const Remembered::Formula* formula : formulas) exprs.push_back(formula->expr);
  std::vector<std::string> names;
  std::vector<double> inputs, outputs(exprs.size());
  for (const auto& [name, value] : known) {
    names.push_back(name);
    inputs.push_back(value);
  }
  const Result<CompiledExprs> compiled = CompiledExprs::compile(exprs, std::move(names));
  if (!compiled)
    throw std::logic_error("a complete expression does not compile: " + text(compiled.diagnostics()));
  compiled->evaluate(inputs, outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    formulas[i]->value = std::isfinite(outputs[i]) ? std::optional(outputs[i]) : std::nullopt;
}

}  // namespace

const std::optional<double>& CostValues::of(Expr Cost::*term) const {
  const auto* found =
      std::find_if(std::begin(terms), std::end(terms), [&](const CostTerm& t) { return t.formula == term; });
  if (found == std::end(terms)) throw std::logic_error("a term of the cost that has no value");
  return this->*found->value;
}

std::span<const CostTerm> costTerms() {
  return terms;
}

std::vector<CostValues> valuesOf(std::span<const Cost> costs, const KnownSymbols& known) {
  std::vector<CostValues> values(costs.size());
  Remembered& remembered = Remembered::ofThisThread();
  remembered.makeRoom();
  std::unordered_map<const Expr::Node*, const Remembered::Formula*> asked;  // null: a symbol is not known
  std::vector<Remembered::Formula*> fresh;
  std::vector<std::pair<std::optional<double>*, const Remembered::Formula*>> targets;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    for (const CostTerm& term : terms) {
      const Expr& expr = costs[i].*term.formula;
      std::optional<double>& value = values[i].*term.value;
      if (const std::optional<std::int64_t> constant = expr.constant()) {
        value = static_cast<double>(*constant);
        continue;
      }
      const auto [place, is_new] = asked.try_emplace(expr.node());  // instances of an operator share formulas
      if (is_new) {
        Remembered::Formula& formula = remembered[expr];
        std::optional<std::vector<double>> at = valuesAt(formula.symbols, known);
        if (at) place->second = &formula;
        if (at && at != formula.at) {
          formula.at = std::move(at);
          fresh.push_back(&formula);
        }
      }
      if (place->second) targets.emplace_back(&value, place->second);
    }
  }
  evaluate(fresh, known);
  for (const auto& [value, formula] : targets) *value = formula->value;
  return values;
}

std::uint64_t rounded(const std::optional<double>& value) {
  return value && *value > 0 ? static_cast<std::uint64_t>(std::llround(*value)) : 0;
}

double ratioOf(double above, double below) {
  return below > 0 ? above / below : 0;
}

}  // namespace sluice::inline explorer

#include "engine/explorer/cost_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

bool isComplete(const Expr& expr, const KnownSymbols& known) {
  const std::set<std::string> symbols = expr.symbols();
  return std::all_of(symbols.begin(), symbols.end(),
                     [&](const std::string& symbol) { return known.contains(symbol); });
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
  constexpr std::size_t open = std::numeric_limits<std::size_t>::max();
  std::vector<Expr> complete;
  std::unordered_map<const Expr::Node*, std::size_t> places;  // instances of an operator share formulas
  std::vector<std::pair<std::optional<double>*, std::size_t>> targets;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    for (const CostTerm& term : terms) {
      const Expr& formula = costs[i].*term.formula;
      std::optional<double>& value = values[i].*term.value;
      if (const std::optional<std::int64_t> constant = formula.constant()) {
        value = static_cast<double>(*constant);
        continue;
      }
      const auto [place, is_new] = places.try_emplace(formula.node(), open);
      if (is_new && isComplete(formula, known)) {
        place->second = complete.size();
        complete.push_back(formula);
      }
      if (place->second != open) targets.emplace_back(&value, place->second);
    }
  }
  if (complete.empty()) return values;
  std::vector<std::string> names;
  std::vector<double> inputs, outputs(complete.size());
  for (const auto& [name, value] : known) {
    names.push_back(name);
    inputs.push_back(value);
  }
  const Result<CompiledExprs> compiled = CompiledExprs::compile(complete, std::move(names));
  if (!compiled)
    throw std::logic_error("a complete expression does not compile: " + text(compiled.diagnostics()));
  compiled->evaluate(inputs, outputs);
  for (const auto& [value, place] : targets)
    if (std::isfinite(outputs[place])) *value = outputs[place];
  return values;
}

std::uint64_t rounded(const std::optional<double>& value) {
  return value && *value > 0 ? static_cast<std::uint64_t>(std::llround(*value)) : 0;
}

double ratioOf(double above, double below) {
  return below > 0 ? above / below : 0;
}

}  // namespace sluice::inline explorer

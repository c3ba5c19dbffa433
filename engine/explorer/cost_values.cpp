#include "engine/explorer/cost_values.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

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
  std::vector<Expr> complete;
  std::vector<std::optional<double>*> targets;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    for (const CostTerm& term : terms) {
      const Expr& formula = costs[i].*term.formula;
      if (!isComplete(formula, known)) continue;
      complete.push_back(formula);
      targets.push_back(&(values[i].*term.value));
    }
  }
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
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (std::isfinite(outputs[i])) *targets[i] = outputs[i];
  }
  return values;
}

std::uint64_t rounded(const std::optional<double>& value) {
  return value && *value > 0 ? static_cast<std::uint64_t>(std::llround(*value)) : 0;
}

double ratioOf(double above, double below) {
  return below > 0 ? above / below : 0;
}

}  // namespace sluice::inline explorer

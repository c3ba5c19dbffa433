// Reads and writes the value of a metric; the formulas that consist of terms of the cost.

#include "engine/explorer/metrics/metric.h"

#include <cmath>

#include "engine/core/checked.h"
#include "engine/explorer/cost_values.h"
#include "engine/explorer/point.h"

namespace sluice {

std::string CostFormula::text(const Cost& cost) const {
  return over ? "(" + (cost.*term).text() + ") / (" + (cost.*over).text() + ")" : (cost.*term).text();
}

std::string CostFormula::latex(const Cost& cost) const {
  return over ? "\\frac{" + (cost.*term).latex() + "}{" + (cost.*over).latex() + "}" : (cost.*term).latex();
}

std::optional<double> CostFormula::value(const CostValues& values) const {
  if (!term || !over) return term ? values.of(term) : std::nullopt;
  const std::optional<double> above = values.of(term), below = values.of(over);
  return above && below && *below > 0 ? std::optional(*above / *below) : std::nullopt;
}

bool MetricSpec::knownAt(Level level) const {
  return level != Level::Symbolic || lower_bound;
}

MetricValue MetricSpec::value(const Metrics& metrics) const {
  return std::visit([&](auto field) { return MetricValue(metrics.*field); }, member);
}

double MetricSpec::number(const Metrics& metrics) const {
  return std::visit([](auto exact) { return static_cast<double>(exact); }, value(metrics));
}

void MetricSpec::set(Metrics& metrics, MetricValue value) const {
  if (const auto* ratio = std::get_if<double Metrics::*>(&member)) {
    metrics.** ratio = std::visit([](auto exact) { return static_cast<double>(exact); }, value);
    return;
  }
  if (const double* rounded = std::get_if<double>(&value)) {
    if (!(*rounded >= 0) || *rounded >= static_cast<double>(largest_count)) return;
    value = static_cast<std::uint64_t>(std::llround(*rounded));
  }
  const std::uint64_t count = std::get<std::uint64_t>(value);
  if (count <= largest_count) metrics.*std::get<std::uint64_t Metrics::*>(member) = count;
}

}  // namespace sluice

// Reads and writes the value of a metric; the formulas that consist of terms of the cost.

#include "engine/explorer/metrics/metric.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/checked.h"
#include "engine/explorer/cost_values.h"
#include "engine/explorer/point.h"

namespace sluice::inline explorer {
namespace {

void add(Metrics& metrics, const MetricSpec& metric, MetricValue value) {
  const auto found = std::ranges::find(metrics.added, &metric, &AddedMetric::metric);
  if (found == metrics.added.end())
    metrics.added.push_back({&metric, value});
  else
    found->value = value;
}

}  // namespace

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

bool MetricSpec::knownAt(Fidelity fidelity) const {
  return fidelity != Fidelity::Symbolic || lower_bound || least_priced_is_bound;
}

MetricValue MetricSpec::value(const Metrics& metrics) const {
  if (const auto* count = std::get_if<std::uint64_t Metrics::*>(&member)) return metrics.**count;
  if (const auto* ratio = std::get_if<double Metrics::*>(&member)) return metrics.**ratio;
  const auto found = std::ranges::find(metrics.added, this, &AddedMetric::metric);
  return found == metrics.added.end() ? std::numeric_limits<double>::quiet_NaN() : found->value;
}

double MetricSpec::number(const Metrics& metrics) const {
  return std::visit([](auto exact) { return static_cast<double>(exact); }, value(metrics));
}

void MetricSpec::set(Metrics& metrics, MetricValue value) const {
  if (!isWhole()) {
    const double ratio = std::visit([](auto exact) { return static_cast<double>(exact); }, value);
    if (const auto* place = std::get_if<double Metrics::*>(&member))
      metrics.** place = ratio;
    else if (std::isfinite(ratio))
      add(metrics, *this, ratio);
    return;
  }
  if (const double* rounded = std::get_if<double>(&value)) {
    if (!(*rounded >= 0) || *rounded >= static_cast<double>(largest_count)) return;
    value = static_cast<std::uint64_t>(std::llround(*rounded));
  }
  const std::uint64_t count = std::get<std::uint64_t>(value);
  if (count > largest_count) return;
  if (const auto* whole = std::get_if<std::uint64_t Metrics::*>(&member))
    metrics.** whole = count;
  else
    add(metrics, *this, count);
}

}  // namespace sluice::inline explorer

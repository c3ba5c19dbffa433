#include "engine/explorer/metrics/technology_metrics.h"

#include "engine/explorer/evaluate.h"

namespace sluice::inline explorer {

namespace metrics {
const MetricSpec& energy();
const MetricSpec& energy_per_output();
const MetricSpec& power();
const MetricSpec& area();
const MetricSpec& energy_delay_product();
}  // namespace metrics

std::vector<const MetricSpec*> technologyMetrics() {
  return {&metrics::energy(), &metrics::energy_per_output(), &metrics::power(), &metrics::area(),
          &metrics::energy_delay_product()};
}

Diagnostic missingTechnology(const std::string& metric) {
  return error("missing-technology", Location(Where::Machine) / Location(Where::Field, "technology"),
               "'" + metric + "' follows from what actions cost, and there is no technology that says it",
               "name one: --technology 7nm, or \"technology\": \"7nm\" of the machine");
}

std::optional<Absence> absenceOf(const MetricSpec& metric, const Technology& technology) {
  if (&metric == &metrics::energy_per_output())
    return Absence{"nothing is stored off chip", "take 'energy' instead"};
  if (&metric != &metrics::area()) return std::nullopt;
  std::string without;
  bool some = false;
  for (const Price& price : technology.prices) {
    const bool has =
        price.action == Action::Add || price.action == Action::Multiply || price.action == Action::SramRead;
    some = some || price.area;
    if (has && !price.area) without += (without.empty() ? "" : ", ") + nameOf(price);
  }
  return Absence{"the technology '" + technology.name + "' has no area" + (some ? " of " + without : ""),
                 "take one with areas, such as 7nm, or a file that extends it and gives them"};
}

std::optional<EnergyReport> energyReport(const PointResult& result) {
  const SymbolicResult& symbolic = result.symbolic;
  if (!symbolic.technology || !measured(result.point)) return std::nullopt;
  return energyOf(*symbolic.technology, symbolic.graph, symbolic.inference, symbolic.bound,
                  result.simulation);
}

std::optional<EnergyReport> leastEnergyReport(const SymbolicResult& symbolic, Cycles cycles) {
  if (!symbolic.technology) return std::nullopt;
  std::optional<ActionCounts> counts = symbolicActions(symbolic.graph, symbolic.inference, symbolic.bound);
  if (!counts) return std::nullopt;
  return energyOf(*symbolic.technology, symbolic.graph, symbolic.inference, symbolic.bound,
                  *std::move(counts), cycles);
}

void setTechnologyMetrics(Metrics& metrics, const EnergyReport& report) {
  for (const MetricSpec* metric : technologyMetrics()) metric->set(metrics, metric->priced(report));
}

void setTechnologyMetrics(Metrics& metrics, const SymbolicResult& symbolic, const SimulationResult& run) {
  if (!symbolic.technology) return;
  const std::optional<EnergyReport> report =
      energyOf(*symbolic.technology, symbolic.graph, symbolic.inference, symbolic.bound, run);
  if (report) setTechnologyMetrics(metrics, *report);
}

}  // namespace sluice::inline explorer

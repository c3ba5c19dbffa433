#pragma once
// The metrics of a technology: energy, power, area. They stand behind the others of the engine; only points
// of a workload with a technology have them, in Metrics::added.

#include <optional>
#include <vector>

#include "engine/energy/report.h"
#include "engine/explorer/evaluate.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer {

std::vector<const MetricSpec*> technologyMetrics();
/// That the metric of this name follows from what actions cost, and nothing says what they cost.
Diagnostic missingTechnology(const std::string& metric);
/// Why a run that ended may have no value of the metric, and the way out.
struct Absence {
  std::string why, fix;
};
/// Nothing where every such run has one.
std::optional<Absence> absenceOf(const MetricSpec& metric, const Technology& technology);
/// What the run costs; nothing as below, and where it did not end.
std::optional<EnergyReport> energyReport(const PointResult& result);
/// A run, and what it costs, which is counted once for both.
struct PricedPoint {
  PointResult result;
  std::optional<EnergyReport> energy;  ///< as energyReport() of the result
};
/// As evaluate(), for who shows the costs as well.
Result<PricedPoint> evaluatePriced(const Workload& workload, const KnobValues& knobs, RecordMode mode,
                                   std::stop_token stop = {}, const SimulationProgress& progress = {});

/// The least that a run of the point costs: its actions by formulas, in `cycles`, which no run goes below.
/// Nothing without a technology, and where only a run tells an action.
std::optional<EnergyReport> leastEnergyReport(const SymbolicResult& symbolic, Cycles cycles);

void setTechnologyMetrics(Metrics& metrics, const EnergyReport& report);
/// Nothing without a technology, and where the actions of the run cannot be counted (energyOf()).
void setTechnologyMetrics(Metrics& metrics, const SymbolicResult& symbolic, const SimulationResult& run);

}  // namespace sluice::inline explorer

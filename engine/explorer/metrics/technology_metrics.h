#pragma once
// The metrics of a technology: energy, power, area. They stand behind the others of the engine; only points
// of a workload with a technology have them, in Metrics::added.

#include <optional>
#include <vector>

#include "engine/energy/report.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer {

struct PointResult;
struct SymbolicResult;

std::vector<const MetricSpec*> technologyMetrics();
/// What the run costs; nothing as below, and where it did not end.
std::optional<EnergyReport> energyReport(const PointResult& result);
/// Nothing without a technology, and where the actions of the run cannot be counted (energyOf()).
void setTechnologyMetrics(Metrics& metrics, const SymbolicResult& symbolic, const SimulationResult& run);

}  // namespace sluice::inline explorer

#pragma once
// The metrics of a technology: energy, power, area. They stand behind the others of the engine; only points
// of a workload with a technology have them, in Metrics::added.

#include <vector>

#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer {

struct SymbolicResult;

std::vector<const MetricSpec*> technologyMetrics();
/// Nothing without a technology, and where the actions of the run cannot be counted (energyOf()).
void setTechnologyMetrics(Metrics& metrics, const SymbolicResult& symbolic, const SimulationResult& run);

}  // namespace sluice::inline explorer

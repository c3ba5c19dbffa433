#pragma once
// The metrics of a technology: energy, power, area. No point has them unless a technology is asked for, so
// they join the registry only then, behind the metrics that every point has; their values are in
// Metrics::added.

#include <vector>

#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer {

struct SymbolicResult;

std::vector<const MetricSpec*> technologyMetrics();
/// When a program starts, before the registry is read (engine/core/registry.h).
void addTechnologyMetrics();
/// Nothing without a technology, and where the actions of the run cannot be counted (energyOf()).
void setTechnologyMetrics(Metrics& metrics, const SymbolicResult& symbolic, const SimulationResult& run);

}  // namespace sluice::inline explorer

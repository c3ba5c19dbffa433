#include "engine/explorer/bounds.h"

#include "engine/explorer/metrics/registry.h"
#include "engine/explorer/metrics/technology_metrics.h"

namespace sluice::inline explorer {

DesignPoint boundsOf(const SymbolicResult& symbolic, const KnobValues& knobs, bool priced) {
  const BoundMachine& machine = symbolic.graph.machine;
  DesignPoint point;
  point.knobs = knobs;
  point.fidelity = Fidelity::Symbolic;
  for (const MetricSpec* metric : registeredMetrics())
    if (metric->lower_bound) metric->set(point.metrics, metric->lower_bound(symbolic));
  if (const auto least = priced ? leastEnergyReport(symbolic, point.metrics.cycles) : std::nullopt)
    for (const MetricSpec* metric : registeredMetrics())
      if (metric->least_priced_is_bound) metric->set(point.metrics, metric->priced(*least));
  if (machine.on_chip_capacity > 0 && point.metrics.on_chip_bytes > machine.on_chip_capacity) {
    point.state = PointState::Infeasible;
    point.cause = "needs " + std::to_string(point.metrics.on_chip_bytes) +
                  " bytes on chip; the machine has " + std::to_string(machine.on_chip_capacity);
  }
  return point;
}

Result<DesignPoint> boundsOf(const Workload& workload, const KnobValues& knobs) {
  SLUICE_TRY(const SymbolicResult symbolic, evaluateSymbolic(workload, knobs));
  return boundsOf(symbolic, knobs);
}

}  // namespace sluice::inline explorer

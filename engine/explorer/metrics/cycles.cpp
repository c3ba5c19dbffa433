// cycles: when the last operator and the memory are done.

#include <algorithm>
#include <cmath>

#include "engine/explorer/evaluate.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer::metrics {
namespace {

/// Below every run: doubles have summed the costs, which a hair allows for, and the last request of a channel
/// is not followed by another. A run has whole cycles, so what is left is rounded up.
Cycles certainly(double cycles, double slack) {
  const double safe = std::min(cycles * (1 - 1e-9) - slack, 0x1p62);
  return safe > 0 ? static_cast<Cycles>(std::ceil(safe)) : 0;
}

/// The traffic has to pass the memory, the arithmetic of each operator its units.
Cycles fewestCycles(const SymbolicResult& symbolic) {
  const BoundMachine& machine = symbolic.graph.machine;
  Cycles cycles = 0;
  double traffic = 0;  // of the operators whose traffic is known beforehand
  for (const CostValues& op : symbolic.operators) {
    traffic += op.off_chip_bytes.value_or(0);
    if (op.flops && op.compute && *op.compute > 0)
      cycles = std::max(cycles, certainly(*op.flops / *op.compute, 0));
  }
  const auto interval = static_cast<double>(machine.hbm_initiation_interval);
  if (const double peak = machine.offChipBandwidth(); peak > 0)
    cycles = std::max(cycles, certainly(traffic / peak, interval));
  return cycles;
}

}  // namespace

const MetricSpec& cycles() {
  static const MetricSpec spec = {
      .name = "cycles",
      .title = "Cycles",
      .short_title = "Cycles",
      .column = "cycles",
      .unit = "cycles",
      .kind = MetricKind::Count,
      .prominence = Prominence::Objective,
      .member = &Metrics::cycles,
      .run = &SimulationResult::cycles,
      .lower_bound = fewestCycles,
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

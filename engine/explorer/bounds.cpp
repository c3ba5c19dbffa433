#include "engine/explorer/bounds.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

std::uint64_t whole(const std::optional<double>& value) {
  return value && *value > 0 ? static_cast<std::uint64_t>(std::llround(*value)) : 0;
}

/// Below every run by a hair: doubles have summed the costs, and the last request of a channel is not
/// followed by another.
Cycles certainly(double cycles, double slack) {
  const double safe = std::min(cycles * (1 - 1e-9) - slack, 0x1p62);
  return safe > 0 ? static_cast<Cycles>(safe) : 0;
}

}  // namespace

DesignPoint boundsOf(const SymbolicResult& symbolic, const KnobValues& knobs) {
  const BoundMachine& machine = symbolic.graph.machine;
  DesignPoint point;
  point.knobs = knobs;
  point.level = Level::Symbolic;
  point.metrics.off_chip_bytes = whole(symbolic.total.off_chip_bytes);
  point.metrics.on_chip_bytes = whole(symbolic.total.on_chip_bytes);
  double traffic = 0;  // of the operators whose traffic is known beforehand
  for (const SymbolicResult::Values& op : symbolic.operators) {
    traffic += op.off_chip_bytes.value_or(0);
    if (op.flops && op.compute && *op.compute > 0)
      point.metrics.cycles = std::max(point.metrics.cycles, certainly(*op.flops / *op.compute, 0));
  }
  const auto interval = static_cast<double>(machine.hbm_initiation_interval);
  if (const double peak = machine.offChipBandwidth(); peak > 0)
    point.metrics.cycles = std::max(point.metrics.cycles, certainly(traffic / peak, interval));
  if (machine.on_chip_capacity > 0 && point.metrics.on_chip_bytes > machine.on_chip_capacity) {
    point.state = PointState::Infeasible;
    point.cause = "needs " + std::to_string(point.metrics.on_chip_bytes) +
                  " bytes on chip; the machine has " + std::to_string(machine.on_chip_capacity);
  }
  return point;
}

Result<DesignPoint> boundsOf(const Workload& workload, const KnobValues& knobs) {
  const Result<SymbolicResult> symbolic = evaluateSymbolic(workload, knobs);
  if (!symbolic) return symbolic.diagnostics();
  return boundsOf(*symbolic, knobs);
}

}  // namespace sluice

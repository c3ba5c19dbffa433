#include "engine/designer/binding_resource.h"

#include <algorithm>

namespace sluice::inline designer {
namespace {

/// From which share of the cycles on something is called nearly always.
constexpr double nearly_always = 0.8;

}  // namespace

const char* text(Bottleneck bottleneck) {
  switch (bottleneck) {
    case Bottleneck::None:
      return "nothing";
    case Bottleneck::OffChipBandwidth:
      return "off-chip bandwidth";
    case Bottleneck::OffChipLatency:
      return "off-chip latency";
    case Bottleneck::Compute:
      return "compute";
    case Bottleneck::SerialOperator:
      return "a serial operator";
    case Bottleneck::Fifo:
      return "a full FIFO";
    case Bottleneck::Dependences:
      return "dependences";
  }
  return "";
}

BindingResource bindingResource(const FlatGraph& graph, const PointResult& result) {
  if (!measured(result.point) || result.simulation.cycles == 0) return {};
  const double bandwidth = result.point.metrics.off_chip_bandwidth_utilization;
  if (bandwidth >= nearly_always) return {Bottleneck::OffChipBandwidth, "", bandwidth};
  const auto cycles = static_cast<double>(result.simulation.cycles);
  const std::vector<OperatorStats>& operators = result.simulation.operators;
  const auto busiest = std::ranges::max_element(operators, {}, &OperatorStats::busy);
  if (busiest == operators.end()) return {};
  const auto named = [&](Bottleneck bottleneck, auto op, Cycles spent) {
    const std::string& name = graph.operators[static_cast<std::size_t>(op - operators.begin())].name;
    return BindingResource{bottleneck, name, static_cast<double>(spent) / cycles};
  };
  if (static_cast<double>(busiest->busy) >= nearly_always * cycles)
    return named(busiest->off_chip_bytes > 0 ? Bottleneck::OffChipLatency
                 : busiest->flops > 0        ? Bottleneck::Compute
                                             : Bottleneck::SerialOperator,
                 busiest, busiest->busy);
  const auto held = std::ranges::max_element(operators, {}, &OperatorStats::blocked_on_output);
  if (held->blocked_on_output > busiest->busy) return named(Bottleneck::Fifo, held, held->blocked_on_output);
  return named(Bottleneck::Dependences, busiest, busiest->busy);
}

}  // namespace sluice::inline designer

#include "engine/designer/binding_resource.h"

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

namespace sluice::inline designer {
namespace {

/// From which share of the cycles on something is called nearly always.
constexpr double nearly_always = 0.8;

/// Whether nothing waits because an operator is held: it has one stream, and all that leads to it leads to
/// nothing but it, as with a load that runs ahead of who uses it.
bool holdsUpNobody(const FlatGraph& graph, OperatorId held) {
  if (graph.operators[held].outputs.size() > 1) return false;
  std::set<OperatorId> before{held};
  std::vector<OperatorId> open{held};
  while (!open.empty()) {
    const FlatOperator& op = graph.operators[open.back()];
    open.pop_back();
    for (const StreamId in : op.inputs)
      if (const OperatorId producer = graph.streams[in].producer; before.insert(producer).second)
        open.push_back(producer);
  }
  return std::ranges::all_of(before, [&](OperatorId op) {
    return std::ranges::all_of(graph.operators[op].outputs, [&](StreamId out) {
      return before.contains(graph.streams[out].consumer) == (op != held);  // not in a loop
    });
  });
}

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
  std::vector<std::size_t> held;  // for longer than any is busy
  for (std::size_t op = 0; op < operators.size(); ++op)
    if (operators[op].blocked_on_output > busiest->busy) held.push_back(op);
  std::ranges::stable_sort(held, std::greater(),
                           [&](std::size_t op) { return operators[op].blocked_on_output; });
  for (const std::size_t op : held)
    if (!holdsUpNobody(graph, static_cast<OperatorId>(op)))
      return named(Bottleneck::Fifo, operators.begin() + static_cast<std::ptrdiff_t>(op),
                   operators[op].blocked_on_output);
  return named(Bottleneck::Dependences, busiest, busiest->busy);
}

}  // namespace sluice::inline designer

#include "engine/program/elaborate.h"

#include <algorithm>
#include <numeric>

#include "engine/program/wiring.h"

namespace sluice {
namespace {

BoundMachine bindMachine(const Machine& machine, Binding& binding, Complaints& complaints) {
  BoundMachine bound;
  const auto bind = [&](const char* name, const Value& value, std::int64_t minimum, std::uint64_t& target) {
    constexpr std::int64_t maximum = std::int64_t{1} << 31;  // products of two of them stay within 64 bits
    const std::string place = std::string("machine, ") + name;
    const auto integer = binding.open(value, {}, place);
    const auto closed = integer ? binding.close(*integer, {}, {}, minimum, place) : std::nullopt;
    if (!closed) return;
    if (closed->value > maximum && std::string_view(name) != "on_chip_capacity") {
      complaints.add(place, std::to_string(closed->value) + " is above " + std::to_string(maximum),
                     "give at most " + std::to_string(maximum));
    }
    target = static_cast<std::uint64_t>(closed->value);
  };
  bind("fifo_depth", machine.fifo_depth, 1, bound.fifo_depth);
  bind("on_chip_bandwidth", machine.on_chip_bandwidth, 1, bound.on_chip_bandwidth);
  bind("on_chip_capacity", machine.on_chip_capacity, 0, bound.on_chip_capacity);
  bind("hbm_request_bytes", machine.hbm_request_bytes, 1, bound.hbm_request_bytes);
  bind("hbm_channels", machine.hbm_channels, 1, bound.hbm_channels);
  bind("hbm_latency", machine.hbm_latency, 0, bound.hbm_latency);
  bind("hbm_initiation_interval", machine.hbm_initiation_interval, 1, bound.hbm_initiation_interval);
  bind("hbm_start_up", machine.hbm_start_up, 0, bound.hbm_start_up);
  bound.mock_bf16 = machine.mock_bf16;
  return bound;
}

/// Puts the operators of regions that are laid out instance by instance into that order.
void orderInstances(FlatGraph& graph, const std::vector<InstanceOrder>& orders) {
  if (orders.empty()) return;
  std::vector<OperatorId> order(graph.operators.size());
  std::iota(order.begin(), order.end(), OperatorId{0});
  std::vector<std::size_t> instance(order.size());
  for (const InstanceOrder& region : orders) {
    for (OperatorId op = region.first; op < region.last; ++op) {
      const std::string& name = graph.operators[op].name;
      instance[op] = static_cast<std::size_t>(
          std::find_if(region.prefixes.begin(), region.prefixes.end(),
                       [&](const std::string& prefix) { return name.starts_with(prefix); }) -
          region.prefixes.begin());
    }
    std::stable_sort(order.begin() + region.first, order.begin() + region.last,
                     [&](OperatorId a, OperatorId b) { return instance[a] < instance[b]; });
  }
  std::vector<OperatorId> place(order.size());
  std::vector<FlatOperator> operators(order.size());
  for (OperatorId i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    operators[i] = std::move(graph.operators[order[i]]);
  }
  graph.operators = std::move(operators);
  for (FlatStream& stream : graph.streams) {
    stream.producer = place[stream.producer];
    stream.consumer = place[stream.consumer];
  }
}

}  // namespace

Result<FlatGraph> elaborate(const Document& document, const KnobValues& knobs, const Catalog& catalog) {
  Complaints complaints;
  Binding binding(document, knobs, complaints);
  FlatGraph graph;
  graph.machine = bindMachine(document.machine, binding, complaints);
  Planner planner(document, catalog, binding, complaints);
  const GraphPlan plan = planner.plan();
  if (!complaints.empty()) return complaints.diagnostics();

  Expander expander(binding, complaints);
  const GraphInstances root = expander.expand(plan);
  if (!complaints.empty()) return complaints.diagnostics();
  graph.operators = expander.takeOperators();

  Wiring wiring(graph, root, expander.junctions(), binding, complaints);
  wiring.connect();
  if (complaints.empty()) wiring.pour(planner, expander);
  if (!complaints.empty()) return complaints.diagnostics();
  orderInstances(graph, expander.instanceOrders());
  return graph;
}

}  // namespace sluice

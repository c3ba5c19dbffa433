#include "engine/operators/assemble.h"

#include "engine/operators/off_chip.h"
#include "engine/operators/registry.h"

namespace sluice::inline operators {
namespace {

void addPorts(simulator::Network& network, const FlatGraph& graph,
              const std::vector<const Operator*>& definitions, MemoryRole role) {
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    if (definitions[id]->memory != role) continue;
    const std::int64_t par_dispatch = graph.operators[id].parameters.integer("par_dispatch");
    network.addMemoryPort(id, static_cast<std::uint64_t>(par_dispatch));
  }
}

}  // namespace

std::unique_ptr<simulator::Network> emptyNetwork(const BoundMachine& machine) {
  const simulator::HbmConfig hbm{machine.hbm_request_bytes, machine.hbm_channels,
                                 machine.hbm_latency,       machine.hbm_initiation_interval,
                                 machine.hbm_start_up,      machine.reference_mode};
  return machine.hbm_model == HbmModel::Node ? std::make_unique<simulator::Network>(hbm)
                                             : std::make_unique<simulator::Network>(hbm, machine.dram);
}

std::vector<const Operator*> definitionsOf(const FlatGraph& graph) {
  std::vector<const Operator*> list;
  list.reserve(graph.operators.size());
  for (const FlatOperator& op : graph.operators) list.push_back(&definitionOf(op));
  return list;
}

std::vector<std::uint64_t> addressesOf(const FlatGraph& graph, const InputSet& inputs,
                                       const std::vector<const Operator*>& definitions) {
  if (graph.machine.hbm_model == HbmModel::Node) return std::vector<std::uint64_t>(graph.operators.size());
  std::vector<std::uint64_t> addresses;
  std::uint64_t address = 0;
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    addresses.push_back(address);
    const Instance instance{graph.operators[id], graph.machine, inputs, nullptr, address};
    if (definitions[id]->memory != MemoryRole::None) address += tensorBytes(instance);
  }
  return addresses;
}

std::unique_ptr<simulator::Network> assemble(const FlatGraph& graph, const InputSet& inputs,
                                             Functional* functional) {
  const BoundMachine& machine = graph.machine;
  std::unique_ptr<simulator::Network> network = emptyNetwork(machine);
  std::vector<simulator::Context*> contexts;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) contexts.push_back(&network->addOperator());
  for (const FlatStream& stream : graph.streams)
    network->addStream(stream.depth, stream.producer, stream.consumer);
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    for (const StreamId stream : graph.operators[id].inputs) network->wireInput(id, stream);
    for (const StreamId stream : graph.operators[id].outputs) network->wireOutput(id, stream);
  }
  network->shareUnits(machine.scratchpads);
  network->setControllerWait(machine.hbm_controller_wait);
  // The controller polls readers before writers, each in graph order (engine/simulator/semantics.md 6.2).
  const std::vector<const Operator*> definitions = definitionsOf(graph);
  addPorts(*network, graph, definitions, MemoryRole::Reader);
  addPorts(*network, graph, definitions, MemoryRole::Writer);
  const std::vector<std::uint64_t> addresses = addressesOf(graph, inputs, definitions);
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    const Instance instance{graph.operators[id], machine, inputs, functional, addresses[id]};
    network->start(id, definitions[id]->behaviour(instance, *contexts[id]));
  }
  return network;
}

}  // namespace sluice::inline operators

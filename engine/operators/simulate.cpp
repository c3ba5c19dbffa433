#include "engine/operators/simulate.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "engine/operators/off_chip.h"
#include "engine/operators/registry.h"
#include "engine/simulator/network.h"

namespace sluice {

namespace {

std::vector<const Operator*> definitions(const FlatGraph& graph) {
  const std::map<std::string, const Operator*> by_kind = operatorsByKind();
  std::vector<const Operator*> list;
  for (const FlatOperator& op : graph.operators) list.push_back(by_kind.at(op.spec->kind));
  return list;
}

void addPorts(sim::Network& network, const FlatGraph& graph, const std::vector<const Operator*>& kinds,
              MemoryRole role) {
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    if (kinds[id]->memory != role) continue;
    const std::int64_t par_dispatch = graph.operators[id].parameters.integer("par_dispatch");
    network.addMemoryPort(id, static_cast<std::uint64_t>(par_dispatch));
  }
}

struct Captures {
  std::vector<std::vector<CapturedToken>> asked;
  std::vector<PrintedStream> printed;
};

std::size_t printerLimit(const FlatGraph& graph, const PrintedStream& printed) {
  return static_cast<std::size_t>(graph.operators[printed.op].parameters.integer("limit"));
}

/// Hangs recorders on the streams whose occupancy or tokens are wanted: by the options, or by a Printer.
Captures captureStreams(sim::Network& network, const FlatGraph& graph, const SimulationOptions& options) {
  struct Sink {
    std::vector<CapturedToken>* tokens = nullptr;
    std::size_t limit = std::numeric_limits<std::size_t>::max();
  };
  Captures captures;
  std::vector<Sink> sinks(graph.streams.size());
  for (OperatorId id = 0; id < graph.operators.size(); ++id)
    if (graph.operators[id].spec->kind == "Printer") captures.printed.push_back({id, {}});
  for (PrintedStream& printed : captures.printed)
    sinks[graph.operators[printed.op].inputs[0]] = {&printed.tokens, printerLimit(graph, printed)};
  captures.asked.resize(options.capture.size());
  for (std::size_t i = 0; i < options.capture.size(); ++i) sinks[options.capture[i]] = {&captures.asked[i]};
  const bool occupancy = options.mode != RecordMode::Count;
  for (StreamId stream = 0; stream < graph.streams.size(); ++stream) {
    if (occupancy || sinks[stream].tokens)
      network.record(stream, occupancy, sinks[stream].tokens, sinks[stream].limit);
  }
  return captures;
}

}  // namespace

SimulationResult simulate(const FlatGraph& graph, const InputSet& inputs, const SimulationOptions& options) {
  const BoundMachine& machine = graph.machine;
  const sim::HbmConfig hbm{machine.hbm_request_bytes,       machine.hbm_channels, machine.hbm_latency,
                           machine.hbm_initiation_interval, machine.hbm_start_up, machine.reference_mode};
  const std::unique_ptr<sim::Network> made = machine.hbm_model == HbmModel::Node
                                                 ? std::make_unique<sim::Network>(hbm)
                                                 : std::make_unique<sim::Network>(hbm, machine.dram);
  sim::Network& network = *made;
  std::vector<sim::Context*> contexts;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) contexts.push_back(&network.addOperator());
  for (const FlatStream& stream : graph.streams)
    network.addStream(stream.depth, stream.producer, stream.consumer);
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    for (const StreamId stream : graph.operators[id].inputs) network.wireInput(id, stream);
    for (const StreamId stream : graph.operators[id].outputs) network.wireOutput(id, stream);
  }
  Captures captures = captureStreams(network, graph, options);
  if (options.mode == RecordMode::Timeline) network.recordTimeline(options.timeline_events);
  // The controller polls readers before writers, each in graph order (step_sim_spec 5).
  network.shareUnits(machine.scratchpads);
  network.setCloseDelay(machine.close_delay);
  const std::vector<const Operator*> kinds = definitions(graph);
  addPorts(network, graph, kinds, MemoryRole::Reader);
  addPorts(network, graph, kinds, MemoryRole::Writer);
  std::uint64_t address = 0;  // tensors lie one after another
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    const Instance instance{graph.operators[id], machine, inputs, options.functional, address};
    if (kinds[id]->memory != MemoryRole::None) address += tensorBytes(instance);
    network.start(id, kinds[id]->behaviour(instance, *contexts[id]));
  }
  SimulationResult result = network.run({options.stop, options.progress, options.horizon});
  for (std::size_t i = 0; i < options.capture.size(); ++i) {  // asked for and printed: recorded once
    for (PrintedStream& printed : captures.printed) {
      if (graph.operators[printed.op].inputs[0] != options.capture[i]) continue;
      const auto& all = captures.asked[i];
      const auto most = static_cast<std::ptrdiff_t>(std::min(all.size(), printerLimit(graph, printed)));
      printed.tokens.assign(all.begin(), all.begin() + most);
    }
  }
  result.captured = std::move(captures.asked);
  result.printed = std::move(captures.printed);
  return result;
}

}  // namespace sluice

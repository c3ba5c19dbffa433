#include "engine/operators/simulate.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "engine/operators/assemble.h"
#include "engine/operators/registry.h"
#include "engine/simulator/network.h"

namespace sluice::inline operators {

namespace {

struct Captures {
  std::vector<std::vector<CapturedToken>> asked;
  std::vector<PrintedStream> printed;
};

std::size_t printerLimit(const FlatGraph& graph, const PrintedStream& printed) {
  return static_cast<std::size_t>(graph.operators[printed.op].parameters.integer("limit"));
}

/// Hangs recorders on the streams whose occupancy or tokens are wanted: by the options, or by a Printer.
Captures captureStreams(simulator::Network& network, const FlatGraph& graph,
                        const SimulationOptions& options) {
  struct Sink {
    std::vector<CapturedToken>* tokens = nullptr;
    std::size_t limit = std::numeric_limits<std::size_t>::max();
  };
  Captures captures;
  std::vector<Sink> sinks(graph.streams.size());
  for (OperatorId id = 0; id < graph.operators.size(); ++id)
    if (definitionOf(graph.operators[id]).prints) captures.printed.push_back({id, {}});
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
  const std::unique_ptr<simulator::Network> made = assemble(graph, inputs, options.functional);
  simulator::Network& network = *made;
  Captures captures = captureStreams(network, graph, options);
  if (options.mode == RecordMode::Timeline) network.recordTimeline(options.timeline_events);
  SimulationResult result =
      network.run({options.stop, options.progress, options.horizon, options.most_resumptions});
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

}  // namespace sluice::inline operators

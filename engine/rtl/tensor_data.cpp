#include "engine/rtl/tensor_data.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <numeric>

#include "engine/core/cancelled.h"
#include "engine/operators/fault_diagnostic.h"
#include "engine/operators/registry.h"
#include "engine/operators/simulate.h"

namespace sluice::inline rtl {
namespace {

constexpr std::uint64_t most_elements = std::uint64_t{1} << 20;  ///< of a load or store
constexpr std::uint64_t largest_tile = 4096;                     ///< elements

Location placeOf(const FlatOperator& op) {
  return Location(Where::Operator, op.name);
}

std::string hexadecimal(const std::vector<float>& elements) {
  std::string lines;
  lines.reserve(elements.size() * 9);
  char line[10];
  for (const float element : elements) {
    std::snprintf(line, sizeof line, "%08x\n", std::bit_cast<std::uint32_t>(element));
    lines += line;
  }
  return lines;
}

/// One run with elements; what it stores is then in `functional`.
Result<SimulationResult> run(const FlatGraph& graph, const InputSet& inputs, const ComputeOptions& options,
                             Functional& functional) {
  SimulationOptions simulation;
  simulation.stop = options.stop;
  simulation.functional = &functional;
  simulation.capture.resize(graph.streams.size());
  std::iota(simulation.capture.begin(), simulation.capture.end(), StreamId{0});
  SimulationResult result = simulate(graph, inputs, simulation);
  if (result.fault) return faultDiagnostic(graph, *result.fault);
  if (result.cancelled) return cancelledDiagnostic();
  return result;
}

Result<std::uint64_t> largestTile(const FlatGraph& graph, const SimulationResult& run) {
  std::uint64_t largest = 1;
  for (StreamId stream = 0; stream < graph.streams.size(); ++stream) {
    if (run.captured[stream].empty()) continue;
    for (const CapturedToken& token : run.captured[stream])
      largest = std::max(largest, token.rows * token.cols);
    if (largest > largest_tile)
      return error("too-many", Location(Where::Stream, graph.streams[stream].name),
                   "a tile of " + std::to_string(largest) + " elements is more than RTL computes with, " +
                       std::to_string(largest_tile),
                   "choose smaller tiles, or leave out --compute");
  }
  return largest;
}

Result<OperatorTiles> tilesOf(const FlatOperator& op, const TensorPort& port, TileArithmetic& arithmetic) {
  const std::vector<BoundInteger>& tile = op.parameters.list("tile");
  const auto rows = static_cast<std::uint64_t>(tile[0].value),
             cols = static_cast<std::uint64_t>(tile[1].value);
  OperatorTiles tiles{.count = port.tiles(rows, cols), .lines = {}};
  if (tiles.count > most_elements / std::max<std::uint64_t>(1, rows * cols))
    return error("too-many", placeOf(op),
                 std::to_string(tiles.count) + " tiles of " + std::to_string(rows) + " x " +
                     std::to_string(cols) + " elements are more than a test bench should hold, " +
                     std::to_string(most_elements) + " elements",
                 "compute a smaller instance of the program, or leave out --compute");
  std::vector<float> elements;
  for (std::uint64_t i = 0; i < tiles.count; ++i) port.appendTile(i, rows, cols, elements);
  for (float& element : elements) element = arithmetic.rounded(element);
  tiles.lines = hexadecimal(elements);
  return tiles;
}

bool reads(const FlatOperator& op) {
  return definitionOf(op).memory == MemoryRole::Reader;
}

}  // namespace

Result<ComputedTensors> computedTensors(const FlatGraph& graph, const InputSet& inputs,
                                        const ComputeOptions& options) {
  SLUICE_TRY(const std::unique_ptr<Functional> functional, Functional::of(graph, options));
  ComputedTensors computed;
  computed.bfloat16 = options.precision == Precision::BFloat16;
  const auto add = [&](OperatorId id) -> Result<Done> {
    SLUICE_TRY(computed.operators[id], tilesOf(graph.operators[id], *functional->port(graph.operators[id]),
                                               functional->arithmetic()));
    return Done{};
  };
  const auto count = static_cast<OperatorId>(graph.operators.size());
  // What is read is had as it was before the run, in which it may be written; one without a size grows in the
  // run.
  for (OperatorId id = 0; id < count; ++id)
    if (functional->port(graph.operators[id]) && reads(graph.operators[id])) SLUICE_CHECK(add(id));
  SLUICE_TRY(computed.run, run(graph, inputs, options, *functional));
  SLUICE_TRY(computed.largest_tile, largestTile(graph, computed.run));
  computed.run.captured.clear();
  for (OperatorId id = 0; id < count; ++id) {
    if (!functional->port(graph.operators[id])) continue;
    if (const auto known = computed.operators.find(id);
        known == computed.operators.end() || known->second.count == 0)
      SLUICE_CHECK(add(id));
  }
  return computed;
}

}  // namespace sluice::inline rtl

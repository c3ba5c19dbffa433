#pragma once
// Lowers a flat graph to a network of processes and runs it.

#include <functional>
#include <limits>
#include <stop_token>
#include <vector>

#include "engine/program/flat_graph.h"
#include "engine/simulator/result.h"

namespace sluice::inline operators {

class Functional;

struct SimulationOptions {
  RecordMode mode = RecordMode::Count;
  std::size_t timeline_events = std::size_t{1} << 22;  ///< that a timeline keeps exactly, about
  std::vector<StreamId> capture;  ///< streams whose every token is kept, for tests and the token inspector
  Functional* functional =
      nullptr;  ///< computes tiles, too (functional.h, compute()); of this graph, for one run
  std::stop_token stop;
  std::function<void(Cycles)>
      progress;  ///< simulated time so far; at most every ~30 ms, on the calling thread
  /// Operators rest once their clock is there: the numbers of a short run are those of about that time, and
  /// it is `cancelled`.
  Cycles horizon = std::numeric_limits<Cycles>::max();
  /// A run that takes more work than that is `cancelled`, the same whenever it is repeated: how often the
  /// simulator may resume operators, about as often as tokens move.
  std::uint64_t most_resumptions = std::numeric_limits<std::uint64_t>::max();
};

/// Single-threaded and deterministic; any number may run at once. The graph must have passed infer().
SimulationResult simulate(const FlatGraph& graph, const InputSet& inputs,
                          const SimulationOptions& options = {});

}  // namespace sluice::inline operators

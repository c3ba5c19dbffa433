#pragma once
// Incremental re-simulation: other FIFO depths, answered from a recorded run where its token times are proved
// to stay.
//
// Without operators that choose by arrival, a run is a max-plus system: each event happens as soon as those
// that it waits for allow, and every circle of waits passes a FIFO, which takes a cycle. Such a system has
// one solution. So if the recorded times fulfil its equations with the new depths, too, they are what a fresh
// simulation would find. The equations that a depth enters are those of its stream: token k is sent at the
// later of the sender's clock and the cycle after token k - depth was taken. Checking them is linear in the
// tokens of the streams that change.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/program/flat_graph.h"
#include "engine/simulator/result.h"

namespace sluice::sim {

class Retimer {
 public:
  /// Of a run in Record mode. Both must live as long.
  Retimer(const FlatGraph& graph, const SimulationResult& recorded);

  struct Answer {
    std::optional<Cycles> cycles;  ///< as a fresh simulation gives, every operator's clock alike
    std::string why_not;           ///< else: why it must be simulated again
  };
  /// With these streams at other depths.
  Answer withDepths(std::span<const std::pair<StreamId, std::uint64_t>> depths) const;

 private:
  struct Times {
    std::vector<Cycles> sent, taken;
  };
  Times timesOf(StreamId stream) const;
  std::string objection(StreamId stream, std::uint64_t depth) const;

  const FlatGraph& graph_;
  const SimulationResult& run_;
  std::string objection_;  ///< to any change
};

}  // namespace sluice::sim

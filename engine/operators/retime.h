#pragma once
// Incremental re-simulation: what a run would be with other FIFO depths, latencies or bandwidths, from the
// trace of a run, by running again only what the change reaches.
//
// Without operators that choose by arrival a run is a max-plus system: every event happens as soon as what it
// waits for allows. Every cycle of waits passes a FIFO, which takes a cycle, so the system has one solution.
// What is changed is run again between the traces of its neighbours. Where a neighbour, with the new times,
// would wait as long as it did (each wait's begin is in the trace), its part of the solution stands; a
// neighbour that would not joins those that are run again, until no more join. Then all equations hold, and
// the times are those of a fresh simulation. Where memory is another one, or would be sent requests at other
// times, all of its answers may change: then it is run again, too, with all operators that speak with it. It
// gives up, and says why, where an operator that chooses by arrival is reached, where the on-chip bandwidth
// is another one (nearly all operators wait for their tiles by it), or where so much is reached that a fresh
// simulation is no slower.

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/simulator/result.h"

namespace sluice::inline operators {

struct RecordedRun;

class Retimer {
 public:
  /// Simulates the graph, counting only, and keeps its trace. `inputs` must live as long.
  Retimer(FlatGraph graph, const InputSet& inputs, const std::stop_token& stop = {});
  Retimer(Retimer&&) noexcept;
  Retimer& operator=(Retimer&&) noexcept;
  ~Retimer();

  const FlatGraph& graph() const;
  const SimulationResult& run() const;

  struct Answer {
    std::optional<Cycles> cycles;                             ///< as a fresh simulation gives
    std::string why_not;                                      ///< else: why it must be simulated
    std::vector<std::pair<OperatorId, OperatorStats>> again;  ///< what was run again, as it ended
  };
  // One at a time: traces count who uses their tokens.
  Answer withDepths(std::span<const std::pair<StreamId, std::uint64_t>> depths);
  /// As another elaboration of the same program is, with the same inputs.
  Answer as(const FlatGraph& other);

 private:
  std::unique_ptr<RecordedRun> recorded_;
};

/// What is the same in all graphs that as() may answer for: everything but depths, latencies and bandwidths.
std::string retimingKey(const FlatGraph& graph);

}  // namespace sluice::inline operators

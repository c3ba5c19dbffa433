#pragma once
// RetimingCache: an exploration's recent runs with their traces, so that points which differ from one of them
// only in FIFO depths, latencies or bandwidths are re-timed instead of simulated (engine/operators/retime.h).

#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "engine/explorer/evaluate.h"
#include "engine/operators/retime.h"

namespace sluice::inline explorer {

class RetimingCache {
 public:
  struct Source {
    bool retimed = false;
    std::string why_not;  ///< where a trace was at hand
  };
  /// A count-only run of the point, from any thread. A program is traced when it is met for the second time.
  SimulationResult run(const SymbolicResult& symbolic, const InputSet& inputs, const std::stop_token& stop,
                       Source& source);

 private:
  struct Program {
    std::string key;
    InputSet inputs;
    std::uint64_t hops = 0;  ///< of its first run
    bool wanted = false;     ///< somebody is tracing it
    std::unique_ptr<Retimer> retimer;
    std::mutex one_at_a_time;  ///< the retimer's
    std::uint64_t answers = 0, refusals = 0;
  };
  /// Whether no trace can be expected to earn what it costs. Under the lock.
  bool fruitless() const;
  /// Null: not met yet.
  std::shared_ptr<Program> find(const std::string& key, const InputSet& inputs);
  SimulationResult trace(Program& program, const FlatGraph& graph, const std::stop_token& stop);

  std::mutex mutex_;
  std::list<std::shared_ptr<Program>> programs_;  ///< the last used first
  std::uint64_t met_ = 0, met_again_ = 0;         ///< programs
  std::uint64_t traced_ = 0, answered_ = 0;       ///< runs that were traced, and points that they answered
};

}  // namespace sluice::inline explorer

#pragma once
// The run of a design, as a task that another process can do: what a round of the search hands out.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/designer/binding_resource.h"
#include "engine/explorer/evaluate.h"

namespace sluice::inline designer {

struct DesignTask {
  std::vector<ScheduleStep> schedule;
  Cycles horizon = std::numeric_limits<Cycles>::max();  ///< a run that gets there is of no use
  /// Of a run, as SimulationOptions has it.
  std::uint64_t most_resumptions = std::numeric_limits<std::uint64_t>::max();
};

struct DesignRun {
  enum class End { None, Done, Late, TooLong, Stopped };  ///< at the horizon, after too much work, by a stop
  End end = End::None;
  DesignPoint point = {};                     ///< of Done
  std::optional<BindingResource> bound = {};  ///< likewise
};

/// Here and now. `plain`: the program before any step. A schedule that is refused ends in a failed point.
DesignRun runDesign(const Workload& plain, const KnobValues& knobs, const DesignTask& task,
                    const std::stop_token& stop);

/// Who runs designs in place of the threads of the search: the ranks of a cluster.
class DesignRunner {
 public:
  using Finished = std::function<void(std::size_t task, DesignRun run)>;
  virtual ~DesignRunner() = default;
  /// Begins in this order. Calls `finished` once for each task, one call at a time; after a stop request
  /// tasks may stay out.
  virtual void run(std::span<const DesignTask> tasks, const Finished& finished,
                   const std::stop_token& stop) = 0;
};

}  // namespace sluice::inline designer

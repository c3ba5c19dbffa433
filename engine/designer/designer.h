#pragma once
// The designer: from a plain program to a frontier of schedules (README.md). Transformations propose the
// steps (schedule/proposals.h); designs that come to one graph are evaluated once, and what the bounds rule
// out is not simulated.

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/executor.h"
#include "engine/designer/binding_resource.h"
#include "engine/designer/design_run.h"
#include "engine/explorer/explore.h"
#include "engine/explorer/program_bounds.h"
#include "engine/explorer/workload_set.h"

namespace sluice::inline designer {

struct DesignRequest {
  std::vector<std::string> objectives = defaultObjectives();
  std::vector<Constraint> constraints = {};
  std::uint64_t budget = 300;                                ///< most designs that are simulated
  double seconds = std::numeric_limits<double>::infinity();  ///< after which what runs is stopped
  std::uint64_t seed = 1;
  /// A run that takes more work is given up (SimulationOptions::most_resumptions), as one may take longer
  /// than all others together: about that many tokens that move.
  std::uint64_t most_work = std::uint64_t{1} << 22;
  std::size_t most_steps = 6;            ///< behind those that the program has
  std::set<std::string> allowed = {};    ///< transformations; empty: all
  std::set<std::string> forbidden = {};  ///< transformations
  std::set<std::string> locked = {};     ///< paths of regions and operators that no step may change
  /// Each design is run under all of these; null: under the inputs of its program alone. Bounds then hold for
  /// no statistic: nothing is pruned.
  std::shared_ptr<const WorkloadSet> traces = {};
};

/// A program's schedule, evaluated.
struct Design {
  std::vector<ScheduleStep> schedule;  ///< the whole of it, with the steps that the program has
  /// At the level Symbolic: its bounds are no better than a design that was simulated, or break a
  /// constraint; so it was not. Failed: the program is not complete before a further step.
  DesignPoint point;
  std::vector<BoundGap> gaps;         ///< to the bounds of the plain program
  std::optional<std::size_t> parent;  ///< the design that it was made of; absent: the program as it is
  std::optional<BindingResource> bound = {};  ///< of its run, where this search has made one to its end
};

/// A schedule that is not legal, or changes what is locked.
struct RejectedDesign {
  std::shared_ptr<const std::vector<ScheduleStep>> begun;  ///< often shared by thousands
  std::shared_ptr<const ScheduleStep> last;                ///< behind these; null: they are the schedule
  std::shared_ptr<const Diagnostics> why;

  std::vector<ScheduleStep> schedule() const {
    std::vector<ScheduleStep> all = *begun;
    if (last) all.push_back(*last);
    return all;
  }
};

/// Seconds of processor time on all threads. What a search spends that a list of the same designs would not
/// is its overhead: proposals, designs that are not run, hashes, bounds, and what decides.
struct DesignEffort {
  double simulation = 0;  ///< the runs
  double evaluation = 0;  ///< of what is run: its steps, elaboration, types and costs
  double ruled_out = 0;   ///< the same of what is not run then, as that, or its graph, tells enough
  double search = 0;      ///< all else

  /// A run was taken, whose evaluation was counted as ruled out before.
  void add(const DesignEffort& run) {
    simulation += run.simulation;
    evaluation += run.evaluation;
    ruled_out -= run.evaluation;
  }
  /// With what is left of all for the search.
  DesignEffort of(double all) const {
    return {simulation, evaluation, ruled_out, all - simulation - evaluation - ruled_out};
  }
  double overhead() const {
    return simulation + evaluation > 0 ? (ruled_out + search) / (simulation + evaluation) : 0;
  }
};

struct DesignResult {
  std::vector<Design> designs;        ///< in the order of their evaluation; the first is the program as it is
  std::vector<std::size_t> frontier;  ///< designs, by the first objective
  ProgramBounds bounds;               ///< of the plain program
  std::vector<RejectedDesign> rejected;
  std::uint64_t simulated = 0;
  std::uint64_t reused = 0;      ///< of these, designs that the store knew
  std::uint64_t duplicates = 0;  ///< schedules that come to the graph of another
  std::uint64_t cut = 0;         ///< of `simulated`, whose run got to where it is on no frontier
  std::uint64_t too_long = 0;    ///< of `simulated`, whose run was given up for its work
  std::uint64_t pruned = 0;      ///< schedules ruled out by their bounds, with all that begin with them
  /// Every schedule of up to `most_steps` proposed steps was simulated, or its bounds make that pointless.
  bool complete = false;
  bool cancelled = false;
  std::vector<double> reference;  ///< corner of the hypervolume's box, as relativeHypervolume() has it
  double hypervolume = 0;         ///< share of that box that the designs dominate
  std::vector<double> progress;   ///< hypervolume after each of the designs
  Diagnostics remarks;            ///< what went wrong (errors), and what nothing has changed (warnings)
  DesignEffort effort;            ///< none where traces or other processes run the designs
  double wall_seconds = 0;
};

struct DesignProgress {
  std::uint64_t simulated = 0, budget = 0;
  std::size_t frontier = 0;  ///< designs on it
  double seconds_spent = 0;
  double hypervolume = 0;  ///< share of the box of what was found so far
  double under_way = 0;    ///< besides `simulated`: what is done of the designs that are being simulated
  double share() const {
    return (static_cast<double>(simulated) + under_way) /
           static_cast<double>(std::max<std::uint64_t>(budget, 1));
  }
};

/// Where designs come from and go to besides: a store that a search goes on from (design_store.h).
class DesignPointStore {
 public:
  virtual ~DesignPointStore() = default;
  /// The point of a graph (graphHash()), if it is known; then it is not simulated, but counts as if it were.
  virtual Result<std::optional<DesignPoint>> known(const std::string& graph, const KnobValues& knobs) = 0;
  /// In the order of the search; `known`: it came from here. Does not wait for the disk.
  virtual void add(const std::string& graph, const Design& design, bool known) = 0;
};

struct DesignObserver {
  // From whatever thread, one call at a time:
  /// Each design when it is there, in order.
  std::function<void(const Design&)> design = {};
  /// After each run.
  std::function<void(const DesignProgress&)> progress = {};
  DesignPointStore* store = nullptr;
  /// Runs the designs; null: the executor's threads. Takes no traces.
  DesignRunner* runner = nullptr;
};

/// Keeps the steps of the workload's schedule and puts others behind them. The result is a function of its
/// arguments, whatever the number of threads, unless the seconds or a stop request end it; what is there by
/// then is given. Errors: a request that cannot be met, whatever the schedule; what the store could not do.
/// That no step is legal, or no design runs, is a remark of the result: nothing that was evaluated is lost.
Result<DesignResult> findDesigns(const Workload& workload, const KnobValues& knobs,
                                 const DesignRequest& request, Executor& executor,
                                 const DesignObserver& observer = {}, const std::stop_token& stop = {});

/// The same over a set of traces: plain metrics become statistics, an objective its mean, a constraint its
/// worst value. What stays is refused with the others.
DesignRequest overTraces(DesignRequest request, std::shared_ptr<const WorkloadSet> traces);

/// The workload with another schedule.
Workload withSchedule(const Workload& workload, std::vector<ScheduleStep> schedule);

}  // namespace sluice::inline designer

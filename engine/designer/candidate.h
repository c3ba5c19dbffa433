#pragma once
// A schedule on its way to a design: what is found out of it alone, on any thread.

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "engine/designer/beginnings.h"
#include "engine/designer/design_run.h"
#include "engine/designer/designer.h"
#include "engine/designer/effects.h"
#include "engine/designer/moves.h"
#include "engine/explorer/evaluate.h"
#include "engine/schedule/patch.h"

namespace sluice::inline designer {

/// What prepare() finds out about a schedule.
struct Prepared {
  Diagnostics refused = {};  ///< why it is no design; else what follows is there
  std::string graph = {};    ///< graphHash()
  bool bounded = false;      ///< whether what follows is there, too
  DesignPoint bounds = {};
  double seconds = 0;  ///< of processor time, without what is of the search

  /// That the run moves, as far as it is known beforehand; saturates. To be asked before it is taken.
  std::uint64_t tokens();

  std::atomic_flag taken = {};     ///< by a run, for which the rest is there and which uses it up
  Workload program = {};           ///< after its schedule
  CompiledPrograms compiled = {};  ///< by its steps
  std::optional<SymbolicResult> symbolic = {};

 private:
  std::once_flag counted_ = {};
  std::uint64_t tokens_ = 0;
};

/// The run of a design, besides what it tells others.
struct OwnRun : DesignRun {
  double seconds = 0;                                    ///< of processor time
  std::shared_ptr<const ScheduledProgram> program = {};  ///< of Done, where others may begin with it
};

struct Candidate {
  Schedule schedule;
  std::size_t parent = 0;  ///< the design that it was made of
  StepChange change = {};
  std::size_t position = 0;  ///< of the change in the schedule
  /// The first step behind it.
  std::size_t follow() const { return position + (change.to == no_step ? 0 : 1); }
  Beginning begun = {};  ///< of the schedule, applied before
  bool waited = false;   ///< until nothing that promises more was left
  bool counted = false;  ///< its graph is one that the search has met

  std::shared_ptr<Prepared> prepared = {};
  std::vector<double> bounds = {};  ///< of the objectives; NaN where nothing is certain
  Cycles horizon = std::numeric_limits<Cycles>::max();
  OwnRun run = {};
};

/// How designs are prepared, all of one search alike.
struct Preparation {
  const Workload& plain;  ///< the program before any step
  const KnobValues& knobs;
  std::set<std::string> locked = {};
  bool priced = false;  ///< bounds of what a technology prices are asked for, too, which takes long
};
/// Applies the schedule and bounds what it gives; not so where it is one of the `known` graphs, of which only
/// the hash is told.
std::shared_ptr<Prepared> prepare(const Schedule& schedule, const Beginning& begun, const Preparation& how,
                                  const std::set<std::string>& known, const std::stop_token& stop);
/// Simulates what prepare() has left, and needs no more of it.
OwnRun simulate(Prepared& prepared, Cycles horizon, const KnobValues& knobs, std::uint64_t most_resumptions,
                const std::stop_token& stop);
/// The cause of a point that has bounds only, as its run came to this end, or there was none.
const char* whyBounded(DesignRun::End end);
/// Drops what only simulate() needs.
void forgetProgram(Prepared& prepared);

/// The same under every trace: the point's metrics are statistics, those of the request among them. `on_run`
/// is told the share of the runs that are done, one call at a time.
DesignRun simulateUnder(const DesignRequest& request, const Workload& plain, const Schedule& schedule,
                        const KnobValues& knobs, Executor& executor,
                        const std::function<void(double)>& on_run, const std::stop_token& stop);

/// Whether a region or operator of the plain program is another one behind the steps.
bool isChanged(const std::string& path, const ScheduledPatch& patch);

}  // namespace sluice::inline designer

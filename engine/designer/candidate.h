#pragma once
// A schedule on its way to a design: what is found out of it alone, on any thread.

#include <atomic>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "engine/designer/beginnings.h"
#include "engine/designer/design_run.h"
#include "engine/designer/designer.h"
#include "engine/designer/moves.h"
#include "engine/explorer/evaluate.h"
#include "engine/schedule/patch.h"

namespace sluice::inline designer {

struct Candidate {
  Schedule schedule;
  std::size_t parent = 0;  ///< the design that it was made of
  std::string kind = {};   ///< of the move
  std::string step = {};   ///< that it puts in, as text
  Beginning begun = {};    ///< of the schedule, applied before

  Diagnostics refused = {};        ///< why it is no design; else what follows is there
  Workload program = {};           ///< after its schedule
  CompiledPrograms compiled = {};  ///< by its steps
  std::string graph = {};          ///< graphHash()
  std::optional<SymbolicResult> symbolic = {};
  DesignPoint point = {};           ///< its bounds, then what the run gave
  std::vector<double> bounds = {};  ///< of the objectives; NaN where nothing is certain
  bool waited = false;              ///< until nothing that promises more was left
  std::uint64_t tokens = 0;         ///< that the run moves, as far as it is known beforehand; saturates

  DesignEffort seconds = {};  ///< without what is of the search

  Cycles horizon = std::numeric_limits<Cycles>::max();
  DesignRun::End end = DesignRun::End::None;  ///< of the run
  std::optional<BindingResource> bound = {};  ///< likewise
  std::shared_ptr<const ScheduledProgram> typed =
      {};  ///< what ran to its end, where others may begin with it
};

/// A design whose run has been decided.
struct Launched {
  explicit Launched(Candidate decided) : candidate(std::move(decided)) {}
  Candidate candidate;
  std::optional<DesignPoint> known = {};  ///< from the store: it is not run
  std::atomic<bool> ended = false;
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
void prepare(Candidate& candidate, const Preparation& how, const std::set<std::string>& known,
             const std::stop_token& stop);
/// Simulates what prepare() has left; needs no more of it.
void simulate(Candidate& candidate, const KnobValues& knobs, std::uint64_t most_resumptions,
              const std::stop_token& stop);
/// Gives the point of a design that has no run to its end the reason as its cause, unless it has another.
void sayWhyBounded(Candidate& candidate);
/// Drops what only simulate() needs.
void forgetProgram(Candidate& candidate);

/// The same under every trace: the point's metrics are statistics, those of the request among them. `on_run`
/// is told the share of the runs that are done, one call at a time.
void simulateUnder(const DesignRequest& request, const Workload& plain, Candidate& candidate,
                   const KnobValues& knobs, Executor& executor, const std::function<void(double)>& on_run,
                   const std::stop_token& stop);

/// Whether a region or operator of the plain program is another one behind the steps.
bool isChanged(const std::string& path, const ScheduledPatch& patch);

}  // namespace sluice::inline designer

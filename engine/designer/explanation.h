#pragma once
// Why a design is as good as it is: its steps one after the other, what each brought, what its run was bound
// by before and after, and which steps were tried in its place.

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/designer/binding_resource.h"
#include "engine/designer/designer.h"

namespace sluice::inline designer {

/// A step on the way to a design.
struct LineageStep {
  std::size_t position = 0;  ///< of the step in the schedule
  DesignPoint before, after;
  BindingResource bound_before, bound_after;
  /// Designs of the search with another step in this place and none behind it, the best first: those that
  /// are on the better front, of one front by the first objective.
  std::vector<std::size_t> rivals;
};

/// A beginning of a schedule, and its run. A program that a step has to complete has no metrics before it.
struct Stage {
  std::vector<ScheduleStep> schedule;
  DesignPoint point = {};
  BindingResource bound = {};
};
/// All beginnings of some designs of the result, from the program as it was given on, each once, however many
/// designs share it; not run yet.
std::vector<Stage> stagesOf(const DesignResult& result, std::span<const std::size_t> designs);
/// Takes the run from the search, if it has run it.
void runStage(Stage& stage, const Workload& workload, const KnobValues& knobs, const DesignResult& result,
              const std::stop_token& stop);

/// From the program as it was given to a design, a step at a time. `stages`: of this design, and
/// maybe of others.
std::vector<LineageStep> lineageOf(const DesignRequest& request, const DesignResult& result,
                                   std::size_t design, std::span<const Stage> stages);

}  // namespace sluice::inline designer

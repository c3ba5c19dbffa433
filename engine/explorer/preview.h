#pragma once
// What the steps of a schedule do to a program, before anybody applies them: operators, shapes, memory,
// traffic and arithmetic before and after each.

#include <optional>
#include <stop_token>

#include "engine/explorer/evaluate.h"
#include "engine/schedule/patch.h"

namespace sluice::inline explorer {

struct StepPreview {
  std::string place;     ///< "schedule step 2, tile"
  ScheduledPatch patch;  ///< applied it makes `after` of `before`; its inverse takes it back
  /// Bytes, FLOPs; absent where only a run can tell, and all of them of a program that a later step finishes.
  CostValues before, after;

  /// Of an operator's output, in its first instance; empty where the operator is not there.
  struct Shape {
    std::string output;  ///< "expert.up.out"
    std::string before, after;
  };
  std::vector<Shape> shapes;  ///< those that change
};

/// Every enabled step of the workload's schedule, in order. Errors: a step that is not legal, named; what is
/// wrong with the program behind the last one; a stop request.
Result<std::vector<StepPreview>> previewSchedule(const Workload& workload, const KnobValues& knobs,
                                                 const std::stop_token& stop = {});
/// `step` as if it stood behind the schedule. Errors: it is not legal there, or the program has a problem
/// that it had not before.
Result<StepPreview> previewStep(const Workload& workload, const KnobValues& knobs, const ScheduleStep& step,
                                const std::stop_token& stop = {});

/// The run, counting only, of the program with the first `steps` steps of its schedule: what a preview cannot
/// know. Absent where the program is not complete before a later step. A stop request gives a point that is
/// Cancelled.
std::optional<DesignPoint> runWithSteps(const Workload& workload, std::size_t steps, const KnobValues& knobs,
                                        const std::stop_token& stop = {});

}  // namespace sluice::inline explorer

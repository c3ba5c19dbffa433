#pragma once
// Applying a schedule: program -> program, step by step. Elaboration and simulation see only the result.

#include <stop_token>

#include "engine/core/result.h"
#include "engine/schedule/transformation.h"

namespace sluice::inline schedule {

/// The program after all enabled steps, at one design point; its schedule is empty then. Errors name the
/// step: unknown transformation or argument, value out of range, and whatever makes the step illegal. Whether
/// the program can be elaborated and typed is left to who does so (and asks blameStep() if it cannot).
/// A stop request makes it fail.
Result<ScheduledProgram> applySchedule(const Document& document, const InputSet& inputs,
                                       const KnobValues& knobs, const std::stop_token& stop = {});

/// The arguments of a step, bound at this point; fails for what the transformation does not take.
Result<Arguments> argumentsOf(const ScheduleStep& step, const Document& document, const KnobValues& knobs,
                              const Location& place);

/// `position`: in the schedule, from 0.
Location placeOf(const ScheduleStep& step, std::size_t position);

/// When a design that a step has compiled or rewritten is put into the program: lowering takes much longer
/// than a rewrite, so that of several rewrites in a row only the last one need do it.
enum class Lowering { Now, Later };

/// One step alone; `place` names it in diagnostics.
Result<ScheduledProgram> applyStep(ScheduledProgram scheduled, const ScheduleStep& step,
                                   const KnobValues& knobs, const Location& place,
                                   const std::stop_token& stop = {}, Lowering lowering = Lowering::Now);
/// Whether the step rewrites a compiled design.
bool isRewrite(const ScheduleStep& step);
/// Whether the next enabled step behind `position` rewrites a compiled design.
bool rewriteFollows(const std::vector<ScheduleStep>& schedule, std::size_t position);

/// `found` is wrong with the program that a schedule gives, in that program's names: the first step after
/// which something is, as one diagnostic of that step. `found` itself if the program was wrong before, or
/// if the work was cancelled.
Diagnostics blameStep(const Document& document, const InputSet& inputs, const KnobValues& knobs,
                      const Diagnostics& found);

}  // namespace sluice::inline schedule

#include "engine/designer/beginnings.h"

#include <algorithm>

#include "engine/designer/designer.h"
#include "engine/schedule/schedule.h"

namespace sluice::inline designer {
namespace {

constexpr std::size_t most_kept = 16;  // twice the designs that are changed in one round

/// Nothing: a step is refused.
std::optional<ScheduledProgram> further(const Schedule& schedule, const Beginning& begun,
                                        const KnobValues& knobs, const std::stop_token& stop) {
  ScheduledProgram program = *begun.program;
  for (std::size_t i = begun.steps; i < schedule.size(); ++i) {
    if (!schedule[i].enabled) continue;
    const Lowering lowering = rewriteFollows(schedule, i) ? Lowering::Later : Lowering::Now;
    Result<ScheduledProgram> next =
        applyStep(std::move(program), schedule[i], knobs, placeOf(schedule[i], i), stop, lowering);
    if (!next) return {};
    program = *std::move(next);
  }
  return program;
}

}  // namespace

Result<ScheduledProgram> programBehind(const Workload& plain, const Schedule& schedule,
                                       const Beginning& begun, const KnobValues& knobs,
                                       const std::stop_token& stop) {
  if (begun.program)
    if (std::optional<ScheduledProgram> program = further(schedule, begun, knobs, stop))
      return *std::move(program);
  // It may be refused for what the beginning is: then the whole of it says why.
  const Workload whole = withSchedule(plain, schedule);
  return applySchedule(whole.document, whole.inputs, knobs, stop);
}

std::shared_ptr<const ScheduledProgram> typedProgramBehind(const Workload& plain, const Schedule& schedule,
                                                           const Beginning& begun, const KnobValues& knobs,
                                                           const std::stop_token& stop) {
  Result<ScheduledProgram> program = programBehind(plain, schedule, begun, knobs, stop);
  if (!program) return nullptr;
  Rewrite rewrite(*program, knobs, "", stop);
  if (rewrite.inferTypes()) program->typed = rewrite.typed();
  return std::make_shared<const ScheduledProgram>(*std::move(program));
}

std::shared_ptr<const ScheduledProgram> Beginnings::find(std::span<const ScheduleStep> steps) const {
  const auto known = programs_.find(keyOf(steps));
  return known == programs_.end() ? nullptr : known->second.program;
}

Beginning Beginnings::of(const Schedule& schedule) {
  for (std::size_t steps = schedule.size(); steps-- > 0;) {
    const auto known = programs_.find(keyOf(std::span(schedule).first(steps)));
    if (known == programs_.end()) continue;
    known->second.asked = ++questions_;
    return {steps, known->second.program};
  }
  return {};
}

void Beginnings::add(std::span<const ScheduleStep> steps, std::shared_ptr<const ScheduledProgram> program) {
  programs_[keyOf(steps)] = {std::move(program), ++questions_};
  if (programs_.size() > most_kept)
    programs_.erase(
        std::ranges::min_element(programs_, {}, [](const auto& each) { return each.second.asked; }));
}

}  // namespace sluice::inline designer

#pragma once
// Beginnings: programs behind the first steps of schedules, with their types. Most schedules that a search
// tries differ from one that it has in the last steps only.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "engine/designer/moves.h"
#include "engine/explorer/evaluate.h"

namespace sluice::inline designer {

struct Beginning {
  std::size_t steps = 0;  ///< of the schedule, disabled ones among them
  std::shared_ptr<const ScheduledProgram> program = {};
};

/// The program behind all steps of a schedule, as applySchedule() gives it. `begun`: behind some of its first
/// ones, or empty.
Result<ScheduledProgram> programBehind(const Workload& plain, const Schedule& schedule,
                                       const Beginning& begun, const KnobValues& knobs,
                                       const std::stop_token& stop);

/// With its types, where it can be typed already; null: a step is refused.
std::shared_ptr<const ScheduledProgram> typedProgramBehind(const Workload& plain, const Schedule& schedule,
                                                           const Beginning& begun, const KnobValues& knobs,
                                                           const std::stop_token& stop);

class Beginnings {
 public:
  /// Null: it is not kept.
  std::shared_ptr<const ScheduledProgram> find(std::span<const ScheduleStep> steps) const;
  /// The longest one that a schedule begins with, and that is shorter than it.
  Beginning of(const Schedule& schedule);
  /// What has not been asked for longest makes way.
  void add(std::span<const ScheduleStep> steps, std::shared_ptr<const ScheduledProgram> program);

 private:
  struct Kept {
    std::shared_ptr<const ScheduledProgram> program;
    std::uint64_t asked = 0;  ///< when, in questions
  };
  std::map<std::string, Kept> programs_;  ///< by keyOf()
  std::uint64_t questions_ = 0;
};

}  // namespace sluice::inline designer

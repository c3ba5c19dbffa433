#pragma once
// Moves: the schedules that differ from a design's in one step - one more, one with other arguments, one
// less - in the order in which a search tries them.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/core/random.h"
#include "engine/schedule/proposals.h"

namespace sluice::inline designer {

using Schedule = std::vector<ScheduleStep>;

/// One text for equal steps.
std::string keyOf(std::span<const ScheduleStep> steps);
/// A number of a step, equal for equal ones, and for others by a chance of 2^-64; found faster than a text.
using StepKey = std::uint64_t;
constexpr StepKey no_step = 0;
StepKey keyOf(const ScheduleStep& step);

/// All but the numbers: of schedules that are alike here, one is asked for the steps that may follow.
std::string outlineOf(std::span<const ScheduleStep> schedule);

/// A step in the place of a schedule's, behind all of them, or none in its place.
struct StepEdit {
  explicit StepEdit(std::size_t place, std::optional<ScheduleStep> put_in = {});
  std::size_t position;
  std::optional<ScheduleStep> step;
  StepKey key;  ///< of the step that it puts in; no_step: it only takes one out
};
Schedule edited(const Schedule& schedule, const StepEdit& edit);

class Moves {
 public:
  /// `proposals[i]`: what may follow the first `fixed` + i steps; null where unknown. `further`: the
  /// transformations that may be used. `parent`: what the schedule was made of.
  Moves(const Schedule& schedule, std::size_t fixed, std::size_t most_steps,
        const std::vector<std::shared_ptr<const Proposals>>& proposals, const std::set<std::string>& further,
        SplitMix64 random, const Schedule& parent);

  bool empty() const { return kinds_.empty(); }
  /// "add tile", "change split", "drop": of each there is a next one.
  std::vector<std::string> kinds() const;
  /// The largest promise of one of this kind.
  double most(const std::string& kind, const std::function<double(const StepEdit&)>& promise) const;
  /// The one that promises most; of equal ones the first.
  StepEdit next(const std::string& kind, const std::function<double(const StepEdit&)>& promise);
  /// Whether a schedule with one more step was left out, as its proposal has too many.
  bool leavesOut() const { return leaves_out_; }

 private:
  using Edits = std::map<std::string, std::vector<StepEdit>>;  ///< by kind
  /// A copy of Moves shares what they were made with.
  struct Kind {
    std::shared_ptr<const std::vector<StepEdit>> edits;
    std::vector<std::uint32_t> left;  ///< positions, in order
  };

  void addSteps(Edits& edits, const Schedule& schedule, const Proposals& proposals,
                const std::set<std::string>& further, SplitMix64& random);
  static void changeStep(Edits& edits, const Schedule& schedule, std::size_t position,
                         const Proposals& proposals, SplitMix64& random, const Schedule& parent);

  std::map<std::string, Kind> kinds_;  ///< of which some are left
  bool leaves_out_ = false;
};

}  // namespace sluice::inline designer

#pragma once
// Effects: what changes have done to the bounds of designs, so that those of a further change are expected
// before its program is worked out. A change puts one step in the place of another, or of none; what it does
// is taken to be much the same in every design, and the reverse the other way round.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/designer/moves.h"

namespace sluice::inline designer {

struct StepChange {
  std::string kind = {};  ///< "add tile", "drop"
  StepKey from = no_step, to = no_step;
};

class Effects {
 public:
  /// A change has led from bounds to bounds, of the objectives; NaN where nothing is certain.
  void saw(const StepChange& change, std::span<const double> before, std::span<const double> after);
  /// A change has led to the graph of another schedule.
  void repeated(const StepChange& change);
  /// Whether every change of the kind, or just this one, has done so till now.
  bool repeats(const StepChange& change) const;
  /// A change of this kind was made in front of a step, which was applied then, or refused.
  void tried(const std::string& kind, const ScheduleStep& step, bool applied);
  /// The share of such changes that left the step legal: of this very step, or where it was hardly tried of
  /// its transformation. 1 where that was not tried either.
  double legalShare(const std::string& kind, const ScheduleStep& step) const;
  /// The least bounds that can be expected of it behind `before`; NaN where nothing tells.
  std::vector<double> expected(const StepChange& change, std::span<const double> before) const;

 private:
  using Ratios = std::vector<double>;  ///< of bounds after and before; NaN where one is not certain
  /// What changes did: the least of each ratio.
  struct Seen {
    std::uint64_t times = 0, repeated = 0;
    Ratios ratios;
    bool alike = true;  ///< they were all the same
    void add(const Ratios& more);
  };

  struct Trials {
    std::uint64_t all = 0, applied = 0;
  };

  std::optional<Ratios> of(StepKey from, StepKey to) const;

  std::map<std::string, Seen> kinds_;
  std::map<std::pair<std::string, StepKey>, Trials> trials_of_step_;
  std::map<std::pair<std::string, std::string>, Trials> trials_of_transformation_;
  std::map<std::pair<StepKey, StepKey>, Seen> steps_;  ///< from one to the other
};

}  // namespace sluice::inline designer

#pragma once
// The steps that a proposal leaves to choose from, in the order in which a search tries them.

#include <vector>

#include "engine/core/random.h"
#include "engine/schedule/proposals.h"

namespace sluice::inline designer {

struct StepChoices {
  /// Each once; first that with the defaults, then those with all first and all last values.
  std::vector<ScheduleStep> steps;
  bool all = true;  ///< else the proposal has more, and these are some of them by chance
};
StepChoices stepChoices(const Proposal& proposal, SplitMix64& random, std::size_t most = 256);

}  // namespace sluice::inline designer

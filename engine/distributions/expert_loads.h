#pragma once
// How many tokens each expert gets under the traces of a set.

#include <optional>
#include <string>
#include <vector>

#include "engine/explorer/workload_set.h"

namespace sluice::inline distributions {

/// Over the traces.
struct LoadSpread {
  double mean = 0, least = 0, most = 0;
};

struct ExpertLoads {
  std::string input;
  std::vector<LoadSpread> by_expert;
  std::vector<LoadSpread> by_rank;  ///< of each trace the busiest expert first
  std::vector<double> chosen;       ///< tokens of each expert under the chosen trace
};

/// Of the first input that is a set of routings; nothing where none is.
std::optional<ExpertLoads> expertLoads(const WorkloadSet& set);

}  // namespace sluice::inline distributions

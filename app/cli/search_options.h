#pragma once
// What `explore`, `strategies` and `design` ask for alike.

#include <string>
#include <vector>

#include "app/cli/command.h"
#include "engine/explorer/explore.h"

namespace sluice::cli {

struct SearchOptions : FileOptions {
  SearchOptions() { knobs_vary = true; }
  unsigned threads = 0;
  std::vector<std::string> objectives = ExploreOptions{}.objectives;
  std::uint64_t budget = ExploreOptions{}.budget;
  std::uint64_t seed = ExploreOptions{}.seed;
  std::vector<std::string> constraints;
};

std::vector<std::string> strategyNames();
/// --objective and --constraint; what is in `objectives` is the default, else `usual`.
std::vector<Option> goalOptions(std::vector<std::string>& objectives, std::vector<std::string>& constraints,
                                const std::vector<std::string>& usual);
std::vector<Option> searchOptions(SearchOptions& options);
Result<std::vector<Constraint>> constraintsOf(const std::vector<std::string>& texts);
/// Everything but strategy, level and what the caller hangs on. `knobs`: those of openSet(); what --set names
/// is fixed.
Result<ExploreOptions> exploreOptions(const SearchOptions& options, const KnobValues& knobs = {});

}  // namespace sluice::cli

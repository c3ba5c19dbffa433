#include "engine/explorer/search/strategies.h"

#include <algorithm>

namespace sluice::inline explorer {

Registry<Strategy>& strategyRegistry() {
  static Registry<Strategy> registry({
      {"exhaustive", "every point", true, searchExhaustively},
      {"pruned", "every point, but none whose lower bounds are dominated already; the same frontier", true,
       searchPruned},
      {"random", "random points", false, searchRandomly},
      {"latin-hypercube", "random points that spread every knob's values evenly", false,
       searchLatinHypercube},
      {"nsga2", "genetic: non-dominated sorting and crowding (NSGA-II)", false, searchNsga2},
      {"moead", "genetic: one weighted problem for each direction (MOEA/D); one point at a time", false,
       searchMoead},
      {"nspso", "particle swarm: non-dominated sorting (NSPSO)", false, searchNspso},
      {"halving", "many short runs, fewer and longer ones of the best (successive halving)", false,
       searchByHalving, std::numeric_limits<std::uint64_t>::max(), true},
      {"motpe",
       "by the densities of good and other points (multi-objective tree-structured Parzen estimator)", false,
       searchByMotpe, 2000},  // densities take the square of the points' number
      {"ehvi",
       "for few evaluations: by the expected gain of hypervolume under a Gaussian process (EHVI, ParEGO)",
       false, searchByEhvi, 200},  // a Gaussian process takes its cube
      {"auto", "picks another: every point if the budget allows it, else by the number of evaluations", false,
       searchAutomatically},
  });
  return registry;
}

std::span<const Strategy> strategies() {
  return strategyRegistry().all();
}

const Strategy* findStrategy(const std::string& name) {
  const auto all = strategies();
  const auto found = std::ranges::find_if(all, [&](const Strategy& each) { return name == each.name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace sluice::inline explorer

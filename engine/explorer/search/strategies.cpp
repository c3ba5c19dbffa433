#include "engine/explorer/search/strategies.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr Strategy table[] = {
    {"exhaustive", "every point", true, searchExhaustively},
    {"pruned", "every point, but none whose lower bounds are dominated already; the same frontier", true,
     searchPruned},
    {"random", "random points", false, searchRandomly},
    {"latin-hypercube", "random points that spread every knob's values evenly", false, searchLatinHypercube},
    {"nsga2", "genetic: non-dominated sorting and crowding (NSGA-II)", false, searchNsga2},
    {"moead", "genetic: one weighted problem for each direction (MOEA/D); one point at a time", false,
     searchMoead},
    {"nspso", "particle swarm: non-dominated sorting (NSPSO)", false, searchNspso},
    {"halving", "many short runs, fewer and longer ones of the best (successive halving)", false,
     searchByHalving},
};

}  // namespace

std::span<const Strategy> strategies() {
  return table;
}

const Strategy* findStrategy(const std::string& name) {
  const auto* found =
      std::find_if(std::begin(table), std::end(table), [&](const Strategy& s) { return name == s.name; });
  return found == std::end(table) ? nullptr : found;
}

}  // namespace sluice

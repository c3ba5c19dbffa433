// The strategy for those who do not want to choose one: by the budget, the size of the space and what is
// known of its points beforehand.

#include "engine/explorer/search/strategies.h"

namespace sluice::inline explorer {
namespace {

const char* pickFor(const Trials& trials) {
  constexpr std::uint64_t most_for_processes =
      200;  // a Gaussian process takes the cube of the points' number
  constexpr std::uint64_t most_for_densities = 2000;  // and Parzen's densities the square
  if (trials.size() <= trials.left()) return trials.bounded() ? "pruned" : "exhaustive";
  if (trials.left() <= most_for_processes) return "ehvi";
  return trials.left() <= most_for_densities ? "motpe" : "nsga2";
}

}  // namespace

void searchAutomatically(Trials& trials) {
  const Strategy* const strategy = findStrategy(pickFor(trials));
  trials.handOver(strategy->name);
  strategy->search(trials);
}

}  // namespace sluice::inline explorer

// The strategy for those who do not want to choose one: by the budget, the size of the space and what is
// known of its points beforehand.

#include "engine/explorer/search/strategies.h"

namespace sluice::inline explorer {
namespace {

const char* pickFor(const Trials& trials) {
  if (trials.size() <= trials.left()) return trials.bounded() ? "pruned" : "exhaustive";
  for (const char* name : {"ehvi", "motpe"})
    if (trials.left() <= findStrategy(name)->most_evaluations) return name;
  return "nsga2";
}

}  // namespace

void searchAutomatically(Trials& trials) {
  const Strategy* const strategy = findStrategy(pickFor(trials));
  trials.handOver(strategy->name);
  strategy->search(trials);
}

}  // namespace sluice::inline explorer

// The strategy for those who do not want to choose one: by the budget, the size of the space and what is
// known of its points beforehand.

#include "engine/explorer/search/strategies.h"

namespace sluice::inline explorer {
namespace {

const char* pickFor(const SearchContext& context) {
  if (context.size() <= context.left()) return context.bounded() ? "pruned" : "exhaustive";
  for (const char* name : {"ehvi", "motpe"})
    if (context.left() <= findStrategy(name)->most_evaluations) return name;
  return "nsga2";
}

}  // namespace

void searchAutomatically(SearchContext& context) {
  const Strategy* const strategy = findStrategy(pickFor(context));
  context.handOver(strategy->name);
  strategy->search(context);
}

}  // namespace sluice::inline explorer

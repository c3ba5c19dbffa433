// The depths that free a program of a deadlock at the fewest bytes; those of one that ends stay.

#include "engine/fifo/depth_search.h"
#include "engine/fifo/strategies/strategies.h"

namespace sluice::inline fifo {

Result<ChosenDepths> chooseToUnlock(const DepthRequest& request) {
  SearchBudget budget;
  budget.stop = request.options.stop;
  DepthSearch search(request.problem, budget);
  const std::optional<DepthSolution> solution = search.solve();
  if (!solution)
    return error("infeasible-sizing", "FIFOs",
                 search.gaveUp() ? "no depths that free the deadlock were found within the budget"
                                 : "no depths free the deadlock",
                 "ask sluice-cli unlock, or the window's deadlock screen, for its cause");
  ChosenDepths chosen{presentDepths(request.problem)};
  for (const auto& [group, depth] : solution->depths) chosen.depths[group] = static_cast<std::int64_t>(depth);
  return chosen;
}

}  // namespace sluice::inline fifo

// The least depths that keep the pace, by simulation.

#include <algorithm>

#include "engine/fifo/strategies/strategies.h"

namespace sluice::inline fifo {
namespace {

/// With no FIFO deeper than the tokens that pass through it.
Result<DepthProblem> bounded(const DepthRequest& request) {
  DepthProblem problem = request.problem;
  SLUICE_TRY(const SimulationResult run, runToItsEnd(problem, endlessDepths(problem), request.options.stop));
  for (DepthGroup& group : problem.groups) {
    std::uint64_t most = 1;
    for (const StreamId stream : group.streams) most = std::max(most, run.streams[stream].tokens);
    if (!group.fixed) group.tokens = std::min(group.tokens, static_cast<std::int64_t>(most));
  }
  return problem;
}

/// Where the search begins: what the linear programs choose, or what there is.
std::vector<std::vector<std::int64_t>> startsOf(const DepthRequest& request) {
  std::vector<std::vector<std::int64_t>> starts;
  for (const auto choose : {chooseByStartTimes, chooseByPaths, chooseAsSoonAsPossible}) {
    Result<ChosenDepths> chosen = choose(request);
    if (chosen) starts.push_back(std::move(chosen->depths));
    if (request.designs.empty()) break;
  }
  return starts;
}

}  // namespace

Result<ChosenDepths> chooseBySimulation(const DepthRequest& request) {
  const DepthOptions& options = request.options;
  SLUICE_TRY(const DepthProblem problem, bounded(request));
  const SimulatedSizingOptions search{options.tolerance, options.most_simulations, options.stop};
  ChosenDepths chosen;
  if (options.front) {
    chosen.front = simulatedFront(problem, startsOf(request), search);
    chosen.search = chosen.front.front();
  } else {
    chosen.search = sizeBySimulation(problem, startsOf(request), search);
  }
  chosen.depths = chosen.search->depths;
  return chosen;
}

}  // namespace sluice::inline fifo

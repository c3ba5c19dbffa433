// The least depths that keep the pace, by simulation: least in bytes, or in blocks of BRAM.

#include <algorithm>

#include "engine/core/time_limit.h"
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

Result<ChosenDepths> choose(const DepthRequest& request, DepthCost cost) {
  const DepthOptions& options = request.options;
  SLUICE_TRY(const DepthProblem problem, bounded(request));
  SimulatedSizingOptions search;
  search.tolerance = options.tolerance, search.cost = cost;
  const TimeLimit limit(options.seconds, options.stop);
  search.most_simulations = options.most_simulations, search.stop = limit.token();
  search.progress = options.progress;
  std::vector<std::vector<std::int64_t>> starts = startsOf(request);
  std::optional<AlikeFifos> alike;
  if (options.grouped) {
    alike = alikeFifos(problem);
    for (std::vector<std::int64_t>& depths : starts) depths = alike->gathered(depths);
  }
  const DepthProblem& searched = alike ? alike->problem : problem;
  ChosenDepths chosen;
  if (options.front) {
    chosen.front = simulatedFront(searched, starts, search);
    chosen.search = chosen.front.front();
  } else {
    chosen.search = sizeBySimulation(searched, starts, search);
  }
  if (alike) {
    for (SimulatedSizing& each : chosen.front) each.depths = alike->spread(each.depths);
    chosen.search->depths = alike->spread(chosen.search->depths);
  }
  chosen.depths = chosen.search->depths;
  return chosen;
}

}  // namespace

Result<ChosenDepths> chooseBySimulation(const DepthRequest& request) {
  return choose(request, DepthCost::Bytes);
}

Result<ChosenDepths> chooseFewestBlocks(const DepthRequest& request) {
  return choose(request, DepthCost::Blocks);
}

}  // namespace sluice::inline fifo

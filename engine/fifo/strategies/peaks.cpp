// Depths from a run: as deep as it filled each FIFO, tried before anybody sees them.

#include <algorithm>

#include "engine/fifo/strategies/strategies.h"

namespace sluice::inline fifo {
namespace {

/// As deep as a run with `depths` fills them.
Result<ChosenDepths> choose(const DepthRequest& request, std::span<const std::int64_t> depths) {
  const DepthProblem& problem = request.problem;
  SLUICE_TRY(const SimulationResult measured, runToItsEnd(problem, depths, request.options.stop));
  std::vector<std::int64_t> filled;
  for (const DepthGroup& group : problem.groups) {
    std::uint64_t most = 1;
    for (const StreamId stream : group.streams) most = std::max(most, measured.streams[stream].max_occupancy);
    filled.push_back(static_cast<std::int64_t>(group.fixed ? group.depth : most));
  }
  // A slot is free one cycle after its token has left, so a FIFO that is never fuller than n tokens may need
  // room for one more to keep the pace.
  std::vector<std::int64_t> roomy = filled;
  for (std::size_t group = 0; group < roomy.size(); ++group)
    roomy[group] += problem.groups[group].fixed ? 0 : 1;
  const Result<SimulationResult> tight_run = runToItsEnd(problem, filled, request.options.stop);
  if (tight_run && tight_run->cycles <= measured.cycles) return ChosenDepths{std::move(filled)};
  const Result<SimulationResult> roomy_run = runToItsEnd(problem, roomy, request.options.stop);
  if (!tight_run && !roomy_run) return roomy_run.diagnostics();
  const bool better = roomy_run && (!tight_run || roomy_run->cycles < tight_run->cycles);
  return ChosenDepths{better ? std::move(roomy) : std::move(filled)};
}

}  // namespace

Result<ChosenDepths> choosePeaks(const DepthRequest& request) {
  return choose(request, presentDepths(request.problem));
}

Result<ChosenDepths> chooseUnlimitedPeaks(const DepthRequest& request) {
  std::vector<std::int64_t> depths = presentDepths(request.problem);
  for (std::size_t group = 0; group < depths.size(); ++group)
    if (!request.problem.groups[group].fixed) depths[group] = unlimited_depth;
  return choose(request, depths);
}

}  // namespace sluice::inline fifo

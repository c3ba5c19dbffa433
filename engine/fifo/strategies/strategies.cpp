#include "engine/fifo/strategies/strategies.h"

#include <algorithm>

#include "engine/core/cancelled.h"
#include "engine/operators/fault_diagnostic.h"
#include "engine/operators/simulate.h"

namespace sluice::inline fifo {

Registry<DepthStrategy>& depthStrategyRegistry() {
  static Registry<DepthStrategy> registry({
      {"start-time", "Start times", "the best start times of the kernels",
       "full rate of their curves, at no more bytes than other start times", true, false, chooseByStartTimes},
      {"paper", "Path program", "a delay per stream, long enough along every path, as published",
       "can fall short of full rate", true, false, chooseByPaths},
      {"asap", "As soon as possible", "every kernel starts as soon as it can, as hardware does from reset",
       "full rate of their curves, without a wait at the beginning", true, false, chooseAsSoonAsPossible},
      {"exact", "Exactly", "the fewest bits for the exact throughput of a dataflow graph",
       "executions follow each other as fast as with unlimited FIFOs, at the fewest bytes", true, false,
       chooseExactly},
      {"peaks", "What this run fills", "as deep as a run with the present depths fills them",
       "no slower than the present depths", false, true, choosePeaks},
      {"unlimited", "What a run with unlimited FIFOs fills",
       "as deep as a run with unlimited FIFOs fills them", "no producer waits for room", false, false,
       chooseUnlimitedPeaks},
      {"simulated", "Least by simulation", "made shallower one by one, while runs keep the pace",
       "as fast as unlimited FIFOs; none of the depths can be one less", false, false, chooseBySimulation},
      {"bram", "Fewest blocks of BRAM", "as by simulation, where only blocks of an AMD device count",
       "as fast as unlimited FIFOs; no FIFO can do with a block less", false, false, chooseFewestBlocks},
      {"unlock", "Free of deadlock", "made deeper where the program deadlocks",
       "the program ends, at the fewest bytes more", false, false, chooseToUnlock},
  });
  return registry;
}

std::span<const DepthStrategy> depthStrategies() {
  return depthStrategyRegistry().all();
}

const DepthStrategy* findDepthStrategy(const std::string& name) {
  const auto all = depthStrategies();
  const auto found = std::ranges::find_if(all, [&](const DepthStrategy& each) { return name == each.name; });
  return found == all.end() ? nullptr : &*found;
}

Result<ChosenDepths> chooseDepths(const DepthStrategy& strategy, const DepthRequest& request) {
  SLUICE_TRY(ChosenDepths chosen, strategy.choose(request));
  if (request.options.front && chosen.front.empty())
    return error("conflicting-options", std::string("strategy '") + strategy.name + "'",
                 "it finds one choice of depths, not a frontier of bytes against cycles",
                 "ask 'simulated' or 'bram' for the frontier");
  return chosen;
}

std::vector<std::int64_t> presentDepths(const DepthProblem& problem) {
  std::vector<std::int64_t> depths;
  for (const DepthGroup& group : problem.groups) depths.push_back(static_cast<std::int64_t>(group.depth));
  return depths;
}

Result<SimulationResult> runToItsEnd(const DepthProblem& problem, std::span<const std::int64_t> depths,
                                     const std::stop_token& stop) {
  FlatGraph graph = problem.graph;
  setDepths(graph, problem, depths);
  SimulationOptions options;
  options.mode = RecordMode::Record;
  options.stop = stop;
  SimulationResult run = simulate(graph, problem.inputs, options);
  if (run.cancelled) return cancelledDiagnostic();
  if (run.fault) return faultDiagnostic(graph, *run.fault);
  if (run.deadlock)
    return error("deadlock", "simulation", "the program deadlocks with these depths",
                 "choose depths in another way, or ask 'sluice-cli unlock' for the cause");
  return run;
}

}  // namespace sluice::inline fifo

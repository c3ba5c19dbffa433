#pragma once
// The ways to choose the depths of a program's FIFOs; one file each, where they are not one method with other
// numbers; those of plug-ins behind them. To add one: a function, and a line in strategies.cpp.

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/registry.h"
#include "engine/csdf/graph.h"
#include "engine/operators/depth_problem.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/lowering/fifo_simulation.h"

namespace sluice::inline fifo {

/// Kernels with known curves, which are the problem or a part of it.
struct TimedDesign {
  TimedGraph timed;
  std::optional<TensorCompilation> compilation;  ///< absent: kernels from a file
  /// Of the problem, by stream of the design; absent: its depth is not open.
  std::vector<std::optional<std::size_t>> groups;

  /// Delays and depths of the kernels' tokens. Errors: as sizeFifos(TimedGraph).
  Result<FifoSizing> size(SizingMethod method, const SizingOptions& options) const;
  /// Puts a sizing's depths into those of the problem; a compiled stream may be sent in vectors.
  void take(const FifoSizing& sizing, std::vector<std::int64_t>& depths) const;
};

struct DepthOptions {
  SizingOptions programs{.objective = SizingObjective::TotalBytes, .fifo = {.hop_latency = 1}};
  double tolerance = 0;  ///< simulated, bram: cycles above those without limits, as a fraction
  std::size_t most_simulations = 20'000;  ///< exact: throughputs that are computed
  bool front = false;                     ///< simulated, bram: also less room at more cycles
  bool grouped = false;                   ///< simulated, bram: FIFOs that are alike have one depth
  double seconds =
      std::numeric_limits<double>::infinity();  ///< simulated, bram: the best so far is taken then
  std::function<void(const SizingProgress&)> progress = {};  ///< simulated, bram
  std::stop_token stop = {};
};

struct DepthRequest {
  const DepthProblem& problem;
  std::span<const TimedDesign> designs;
  DepthOptions options = {};
};

struct ChosenDepths {
  std::vector<std::int64_t> depths;            ///< parallel to the problem's groups
  std::vector<FifoSizing> sizings = {};        ///< of the designs, by a linear program
  std::optional<SimulatedSizing> search = {};  ///< simulated, bram
  std::vector<SimulatedSizing> front = {};     ///< simulated, bram, where asked for
  std::vector<Rational> long_run = {};         ///< exact: cycles of an execution of each design
};

struct DepthStrategy {
  const char* name;
  const char* title;
  const char* summary;  ///< what it does
  const char* promise;  ///< what holds with its depths
  bool of_design;       ///< needs kernels with known curves
  bool of_run;          ///< needs a run with the present depths that ends
  /// Errors: what its method refuses; the program does not end, whatever the depths.
  Result<ChosenDepths> (*choose)(const DepthRequest&);
};

/// Plug-ins add to it.
Registry<DepthStrategy>& depthStrategyRegistry();
std::span<const DepthStrategy> depthStrategies();
/// Null: there is none.
const DepthStrategy* findDepthStrategy(const std::string& name);

/// By that strategy. Errors: its own; "conflicting-options" where a frontier is asked of one that has none.
Result<ChosenDepths> chooseDepths(const DepthStrategy& strategy, const DepthRequest& request);

Result<ChosenDepths> chooseByPaths(const DepthRequest& request);
Result<ChosenDepths> chooseByStartTimes(const DepthRequest& request);
Result<ChosenDepths> chooseAsSoonAsPossible(const DepthRequest& request);
Result<ChosenDepths> chooseExactly(const DepthRequest& request);
Result<ChosenDepths> choosePeaks(const DepthRequest& request);
Result<ChosenDepths> chooseUnlimitedPeaks(const DepthRequest& request);
Result<ChosenDepths> chooseBySimulation(const DepthRequest& request);
Result<ChosenDepths> chooseFewestBlocks(const DepthRequest& request);
Result<ChosenDepths> chooseToUnlock(const DepthRequest& request);

/// The depths as they are.
std::vector<std::int64_t> presentDepths(const DepthProblem& problem);
/// A recorded run with these depths. Errors: it does not end, or was stopped.
Result<SimulationResult> runToItsEnd(const DepthProblem& problem, std::span<const std::int64_t> depths,
                                     const std::stop_token& stop);

}  // namespace sluice::inline fifo

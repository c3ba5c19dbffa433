#pragma once
// FIFO depths as the simulator sees them: what a sizing really needs, and the smallest depths that keep the
// rate. The curves that the linear programs work with are lines; tokens come in bursts, memory is shared, and
// a pipeline that waits for one input keeps the others waiting.

#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/operators/depth_problem.h"
#include "engine/simulator/result.h"
#include "engine/tensor/lowering/compile.h"

namespace sluice::inline tensor {

/// The streams of a graph of kernels, a group each.
Result<DepthProblem> depthProblem(const TimedGraph& graph);
/// Of the lowered design on the machine that it was compiled for: its streams, a group each.
Result<DepthProblem> depthProblem(const CompiledDesign& compiled, const CompileOptions& options);

/// Parallel to the problem's groups; of the FIFOs in one the largest.
struct SimulatedFifos {
  bool deadlock = false;
  Cycles cycles = 0;
  std::vector<std::int64_t> peak;  ///< tokens in a FIFO at once
  std::vector<Cycles> stalls;      ///< of a FIFO's producer, by any of its outputs
};
SimulatedFifos simulateFifos(const DepthProblem& problem, std::span<const std::int64_t> depths);
/// With FIFOs that never fill.
std::vector<std::int64_t> endlessDepths(const DepthProblem& problem);

/// What a search makes small.
enum class DepthCost {
  Bytes,
  Blocks  ///< of BRAM (sizing/fifo_blocks.h). Of the depths with one number of blocks it takes the deepest
};

/// Blocks of BRAM of all open FIFOs.
std::int64_t fifoBlocks(const DepthProblem& problem, std::span<const std::int64_t> depths);

/// How far a search is.
struct SizingProgress {
  std::size_t simulations = 0;
  std::uint64_t cost = 0;  ///< bytes or blocks of the depths that are being made smaller
};

struct SimulatedSizingOptions {
  double tolerance = 0;  ///< more cycles than with endless FIFOs, as a fraction of them
  DepthCost cost = DepthCost::Bytes;
  std::size_t most_simulations = 100'000;
  std::stop_token stop = {};
  std::function<void(const SizingProgress&)> progress = {};  ///< after each FIFO that was looked at
};

struct SimulatedSizing {
  std::vector<std::int64_t> depths;
  Bytes bytes = 0;
  std::int64_t blocks = 0;  ///< of BRAM
  Cycles cycles = 0;
  Cycles endless_cycles = 0;
  std::size_t simulations = 0;
  /// No depth can be one less (one block less), the others as they are: each was tried. False where the
  /// search was cut off.
  bool minimal = false;
};

/// The smallest total cost that a search finds among the depths that keep the rate. `starts`: sizings to
/// begin from; those that do not keep it are not used. The result is at no more cost than any that does.
/// From each start, FIFOs are made as shallow as they can be one after the other, the largest first: more
/// depth never costs time as long as memory is not contended, so that is a binary search. Then every depth is
/// tried one lower until none can be.
SimulatedSizing sizeBySimulation(const DepthProblem& problem,
                                 std::span<const std::vector<std::int64_t>> starts,
                                 const SimulatedSizingOptions& options);

/// Sizings of more and more tolerance, without those that another beats in cost and cycles; cost descending,
/// down to the least that does not deadlock. `simulations` are those of the whole search.
std::vector<SimulatedSizing> simulatedFront(const DepthProblem& problem,
                                            std::span<const std::vector<std::int64_t>> starts,
                                            const SimulatedSizingOptions& options);

}  // namespace sluice::inline tensor

#pragma once
// What is compared: the depths that each method gives to the FIFOs of a design, and depths by hand.

#include <QString>
#include <span>
#include <vector>

#include "engine/tensor/lowering/fifo_simulation.h"

namespace sluice::ui {

/// A design larger than this is not sized while the user waits.
constexpr std::size_t most_kernels = 200, most_streams = 600;

struct ComparedSizing {
  QString name, short_name;
  /// Without it there is only `failed`.
  std::vector<SizedFifo> fifos;
  bool has_delays = true;  ///< false: only depths and bytes mean something
  bool by_hand = false;
  std::uint64_t constraints = 0;  ///< of the published program, for the method that solves it
  std::optional<FifoConflict> delay_conflict;
  FifoVerdict verdict;
  std::optional<SimulatedFifos> simulated;  ///< once it has run
  std::optional<Cycles> stalls;             ///< of that run, over all kernels
  Diagnostics failed;

  std::int64_t totalDelay() const;
  std::int64_t totalDepth() const;
  Bytes totalBytes() const;
  /// What stands in the way of its depths, the worst first; else of its delays.
  const FifoConflict* conflict() const;
};

/// The published program, the best start times, as soon as possible.
std::vector<ComparedSizing> compareSizings(const TimedGraph& graph, const SizingOptions& options);
/// Cycles in which kernels found a FIFO full; each kernel counts once, however many FIFOs it has.
Cycles stallsOf(const TimedGraph& graph, const SimulatedFifos& run);

/// Depths that the simulator has found to be enough.
ComparedSizing sizedBySimulation(const TimedGraph& graph, const SimulatedSizing& found,
                                 const SizingOptions& options);
ComparedSizing sizedByHand(const TimedGraph& graph, std::span<const std::int64_t> depths,
                           const SizingOptions& options);
std::vector<std::int64_t> depthsOf(const ComparedSizing& sizing);

/// A line for every FIFO and method.
QString sizingCsv(const TimedGraph& graph, std::span<const ComparedSizing> sizings);

/// "full rate", "stalls", "deadlocks": of the depths.
QString verdictWord(const ComparedSizing& sizing);
/// With the reason, as rich text.
QString verdictText(const ComparedSizing& sizing, const TimedGraph& graph);

}  // namespace sluice::ui

#pragma once
// Two small simulations of kernels and FIFOs, written without the closed forms that they check: cycle by
// cycle for registered FIFOs, and the max-plus recurrence of kernels' firings for FIFOs that pass a token on
// in the cycle in which it comes.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/core/random.h"
#include "engine/tensor/sizing/timed_graph.h"

namespace sluice::testing_support {

struct TokenRun {
  bool deadlock = false;
  std::int64_t end = 0;                             ///< cycle of the last token's consumption
  std::vector<std::vector<std::int64_t>> accepted;  ///< per kernel: the cycle in which it takes each token
  std::vector<std::int64_t> stalls;  ///< per kernel: cycles in which a token was ready and a FIFO full
  std::vector<std::int64_t> peak;    ///< per stream
};

/// Rigid pipelines: a kernel whose token finds a full FIFO stands still, and so does one that does not drain
/// and has no input. A token is there for the consumer one cycle after the push; a slot that is freed can be
/// filled one cycle later. All streams have the same tokens per execution; whole intervals; initial delays of
/// at least 1 but for sinks.
TokenRun runCycles(const TimedGraph& graph, const std::vector<std::int64_t>& depths);

/// Cycles per token in the long run with bypass FIFOs of these depths and intervals of 1; nothing for a
/// deadlock.
std::optional<double> cyclesPerToken(const TimedGraph& graph, const std::vector<std::int64_t>& depths);

/// Kernels in topological order, each but the first fed by one to three earlier ones; delays 1 to
/// `most_delay`, intervals 1 to `most_interval`.
TimedGraph randomGraph(SplitMix64& random, std::size_t kernels, std::int64_t tokens, std::uint64_t most_delay,
                       std::uint64_t most_interval);

/// "0>1 1>2": streams between kernels named by their numbers, with the delays given.
TimedGraph graphOf(const std::string& edges, const std::vector<std::int64_t>& initial_delays,
                   std::int64_t tokens = 1000);

}  // namespace sluice::testing_support

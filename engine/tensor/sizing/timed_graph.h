#pragma once
// Kernels with their token curves and the streams between them: what the sizing of FIFOs knows of a design.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/tensor/sizing/occupancy.h"

namespace sluice::inline tensor {

struct TimedKernel {
  std::string name;
  TokenCurve curve;  ///< of its output tokens, as profiled
  bool flushable =
      true;  ///< its pipeline drains without new input; otherwise it stands still when the input does
};

/// Tokens per execution are those of the producer; a consumer may take them at another count than it produces
/// (a reduction), evenly over its execution.
struct TimedStream {
  std::size_t producer = 0;
  std::size_t consumer = 0;
  std::int64_t tokens = 1;
  std::int64_t token_bits = 32;
};

struct TimedGraph {
  std::vector<TimedKernel> kernels;
  std::vector<TimedStream> streams;
};

/// Which intervals the depths are computed with.
enum class Equalisation {
  Normal,       ///< each kernel's own
  Conservative  ///< every kernel stretched to the longest latency: shallower FIFOs, fast kernels wait
};

/// No cycle, every count positive and small enough for exact arithmetic, rates that match.
Diagnostics check(const TimedGraph& graph);

/// "producer > consumer", for messages.
std::string nameOf(const TimedGraph& graph, const TimedStream& stream);

// The following need a graph that passes the check.

/// Also of any other one: shorter than its kernels where there is a cycle.
std::vector<std::size_t> topologicalOrder(const TimedGraph& graph);
/// The curves under a strategy. A kernel that does not drain gets the initial delay that it has when its
/// input arrives at the pace of the slowest kernel before it.
std::vector<TokenCurve> scheduledCurves(const TimedGraph& graph, Equalisation strategy);
StreamTiming timingOf(const TimedStream& stream, std::span<const TokenCurve> curves, std::int64_t delay);

}  // namespace sluice::inline tensor

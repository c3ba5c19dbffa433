#pragma once
// The depths of all FIFOs of a design, by three methods that share everything but the choice of delays
// between kernels' starts.

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>

#include "engine/core/units.h"
#include "engine/tensor/sizing/fifo_check.h"

namespace sluice::inline tensor {

enum class SizingMethod {
  PathProgram,  ///< as published: a delay per stream, long enough along every path; can fall short of full
                ///< rate
  StartTime,    ///< the best start times: reaches full rate, and at no more than any other start times
  AsSoonAsPossible  ///< what hardware does from reset: full rate, and no wait at the beginning either
};

std::string_view nameOf(SizingMethod method);

/// What the two optimising methods minimise.
enum class SizingObjective {
  TotalDelay,  ///< the sum of delays, as published
  TotalBytes   ///< delays weighted with the bytes that pass in a cycle: nearly the memory of the FIFOs
};

struct SizingOptions {
  Equalisation equalisation = Equalisation::Normal;
  SizingObjective objective = SizingObjective::TotalDelay;
  FifoBehaviour fifo;                   ///< the default is the paper's: no hop latency, slots free at once
  std::size_t path_row_limit = 20'000;  ///< PathProgram gives up beyond
  std::stop_token stop = {};            ///< a request makes it fail
};

struct SizedFifo {
  std::int64_t delay = 0;      ///< from the producer's start to the consumer's
  MaximumOccupancy published;  ///< the paper's own number for this delay
  std::int64_t peak = 0;       ///< the exact one
  std::int64_t depth = 0;
  Bytes bytes = 0;
};

struct FifoSizing {
  SizingMethod method = SizingMethod::StartTime;
  std::vector<std::int64_t> start;  ///< per kernel; empty for PathProgram, which has none
  std::vector<SizedFifo> fifos;     ///< per stream
  double objective = 0;             ///< the optimum before delays were rounded up to whole cycles
  std::int64_t total_delay = 0;
  Bytes total_bytes = 0;
  std::uint64_t printed_constraints = 0;  ///< of the published program for this graph, one per path
  /// Whether the delays allow full rate. Depths are rounded up, so those may where these do not: see
  /// `verdict`.
  std::optional<FifoConflict> delay_conflict;
  FifoVerdict verdict;  ///< of the depths
};

/// Fails for a graph with a cycle, rates that do not match, an interval of zero, counts too large, or too
/// many path constraints.
Result<FifoSizing> sizeFifos(const TimedGraph& graph, SizingMethod method, const SizingOptions& options);

}  // namespace sluice::inline tensor

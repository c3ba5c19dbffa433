#pragma once
// How many tokens wait in FIFOs over time, under all traces of a set at once.

#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/executor.h"
#include "engine/explorer/workload_set.h"

namespace sluice::inline distributions {

/// Of one stream: at each of the cycles what 5 % of the traces do not exceed, half of them, and 95 %. Under a
/// trace whose run is over no token waits.
struct OccupancyBand {
  std::string stream;
  std::vector<double> cycles, low, middle, high;  ///< parallel; tokens
};

/// `streams` by their names (FlatStream::name); where a trace's run lacks one it is empty. `end`: cycles of
/// the longest run, over which the moments are evenly spaced. Errors: a point that cannot be evaluated; a
/// stop request.
Result<std::vector<OccupancyBand>> occupancyBands(const WorkloadSet& set, const KnobValues& knobs,
                                                  const std::vector<std::string>& streams, Cycles end,
                                                  Executor& executor, const std::stop_token& stop = {});

}  // namespace sluice::inline distributions

#pragma once
// OccupancySeries: the occupancy of one stream over time, as a run records it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/units.h"

namespace sluice::inline simulator {

/// Exact while there are few events; then decimated: every sample holds the smallest and largest occupancy
/// inside [time, next sample's time).
struct OccupancySeries {
  struct Sample {
    Cycles time = 0;
    std::uint32_t low = 0, high = 0, last = 0;  ///< last: the occupancy at the end of the interval
  };
  std::vector<Sample> samples;
  Cycles interval = 1;  ///< 1: exact, each sample is one change

  /// Joins samples until there are at most `most`.
  void decimate(std::size_t most);
};

}  // namespace sluice::inline simulator

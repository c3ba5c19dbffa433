#pragma once
// OccupancyTrack: the occupancy of one stream over time with a pyramid of extremes above it, so that a
// stretch of any length is answered in the logarithm of its events.

#include <cstddef>
#include <utility>
#include <vector>

#include "engine/core/units.h"
#include "engine/simulator/occupancy_series.h"

namespace sluice::inline simulator {

class OccupancyTrack {
 public:
  struct Range {
    std::uint32_t low = 0, high = 0;
    double mean = 0;
  };

  OccupancyTrack() = default;
  explicit OccupancyTrack(OccupancySeries series);

  const OccupancySeries& series() const { return series_; }
  bool exact() const { return series_.interval == 1; }
  /// After everything that happens at `cycle`.
  std::uint32_t at(Cycles cycle) const;
  /// Of [from, to), from < to.
  Range within(Cycles from, Cycles to) const;
  /// Position of the first sample after `cycle`.
  std::size_t firstAfter(Cycles cycle) const;

 private:
  using Extremes = std::pair<std::uint32_t, std::uint32_t>;
  Extremes extremes(std::size_t from, std::size_t to) const;
  double areaBefore(Cycles cycle) const;

  OccupancySeries series_;
  std::vector<std::vector<Extremes>> pyramid_;  ///< each level joins `fan` of the one below
  std::vector<double> area_;                    ///< token cycles before each sample
};

}  // namespace sluice::inline simulator

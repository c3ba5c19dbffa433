#pragma once
// Which depths of two FIFOs let a program end, all others staying as they are: what separates a point that
// deadlocks from one that does not.

#include "engine/explorer/evaluate.h"
#include "engine/fifo/depth_search.h"

namespace sluice::inline fifo {

struct DepthFrontier {
  struct Axis {
    std::string origin, stream;  ///< of the (scheduled) document
    std::uint64_t depth = 0;     ///< as it is
  };
  /// With this depth of the first FIFO, the least of the second with which the run ends.
  struct Corner {
    std::uint64_t first = 0, second = 0;
    double bytes = 0;  ///< more on chip than as it is; negative: fewer
    Cycles cycles = 0;
  };
  Axis first, second;
  std::uint64_t up_to = 0;      ///< depths 1..up_to have been looked at
  std::vector<char> ends;       ///< [(first - 1) * up_to + second - 1]
  std::vector<Corner> corners;  ///< where the second may be shallower than before, by the first
  bool monotone = true;         ///< deeper never deadlocks; else every cell has been run
  std::size_t runs = 0;
  bool gave_up = false;  ///< the budget ended first: cells not looked at count as locked

  bool endsAt(std::uint64_t a, std::uint64_t b) const { return ends[(a - 1) * up_to + b - 1] != 0; }
};

/// The FIFOs of a point, by origin, that can be named below.
std::vector<DepthFrontier::Axis> depthAxes(const Workload& workload, const PointResult& point);
/// The two that a deadlock is most about: those of the repair, else full ones of its wait cycles; fewer if
/// there are none.
std::vector<std::string> suggestedPair(const PointResult& locked, const std::vector<std::string>& repaired);

/// `first` and `second` are origins of streams; one that is not of the point is an error.
Result<DepthFrontier> depthFrontier(const Workload& workload, const PointResult& point,
                                    const std::string& first, const std::string& second, std::uint64_t up_to,
                                    const SearchBudget& budget = {});

}  // namespace sluice::inline fifo

#pragma once
// Under which traces each point is on the frontier.

#include "engine/distributions/point_samples.h"

namespace sluice::inline distributions {

struct FrontierShare {
  double share = 0;  ///< of the traces under which the point is on the frontier of that trace alone
  std::vector<std::size_t> on,
      off;  ///< these traces and the others, ascending; only those that all points have a run of
};

/// `points`: the samples of each, null for one that has none and is on no frontier. `objectives`: metrics of
/// a run.
std::vector<FrontierShare> frontierShares(const std::vector<const PointSamples*>& points,
                                          const std::vector<const MetricSpec*>& objectives);

}  // namespace sluice::inline distributions

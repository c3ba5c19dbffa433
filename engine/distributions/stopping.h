#pragma once
// When enough traces have been evaluated: the quantile or mean that is asked for is known to a precision.
//
// Traces are taken in a random order, and looked at after 64, 128, 256 ... and all of them. A quantile lies
// between two order statistics of what has been seen, whose ranks follow from the binomial distribution: no
// more than that is assumed of the values. A mean has an interval by the normal distribution. As each look is
// a chance to be wrong, the probability of error that is allowed is divided among the looks (Bonferroni).
// Ends that are infinite, where runs do not end, never count as known; of all traces a statistic is exact.

#include <cstddef>
#include <span>
#include <vector>

#include "engine/distributions/point_samples.h"

namespace sluice::inline distributions {

struct SamplingPrecision {
  double relative = 0;       ///< half the width of the interval over the value; 0: every trace is evaluated
  double confidence = 0.95;  ///< that all intervals of a statistic hold the value
};

/// After how many traces to look, the last time at all.
std::vector<std::size_t> looksAt(std::size_t traces);

/// Ranks of order statistics, from 1: the quantile lies between them, ends included, but with probability
/// `error` at most. 0 and count + 1 where no value bounds it.
struct Ranks {
  std::size_t low = 0, high = 0;
};
Ranks quantileRanks(std::size_t count, double quantile, double error);

struct Interval {
  double low, high;
};
/// Of a statistic, from the traces seen so far; `total` that there are. Infinite ends where nothing is known,
/// as of a maximum before all were seen.
Interval intervalOf(const PointSamples& samples, const Statistic& of, std::size_t total, double error);
/// Whether every statistic is known so well that no more traces need be evaluated.
bool knownWell(const PointSamples& samples, std::span<const Statistic> statistics, std::size_t total,
               const SamplingPrecision& precision);

}  // namespace sluice::inline distributions

#pragma once
// The figures of merit that the papers quote.

#include <span>

namespace sluice::inline explorer {

/// Of positive numbers; NaN for none.
double geometricMean(std::span<const double> values);
/// Pearson's correlation of two series of equal length; NaN where one is constant.
double correlation(std::span<const double> a, std::span<const double> b);
/// Pareto improvement distance of a point p over a frontier q (STeP 5.2 and B.4): how far p is beyond it,
/// min over q of max(cycles q / cycles p, bytes q / bytes p). Above 1: no q is as good in both. `frontier` is
/// row-major pairs (cycles, bytes); only its non-dominated pairs count. NaN for an empty frontier.
double paretoImprovementDistance(double cycles, double bytes, std::span<const double> frontier);
/// The same of any objectives to be minimised, all positive: a point and the rows of a frontier.
double paretoImprovementDistance(std::span<const double> point, std::span<const double> frontier);

}  // namespace sluice::inline explorer

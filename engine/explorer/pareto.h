#pragma once
// Pareto frontier and hypervolume; every objective is minimised (negate what should grow).

#include <span>
#include <vector>

namespace sluice::inline explorer {

/// Row-major points x objectives. Indices of the non-dominated rows, sorted by the first objective then by
/// index; of equal rows the first only. Rows with a NaN are never on the frontier. O(n log n) for two
/// objectives.
std::vector<std::size_t> paretoFrontier(std::span<const double> values, std::size_t objectives);

/// The frontier, that of the rest, and so on, each in the order of paretoFrontier(); rows with a NaN in none.
/// Up to 3 objectives. O(n log^2 n), however many fronts there are.
std::vector<std::vector<std::size_t>> paretoFronts(std::span<const double> values, std::size_t objectives);

/// Exact volume dominated by the points within the box below `reference`; 2 and 3 objectives (1 works too).
/// Points beyond the reference count for nothing.
double hypervolume(std::span<const double> values, std::size_t objectives, std::span<const double> reference);
/// What of the box from the best value of every objective to `reference` the points dominate. The reference
/// is a tenth of the way from the best value to the worst beyond the worst; rows with a NaN do not count.
struct RelativeHypervolume {
  double share = 0;  ///< 0 to 1; 1 where the points differ in nothing
  std::vector<double> reference;
};
RelativeHypervolume relativeHypervolume(std::span<const double> values, std::size_t objectives);
/// Hypervolume after each of the points, in the order in which they were evaluated. O(n log n) for two
/// objectives.
std::vector<double> hypervolumeByVisit(std::span<const double> values, std::size_t objectives,
                                       std::span<const double> reference);

}  // namespace sluice::inline explorer

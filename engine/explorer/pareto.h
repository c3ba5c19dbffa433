#pragma once
// Pareto frontier and hypervolume; every objective is minimised (negate what should grow).

#include <span>
#include <vector>

namespace sluice {

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
/// The same after each of the points, in the order in which they were evaluated. O(n log n) for two
/// objectives.
std::vector<double> hypervolumeByVisit(std::span<const double> values, std::size_t objectives,
                                       std::span<const double> reference);

}  // namespace sluice

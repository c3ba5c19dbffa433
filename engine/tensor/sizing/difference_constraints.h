#pragma once
// Systems of x(to) - x(from) <= bound: solvable, or a negative cycle that says why not (Bellman and Ford).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::inline tensor {

struct DifferenceConstraint {
  std::size_t from = 0;
  std::size_t to = 0;
  std::int64_t bound = 0;
};

/// Indices of constraints around one negative cycle, each beginning where the last one ends; empty when there
/// is none. `guess` has a value per variable; the nearer to a solution, the faster.
std::vector<std::size_t> negativeCycle(std::vector<std::int64_t> guess,
                                       std::span<const DifferenceConstraint> constraints);

}  // namespace sluice::inline tensor

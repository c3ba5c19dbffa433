#include "engine/tensor/difference_constraints.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

}  // namespace

std::vector<std::size_t> negativeCycle(std::vector<std::int64_t> guess,
                                       std::span<const DifferenceConstraint> constraints) {
  std::vector<std::int64_t>& value = guess;
  std::vector<std::size_t> lowered_by(value.size(), none);
  std::size_t lowered = none;
  for (std::size_t round = 0; round <= value.size(); ++round) {
    lowered = none;
    for (std::size_t index = 0; index < constraints.size(); ++index) {
      const DifferenceConstraint& constraint = constraints[index];
      if (value[constraint.to] <= value[constraint.from] + constraint.bound) continue;
      value[constraint.to] = value[constraint.from] + constraint.bound;
      lowered_by[constraint.to] = index;
      lowered = constraint.to;
    }
    if (lowered == none) return {};
  }
  // Lowered once more than there are variables: walking back that far ends on the cycle.
  for (std::size_t step = 0; step < value.size(); ++step) lowered = constraints[lowered_by[lowered]].from;
  std::vector<std::size_t> cycle;
  std::size_t at = lowered;
  do {
    cycle.push_back(lowered_by[at]);
    at = constraints[lowered_by[at]].from;
  } while (at != lowered);
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

}  // namespace sluice

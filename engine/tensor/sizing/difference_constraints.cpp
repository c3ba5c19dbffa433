#include "engine/tensor/sizing/difference_constraints.h"

#include <algorithm>

namespace sluice::inline tensor {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);
constexpr int most_sweeps = 8;

/// Lowers what a constraint lowers; whether it did.
bool lower(std::vector<std::int64_t>& value, const DifferenceConstraint& constraint) {
  const std::int64_t most = value[constraint.from] + constraint.bound;
  if (value[constraint.to] <= most) return false;
  value[constraint.to] = most;
  return true;
}

/// Whether a few sweeps over the constraints there and back settle the values, as in most graphs without a
/// negative cycle: a chain of any length settles in one, whichever way it is numbered.
bool settlesSoon(std::vector<std::int64_t> value, std::span<const DifferenceConstraint> constraints) {
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool lowered = false;
    for (const DifferenceConstraint& constraint : constraints) lowered = lower(value, constraint) || lowered;
    for (std::size_t i = constraints.size(); i-- > 0;) lowered = lower(value, constraints[i]) || lowered;
    if (!lowered) return true;
  }
  return false;
}

}  // namespace

std::vector<std::size_t> negativeCycle(std::vector<std::int64_t> guess,
                                       std::span<const DifferenceConstraint> constraints) {
  if (settlesSoon(guess, constraints)) return {};
  std::vector<std::int64_t>& value = guess;
  std::vector<std::size_t> lowered_by(value.size(), none);
  std::size_t lowered = none;
  for (std::size_t round = 0; round <= value.size(); ++round) {
    lowered = none;
    for (std::size_t index = 0; index < constraints.size(); ++index) {
      const DifferenceConstraint& constraint = constraints[index];
      if (!lower(value, constraint)) continue;
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

}  // namespace sluice::inline tensor

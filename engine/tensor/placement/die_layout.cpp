#include "engine/tensor/placement/die_layout.h"

#include <algorithm>
#include <cmath>

namespace sluice::inline tensor {
namespace {

double distance(std::size_t a, std::size_t b) {
  return static_cast<double>(a > b ? a - b : b - a);
}

double share(std::int64_t part, std::int64_t all) {
  return static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

DieLayout::DieLayout(const DieProblem& problem, std::vector<std::size_t> die)
    : problem_(problem), die_(std::move(die)), neighbours_(die_.size()), used_(problem.size.size()) {
  for (std::size_t task = 0; task < die_.size(); ++task) used_[die_[task]] += problem.need[task];
  for (const auto& [ends, bits] : problem.joined) {
    neighbours_[ends.first].emplace_back(ends.second, bits);
    neighbours_[ends.second].emplace_back(ends.first, bits);
    crossing_ += bits * distance(die_[ends.first], die_[ends.second]);
  }
}

double DieLayout::imbalance() const {
  double sum = 0;
  for (const Resource resource : problem_.in_use) {
    double fullest = 0, emptiest = 1e30;
    for (std::size_t die = 0; die < used_.size(); ++die) {
      if (problem_.size[die][resource] == 0) continue;
      const double full = share(used_[die][resource], problem_.size[die][resource]);
      fullest = std::max(fullest, full);
      emptiest = std::min(emptiest, full);
    }
    sum += std::max(0.0, fullest - emptiest);
  }
  return problem_.in_use.empty() ? 0 : sum / static_cast<double>(problem_.in_use.size());
}

double DieLayout::objective() const {
  return problem_.crossing_weight * crossing_ + problem_.imbalance_weight * imbalance();
}

double DieLayout::excess() const {
  double sum = 0;
  for (const Resource resource : problem_.in_use) {
    for (std::size_t die = 0; die < used_.size(); ++die) {
      const std::int64_t over = used_[die][resource] - problem_.room[die][resource];
      if (over > 0) sum += share(over, std::max<std::int64_t>(1, problem_.size[die][resource]));
    }
  }
  return sum;
}

void DieLayout::move(std::size_t task, std::size_t die) {
  for (const auto& [other, bits] : neighbours_[task])
    crossing_ += bits * (distance(die, die_[other]) - distance(die_[task], die_[other]));
  used_[die_[task]] -= problem_.need[task];
  used_[die] += problem_.need[task];
  die_[task] = die;
}

bool DieLayout::moveIfBetter(std::size_t task, std::size_t die) {
  const double excess_before = excess(), before = objective();
  const std::size_t home = die_[task];
  move(task, die);
  const double gain = excess_before - excess();
  if (gain > 1e-9 || (gain > -1e-9 && objective() < before - 1e-9)) return true;
  move(task, home);
  return false;
}

bool DieLayout::exchangeIfBetter(std::size_t a, std::size_t b) {
  const double excess_before = excess(), before = objective();
  const std::size_t die_of_a = die_[a], die_of_b = die_[b];
  move(a, die_of_b);
  move(b, die_of_a);
  const double gain = excess_before - excess();
  if (gain > 1e-9 || (gain > -1e-9 && objective() < before - 1e-9)) return true;
  move(a, die_of_a);
  move(b, die_of_b);
  return false;
}

void DieLayout::improve() {
  for (bool better = true; better;) {
    better = false;
    for (std::size_t task = 0; task < die_.size(); ++task) {
      if (problem_.tied[task]) continue;
      for (std::size_t die = 0; die < used_.size(); ++die)
        if (die != die_[task] && moveIfBetter(task, die)) better = true;
    }
    if (better) continue;
    for (std::size_t a = 0; a < die_.size(); ++a) {
      for (std::size_t b = a + 1; b < die_.size(); ++b) {
        const bool fixed = problem_.tied[a] || problem_.tied[b];
        if (!fixed && die_[a] != die_[b] && exchangeIfBetter(a, b)) better = true;
      }
    }
  }
}

}  // namespace sluice::inline tensor

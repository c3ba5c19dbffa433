#include "engine/explorer/search/history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_set>

namespace sluice::inline explorer {

History::History(SearchContext& context) : context_(context), objectives_(context.objectives()) {
  const std::vector<double> values = context.evaluate(context.start());
  for (std::size_t i = 0; i < context.start().size(); ++i)
    keep(context.start()[i], std::span(values).subspan(i * objectives_, objectives_));
}

void History::keep(std::uint64_t point, std::span<const double> values) {
  points_.push_back(point);
  values_.insert(values_.end(), values.begin(), values.end());
  const bool feasible = values.front() < SearchContext::infinite_cost;
  const double violation = feasible ? 0 : context_.violation(point);
  // Within the constraints, but without a value of an objective: as bad as one that was not done.
  violations_.push_back(feasible || violation > 0 ? violation : std::numeric_limits<double>::infinity());
}

void History::ask(std::span<const std::uint64_t> points) {
  std::vector<std::uint64_t> fresh;
  for (const std::uint64_t point : points) {
    if (!context_.known(point)) fresh.push_back(point);
  }
  const std::vector<double> values = context_.evaluate(fresh);
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (context_.known(fresh[i])) keep(fresh[i], std::span(values).subspan(i * objectives_, objectives_));
  }
}

std::vector<double> History::values(std::span<const std::size_t> points) const {
  std::vector<double> all;
  for (const std::size_t i : points) all.insert(all.end(), values(i).begin(), values(i).end());
  return all;
}

std::vector<std::size_t> History::feasiblePoints() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < size(); ++i) {
    if (feasible(i)) found.push_back(i);
  }
  return found;
}

std::vector<std::uint64_t> History::untried(std::span<const std::uint64_t> taken, std::size_t most,
                                            SplitMix64& random) const {
  constexpr std::uint64_t few = 4096;  // so many are listed rather than drawn
  const std::unordered_set<std::uint64_t> barred(taken.begin(), taken.end());
  const auto open = [&](std::uint64_t point) { return !context_.known(point) && !barred.contains(point); };
  std::vector<std::uint64_t> found;
  if (context_.size() <= few) {
    for (std::uint64_t point = 0; point < context_.size(); ++point) {
      if (open(point)) found.push_back(point);
    }
    random.shuffle(std::span(found));
    found.resize(std::min(found.size(), most));
    return found;
  }
  // A sample that meets no open point means that next to none are left: then the next one in the space is.
  std::unordered_set<std::uint64_t> seen;
  const std::uint64_t left = context_.size() - context_.visited();
  const std::uint64_t wanted = left > taken.size() ? std::min<std::uint64_t>(most, left - taken.size()) : 0;
  while (found.size() < wanted) {
    std::uint64_t point = random.below(context_.size());
    while (!open(point) || seen.contains(point)) point = (point + 1) % context_.size();
    seen.insert(point);
    found.push_back(point);
  }
  return found;
}

double compressed(double value) {
  return std::copysign(std::log1p(std::abs(value)), value);
}

double uniform(SplitMix64& random) {
  return static_cast<double>(random.next() >> 11) * 0x1p-53;
}

double normalDensity(double z) {
  return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
}

double normalDistribution(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

}  // namespace sluice::inline explorer

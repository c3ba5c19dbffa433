#include "engine/designer/effects.h"

#include <algorithm>
#include <cmath>

namespace sluice::inline designer {

void Effects::Seen::add(std::span<const double> before, std::span<const double> after) {
  if (times++ == 0) {
    least.assign(after.size(), INFINITY);
    most.assign(after.size(), -INFINITY);
  }
  for (std::size_t k = 0; k < after.size(); ++k) {
    const bool known = k < before.size() && before[k] > 0 && after[k] > 0;
    const double ratio = known ? after[k] / before[k] : std::nan("");
    least[k] = std::isnan(ratio) || std::isnan(least[k]) ? std::nan("") : std::min(least[k], ratio);
    most[k] = std::isnan(ratio) || std::isnan(most[k]) ? std::nan("") : std::max(most[k], ratio);
  }
}

void Effects::saw(const std::string& kind, const std::string& change, std::span<const double> before,
                  std::span<const double> after) {
  kinds_[kind].add(before, after);
  changes_[change].add(before, after);
}

std::vector<double> Effects::expected(const std::string& kind, const std::string& change,
                                      std::span<const double> before) const {
  constexpr std::uint64_t least_times = 3;  // before a kind is taken for one that always does the same
  std::vector<double> bounds(before.size(), std::nan(""));
  const auto of_kind = kinds_.find(kind);
  if (of_kind == kinds_.end()) return bounds;
  const auto same = changes_.find(change);
  const Seen& seen = same == changes_.end() ? of_kind->second : same->second;
  if (same == changes_.end() && (seen.times < least_times || seen.least != seen.most)) return bounds;
  for (std::size_t k = 0; k < bounds.size(); ++k) bounds[k] = before[k] * seen.least[k];
  return bounds;
}

}  // namespace sluice::inline designer

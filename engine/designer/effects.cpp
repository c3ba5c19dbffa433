#include "engine/designer/effects.h"

#include <algorithm>
#include <cmath>

namespace sluice::inline designer {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// NaN is the least of all: nothing is certain.
double least(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? unknown : std::min(a, b);
}

}  // namespace

void Effects::Least::add(const Ratios& seen) {
  if (times++ == 0) {
    ratios = seen;
    return;
  }
  alike &= ratios == seen;
  std::ranges::transform(ratios, seen, ratios.begin(), least);
}

void Effects::saw(const StepChange& change, std::span<const double> before, std::span<const double> after) {
  Ratios there, back;
  for (std::size_t k = 0; k < after.size(); ++k) {
    const bool known = k < before.size() && before[k] > 0 && after[k] > 0;
    there.push_back(known ? after[k] / before[k] : unknown);
    back.push_back(known ? before[k] / after[k] : unknown);
  }
  kinds_[change.kind].add(there);
  steps_[{change.from, change.to}].add(there);
  steps_[{change.to, change.from}].add(back);
}

void Effects::repeated(const StepChange& change) {
  ++kinds_[change.kind].repeated;
  ++steps_[{change.from, change.to}].repeated;
}

bool Effects::repeats(const StepChange& change) const {
  const auto always = [](const auto& all, const auto& key, std::uint64_t least_times) {
    const auto found = all.find(key);
    return found != all.end() && found->second.times == 0 && found->second.repeated >= least_times;
  };
  return always(kinds_, change.kind, 3) || always(steps_, std::pair(change.from, change.to), 2);
}

bool Effects::isRefused(const std::string& kind, StepKey step) const {
  constexpr std::uint64_t least_times = 3, times_as_often = 8;
  const auto found = refusals_.find({kind, step});
  return found != refusals_.end() && found->second.refused >= least_times &&
         found->second.refused >= times_as_often * found->second.applied;
}

std::vector<double> Effects::expected(const StepChange& change, std::span<const double> before) const {
  constexpr std::uint64_t least_times = 3;  // before a kind is taken for one that always does the same
  std::vector<double> bounds(before.size(), unknown);
  std::optional<Ratios> ratios = of(change.from, change.to);
  const auto kind = kinds_.find(change.kind);
  if (!ratios && kind != kinds_.end() && kind->second.alike && kind->second.times >= least_times)
    ratios = kind->second.ratios;
  for (std::size_t k = 0; ratios && k < bounds.size(); ++k) bounds[k] = before[k] * (*ratios)[k];
  return bounds;
}

std::optional<Effects::Ratios> Effects::of(StepKey from, StepKey to) const {
  const auto found = steps_.find({from, to});
  return found == steps_.end() || found->second.times == 0 ? std::nullopt
                                                           : std::optional(found->second.ratios);
}

}  // namespace sluice::inline designer

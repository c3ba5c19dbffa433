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

void Effects::Seen::add(const Ratios& more) {
  if (times++ == 0) {
    ratios = more;
    return;
  }
  alike &= ratios == more;
  std::ranges::transform(ratios, more, ratios.begin(), least);
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

void Effects::tried(const std::string& kind, const ScheduleStep& step, bool applied) {
  for (Trials* trials :
       {&trials_of_step_[{kind, keyOf(step)}], &trials_of_transformation_[{kind, step.transformation}]}) {
    ++trials->all;
    trials->applied += applied;
  }
}

double Effects::legalShare(const std::string& kind, const ScheduleStep& step) const {
  constexpr std::uint64_t enough = 3;
  constexpr double doubt = 0.5;  // of a change that was legal before any was tried
  const auto share = [](const Trials& trials) {
    return (static_cast<double>(trials.applied) + doubt) / (static_cast<double>(trials.all) + doubt);
  };
  if (const auto own = trials_of_step_.find({kind, keyOf(step)});
      own != trials_of_step_.end() && own->second.all >= enough)
    return share(own->second);
  const auto alike = trials_of_transformation_.find({kind, step.transformation});
  return alike == trials_of_transformation_.end() ? 1 : share(alike->second);
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

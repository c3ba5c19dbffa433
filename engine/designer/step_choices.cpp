#include "engine/designer/step_choices.h"

#include <algorithm>
#include <optional>

namespace sluice::inline designer {
namespace {

/// Whether there are more for certain: what is always asked for has more combinations.
bool hasMoreThan(std::size_t most, const Proposal& proposal) {
  if (!proposal.limits.empty()) return false;
  std::size_t least = 1;
  for (const ArgumentDomain& domain : proposal.domains)
    if (domain.when.empty() && least <= most) least *= domain.values.size();
  return least > most;
}

/// All steps as an odometer counts, whose last digit is the last domain; nothing where there are more.
std::optional<std::vector<ScheduleStep>> everyStep(const Proposal& proposal, std::size_t most) {
  if (hasMoreThan(most, proposal)) return {};
  std::vector<ScheduleStep> steps;
  std::vector<std::size_t> digits;
  while (steps.size() < most) {
    std::vector<std::size_t>
        sizes;  // of the domains that were asked for: which these are hangs on the digits
    steps.push_back(stepOf(proposal, [&](const ArgumentDomain& domain) {
      const std::size_t position = sizes.size();
      sizes.push_back(domain.values.size());
      if (position >= digits.size()) digits.push_back(0);
      return digits[position];
    }));
    digits.resize(sizes.size());
    while (!digits.empty() && digits.back() + 1 >= sizes[digits.size() - 1]) digits.pop_back();
    if (digits.empty()) return steps;
    ++digits.back();
  }
  return {};
}

std::vector<ScheduleStep> someSteps(const Proposal& proposal, SplitMix64& random) {
  constexpr std::size_t most = 64;  // a design is changed less often before it has fallen behind
  std::vector<ScheduleStep> steps;
  for (std::size_t attempt = 0; attempt < 4 * most && steps.size() < most; ++attempt) {
    ScheduleStep step = stepOf(proposal, [&](const ArgumentDomain& domain) {
      return static_cast<std::size_t>(random.below(domain.values.size()));
    });
    if (std::ranges::find(steps, step) == steps.end()) steps.push_back(std::move(step));
  }
  return steps;
}

/// Every argument at its default, if its domain has that; else at its middle.
ScheduleStep usualStep(const Proposal& proposal) {
  const Transformation* known = findTransformation(proposal.step.transformation);
  return stepOf(proposal, [&](const ArgumentDomain& domain) {
    const std::size_t middle = domain.values.size() / 2;
    if (!known) return middle;
    const auto spec = std::ranges::find(known->spec.arguments, domain.argument, &ArgumentSpec::name);
    if (spec == known->spec.arguments.end() || !spec->initial) return middle;
    const auto value = std::ranges::find(domain.values, *spec->initial);
    return value == domain.values.end() ? middle : static_cast<std::size_t>(value - domain.values.begin());
  });
}

}  // namespace

StepChoices stepChoices(const Proposal& proposal, SplitMix64& random, std::size_t most) {
  StepChoices choices;
  const auto add = [&](ScheduleStep step) {
    if (std::ranges::find(choices.steps, step) == choices.steps.end())
      choices.steps.push_back(std::move(step));
  };
  add(usualStep(proposal));
  add(stepOf(proposal, [](const ArgumentDomain&) { return std::size_t{0}; }));
  add(stepOf(proposal, [](const ArgumentDomain& domain) { return domain.values.size() - 1; }));
  std::optional<std::vector<ScheduleStep>> others = everyStep(proposal, most);
  choices.all = others.has_value();
  if (others)
    random.shuffle(std::span(*others));
  else
    others = someSteps(proposal, random);
  // They are all different from each other.
  const std::vector<ScheduleStep> first = choices.steps;
  for (ScheduleStep& step : *others)
    if (std::ranges::find(first, step) == first.end()) choices.steps.push_back(std::move(step));
  return choices;
}

}  // namespace sluice::inline designer

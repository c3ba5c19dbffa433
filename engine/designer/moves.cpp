#include "engine/designer/moves.h"

#include <algorithm>
#include <numeric>

#include "engine/designer/step_choices.h"

namespace sluice::inline designer {
namespace {

/// In how many arguments two steps of one transformation differ, and by how many places of a domain in all.
std::pair<std::size_t, std::size_t> distanceOf(const Proposal& proposal, const ScheduleStep& a,
                                               const ScheduleStep& b) {
  std::size_t arguments = 0, places = 0;
  for (const ArgumentDomain& domain : proposal.domains) {
    const auto in_a = a.arguments.find(domain.argument), in_b = b.arguments.find(domain.argument);
    if (in_a == a.arguments.end() || in_b == b.arguments.end() || in_a->second == in_b->second) continue;
    ++arguments;
    const auto at_a = std::ranges::find(domain.values, in_a->second);
    const auto at_b = std::ranges::find(domain.values, in_b->second);
    if (domain.kind == ArgumentDomain::Kind::Category || at_a == domain.values.end() ||
        at_b == domain.values.end())
      ++places;
    else
      places += static_cast<std::size_t>(std::abs(at_a - at_b));
  }
  return {arguments, places};
}

/// An argument with a number of places, in which alone two steps of one transformation differ.
const ArgumentDomain* onlyDifference(const Proposal& proposal, const ScheduleStep& a, const ScheduleStep& b) {
  const ArgumentDomain* found = nullptr;
  for (const ArgumentDomain& domain : proposal.domains) {
    const auto in_a = a.arguments.find(domain.argument), in_b = b.arguments.find(domain.argument);
    if (in_a == a.arguments.end() || in_b == b.arguments.end() || in_a->second == in_b->second) continue;
    const bool both = std::ranges::find(domain.values, in_a->second) != domain.values.end() &&
                      std::ranges::find(domain.values, in_b->second) != domain.values.end();
    if (found || domain.kind == ArgumentDomain::Kind::Category || !both) return nullptr;
    found = &domain;
  }
  return found;
}

std::ptrdiff_t placeIn(const ArgumentDomain& domain, const ScheduleStep& step) {
  return std::ranges::find(domain.values, step.arguments.at(domain.argument)) - domain.values.begin();
}

}  // namespace

std::string keyOf(std::span<const ScheduleStep> steps) {
  std::string key;
  for (const ScheduleStep& step : steps) {
    key += step.transformation + (step.enabled ? "" : " (off)");
    for (const auto& [name, value] : step.arguments) key += " " + name + "=" + text(value);
    key += "\n";
  }
  return key;
}

StepKey keyOf(const ScheduleStep& step) {
  StepKey key = step.enabled ? 1 : 2;
  const auto mix = [&](StepKey more) { key = SplitMix64(key ^ more).next(); };
  mix(std::hash<std::string>()(step.transformation));
  for (const auto& [name, value] : step.arguments) {
    mix(std::hash<std::string>()(name));
    if (const std::int64_t* number = value.integer())
      mix(static_cast<StepKey>(*number));
    else
      mix(std::hash<std::string>()(text(value)));
  }
  return key;
}

std::string outlineOf(std::span<const ScheduleStep> schedule) {
  std::string outline;
  for (const ScheduleStep& step : schedule) {
    outline += step.transformation + (step.enabled ? "" : " (off)");
    for (const auto& [name, value] : step.arguments)
      if (!value.integer()) outline += " " + name + "=" + text(value);
    outline += "\n";
  }
  return outline + "...";
}

StepEdit::StepEdit(std::size_t place, std::optional<ScheduleStep> put_in)
    : position(place), step(std::move(put_in)), key(step ? keyOf(*step) : no_step) {}

Schedule edited(const Schedule& schedule, const StepEdit& edit) {
  Schedule made = schedule;
  if (edit.position == made.size())
    made.push_back(*edit.step);
  else if (edit.step)
    made[edit.position] = *edit.step;
  else
    made.erase(made.begin() + static_cast<std::ptrdiff_t>(edit.position));
  return made;
}

Moves::Moves(const Schedule& schedule, std::size_t fixed, std::size_t most_steps,
             const std::vector<std::shared_ptr<const Proposals>>& proposals,
             const std::set<std::string>& further, SplitMix64 random, const Schedule& parent) {
  const std::size_t own = schedule.size() - fixed;
  Edits edits;
  if (own < most_steps && proposals[own]) addSteps(edits, schedule, *proposals[own], further, random);
  for (std::size_t i = 0; i < own; ++i)
    if (proposals[i]) changeStep(edits, schedule, fixed + i, *proposals[i], random, parent);
  for (std::size_t i = 0; i + 1 < own; ++i)  // without the last step it is its parent
    edits["drop"].emplace_back(fixed + i);
  for (auto& [kind, all] : edits) {
    std::vector<std::uint32_t> left(all.size());
    std::iota(left.begin(), left.end(), 0u);
    kinds_[kind] = {std::make_shared<const std::vector<StepEdit>>(std::move(all)), std::move(left)};
  }
}

/// Every proposal of a transformation has its turn before one has its next.
void Moves::addSteps(Edits& edits, const Schedule& schedule, const Proposals& proposals,
                     const std::set<std::string>& further, SplitMix64& random) {
  std::map<std::string, std::vector<StepChoices>> kinds;
  for (const Proposal& proposal : proposals.legal) {
    if (!further.contains(proposal.step.transformation)) continue;
    StepChoices choices = stepChoices(proposal, random);
    leaves_out_ |= !choices.all;
    kinds[proposal.step.transformation].push_back(std::move(choices));
  }
  for (auto& [kind, all] : kinds) {
    std::size_t rounds = 0;
    for (const StepChoices& choices : all) rounds = std::max(rounds, choices.steps.size());
    for (std::size_t round = 0; round < rounds; ++round) {
      for (StepChoices& choices : all) {
        if (round < choices.steps.size())
          edits["add " + kind].emplace_back(schedule.size(), std::move(choices.steps[round]));
      }
    }
  }
}

/// Near ones first. Where this step has become what it is by a change of one number, first those that go on
/// twice as far in the same direction.
void Moves::changeStep(Edits& edits, const Schedule& schedule, std::size_t position,
                       const Proposals& proposals, SplitMix64& random, const Schedule& parent) {
  const ScheduleStep& step = schedule[position];
  const auto of = std::ranges::find_if(proposals.legal,
                                       [&](const Proposal& proposal) { return contains(proposal, step); });
  if (of == proposals.legal.end()) return;
  const ArgumentDomain* moved = nullptr;
  std::ptrdiff_t aim = 0;
  if (parent.size() == schedule.size() && parent[position].transformation == step.transformation)
    moved = onlyDifference(*of, parent[position], step);
  if (moved) aim = 3 * placeIn(*moved, step) - 2 * placeIn(*moved, parent[position]);
  const auto order = [&](const ScheduleStep& other) {
    if (moved && onlyDifference(*of, step, other) == moved)
      return std::pair(std::size_t{1}, static_cast<std::size_t>(std::abs(placeIn(*moved, other) - aim)));
    return distanceOf(*of, step, other);
  };
  std::vector<ScheduleStep> others = stepChoices(*of, random).steps;
  std::erase(others, step);
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, std::size_t>> ordered;  // with its position
  for (std::size_t i = 0; i < others.size(); ++i) ordered.emplace_back(order(others[i]), i);
  std::ranges::sort(ordered);
  for (const auto& [distance, i] : ordered)
    edits["change " + step.transformation].emplace_back(position, std::move(others[i]));
}

std::vector<std::string> Moves::kinds() const {
  std::vector<std::string> kinds;
  for (const auto& [kind, moves] : kinds_) kinds.push_back(kind);
  return kinds;
}

double Moves::most(const std::string& kind, const std::function<double(const StepEdit&)>& promise) const {
  const Kind& moves = kinds_.at(kind);
  double most = 0;
  for (const std::uint32_t edit : moves.left) most = std::max(most, promise((*moves.edits)[edit]));
  return most;
}

StepEdit Moves::next(const std::string& kind, const std::function<double(const StepEdit&)>& promise) {
  const auto of = kinds_.find(kind);
  auto& [edits, left] = of->second;
  const auto best = std::ranges::max_element(
      left, {}, [&, &edits = *edits](std::uint32_t edit) { return promise(edits[edit]); });
  StepEdit edit = (*edits)[*best];
  left.erase(best);
  if (left.empty()) kinds_.erase(of);
  return edit;
}

}  // namespace sluice::inline designer

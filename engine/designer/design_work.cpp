#include "engine/designer/design_work.h"

#include "engine/designer/request.h"

namespace sluice::inline designer {
namespace {

const Schedule& scheduleOf(const Schedule& schedule) {
  return schedule;
}
template <class Known>
const Schedule& scheduleOf(const std::pair<Schedule, Known>& entry) {
  return entry.first;
}
const Schedule& scheduleOf(const Candidate& candidate) {
  return candidate.schedule;
}

template <class T>
std::shared_ptr<const T> shared(Result<T> found) {
  return found ? std::make_shared<const T>(*std::move(found)) : nullptr;
}

}  // namespace

template <class T, class Entry, class Do>
std::vector<T> DesignWork::each(KeptAhead<T>& kept, const std::vector<Entry>& entries, const Do& work) {
  std::vector<T> results(entries.size());
  const auto one = [&](std::size_t i) {
    const std::function<T()> now = [&] { return work(entries[i]); };
    const std::string key = keyOf(scheduleOf(entries[i]));
    results[i] = urgency_ == SearchThreads::Urgency::Ahead ? kept.ahead(key, now) : kept.wanted(key, now);
  };
  threads_.forAll(entries.size(), one, urgency_, stop_);
  return results;
}

std::vector<KnownProposals> DesignWork::proposals(
    const std::vector<std::pair<Schedule, KnownProgram>>& schedules) {
  return each(found_.proposals, schedules, [&](const auto& entry) -> KnownProposals {
    const auto& [schedule, program] = entry;
    const auto ask = [&](const ScheduledProgram& behind) {
      return proposalsFor(behind, searched_.knobs, searched_.stop, Tried::Applied);
    };
    if (program) return shared(ask(*program));
    const Result<ScheduledProgram> applied =
        programBehind(searched_.plain, schedule, {}, searched_.knobs, searched_.stop);
    return applied ? shared(ask(*applied)) : nullptr;
  });
}

std::vector<KnownProgram> DesignWork::programs(const std::vector<std::pair<Schedule, Beginning>>& schedules) {
  return each(found_.programs, schedules, [&](const auto& entry) {
    return typedProgramBehind(searched_.plain, entry.first, entry.second, searched_.knobs, searched_.stop);
  });
}

std::vector<KnownBounds> DesignWork::partialBounds(const std::vector<Schedule>& schedules) {
  return each(found_.bounds, schedules, [&](const Schedule& schedule) -> KnownBounds {
    return shared(sluice::partialBounds(withSchedule(searched_.workload, schedule), searched_.knobs,
                                        searched_.further, budgetOf(searched_.request)));
  });
}

std::vector<std::optional<Moves>> DesignWork::moves(const std::vector<MovesOf>& designs) {
  std::vector<std::optional<Moves>> moves(designs.size());
  const auto one = [&](std::size_t i) {
    const auto& [schedule, parent, proposals, seed] = designs[i];
    moves[i].emplace(schedule, searched_.fixed(), searched_.request.most_steps, proposals, searched_.further,
                     SplitMix64(seed), parent);
  };
  threads_.forAll(designs.size(), one, urgency_, stop_);
  return moves;
}

void DesignWork::prepare(std::vector<Candidate>& candidates, const std::set<std::string>& graphs) {
  const std::set<std::string> none;  // that a schedule which has waited may meet: its own is there
  const auto graphsFor = [&](const Candidate& candidate) -> const std::set<std::string>& {
    return candidate.counted ? none : graphs;
  };
  const auto prepareNow = [&](const Candidate& candidate) {
    return sluice::prepare(candidate.schedule, candidate.begun, searched_.preparation, graphsFor(candidate),
                           searched_.stop);
  };
  std::vector<std::shared_ptr<Prepared>> prepared = each(found_.prepared, candidates, prepareNow);
  for (std::size_t i = 0; i < candidates.size() && !stopped(); ++i) {
    candidates[i].prepared = std::move(prepared[i]);
    const Prepared& found = *candidates[i].prepared;
    // Ahead it was the graph of a schedule that the search has not come to.
    if (found.refused.empty() && !found.bounded && !graphsFor(candidates[i]).contains(found.graph))
      candidates[i].prepared = prepareNow(candidates[i]);
    candidates[i].begun = {};
  }
}

void DesignWork::countTokens(const std::vector<Candidate>& candidates) {
  threads_.forAll(
      candidates.size(), [&](std::size_t i) { candidates[i].prepared->tokens(); }, urgency_, stop_);
}

}  // namespace sluice::inline designer

#include "engine/designer/decisions.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace sluice::inline designer {
namespace {

/// Changes in one round, whatever the number of threads: few at first, when a round teaches much, then an
/// eighth of the designs that ran.
constexpr std::size_t least_batch = 4, largest_batch = 16, share_of_batch = 8;
constexpr std::size_t most_turns = 2;  ///< changes of one design in one round
/// Designs are changed in one round that are so many fronts behind the best.
constexpr std::size_t most_behind = 2;
constexpr std::size_t beam_width = 8;  ///< designs that are changed in one round
/// So many changes in a row that bring nothing cost a design as much as one frontier.
constexpr std::size_t patience = 12;
/// A change waits of whose like fewer were legal.
constexpr double least_legal_share = 0.125;
/// A search ends that has looked at so many schedules for each one of its budget.
constexpr std::uint64_t most_looks = 16;

}  // namespace

Decisions::Decisions(const SearchedProgram& searched)
    : searched_(&searched), promise_(searched.request.objectives.size()), standing_(searched.request) {}

bool Decisions::over() const {
  const std::uint64_t budget = searched_->request.budget;
  return runs_ >= budget || looks_ >= most_looks * budget;
}

Round Decisions::begin(DesignWork& work) {
  Round round;
  std::vector<Candidate> plain(1);
  plain.front().schedule = searched_->workload.document.schedule;
  schedules_.insert(keyOf(plain.front().schedule));
  look(plain, work, round);
  if (work.stopped()) return round;
  const Prepared& prepared = *plain.front().prepared;
  if (!prepared.refused.empty()) {
    // A program that a step has to complete, as compile_tensors does, is where the search begins all the
    // same.
    plain.front().prepared->bounds = refusedPoint({searched_->knobs}, prepared.refused).point;
    add(plain.front(), prepared.bounds);
    round.bounded.push_back(std::move(plain.front()));
  } else {
    graphs_.insert(prepared.graph);
    run(std::move(plain.front()), round);
  }
  return round;
}

Round Decisions::next(DesignWork& work) {
  Round round;
  std::vector<Candidate> candidates = nextCandidates(work, round);
  round.nothing_left = candidates.empty();
  if (work.stopped()) return round;
  look(candidates, work, round);
  if (work.stopped()) return round;
  for (Candidate& candidate : candidates) judge(std::move(candidate), round);
  work.countTokens(round.runs);
  return round;
}

/// Changes of the designs that promise most; none: nothing is left.
std::vector<Candidate> Decisions::nextCandidates(DesignWork& work, Round& round) {
  std::vector<Candidate> candidates;
  while (candidates.empty() && !over() && !work.stopped()) {
    const std::vector<std::size_t> beam = mostPromising();
    if (beam.empty()) return nextWaiting();
    findMoves(beam, work, round);
    if (work.stopped()) break;
    for (std::size_t turn = 0; turn < most_turns; ++turn)
      for (const std::size_t design : beam)
        if (candidates.size() < roundSize()) move(design, candidates);
  }
  return candidates;
}

std::vector<Candidate> Decisions::nextWaiting() {
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(roundSize(), waiting_.size()));
  std::vector<Candidate> next(std::move_iterator(waiting_.begin()), std::move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  return next;
}

std::size_t Decisions::roundSize() const {
  return std::clamp<std::size_t>(runs_ / share_of_batch, least_batch, largest_batch);
}

void Decisions::move(std::size_t design, std::vector<Candidate>& candidates) {
  Branch& branch = branches_[design];
  while (branch.moves && !branch.moves->empty()) {
    const std::string kind = promise_.bestOf(*branch.moves);
    const StepEdit edit = branch.moves->next(kind, promise_.ofKind(kind));
    Schedule schedule = edited(*branch.schedule, edit);
    if (!schedules_.insert(keyOf(schedule)).second) continue;
    promise_.made(kind, edit.key);
    ++branch.idle;
    Candidate candidate{std::move(schedule), design, {kind, no_step, edit.key}};
    if (edit.position < branch.schedule->size())
      candidate.change.from = keyOf((*branch.schedule)[edit.position]);
    else if (std::ranges::find(*branch.schedule, *edit.step) != branch.schedule->end())
      candidate.change.from = edit.key;  // once more
    candidate.position = edit.position;
    if (isExpectedPointless(candidate)) {
      wait(std::move(candidate));
      continue;
    }
    candidate.begun = beginnings_.of(candidate.schedule);
    candidates.push_back(std::move(candidate));
    return;
  }
}

/// Of those with moves left. A design's rank is the number of its front (the last one for what is on none),
/// and falls with what was tried in vain.
std::vector<std::size_t> Decisions::mostPromising() {
  std::vector<std::pair<std::size_t, std::size_t>> ranked;  // rank, place among all
  std::vector<std::size_t> order;
  std::size_t front = 0;
  std::vector<bool> placed(branches_.size());
  const auto place = [&](std::size_t design) {
    placed[design] = true;
    Branch& branch = branches_[design];
    if (branch.closed) return;
    if (branch.moves && branch.moves->empty()) {
      if (branch.exact) return;
      branch.moves.reset();  // what others with its outline may do is done; some of it may be its own
      branch.exact = true;
    }
    ranked.emplace_back(front + branch.idle / patience, order.size());
    order.push_back(design);
  };
  for (std::vector<std::size_t>& members : standing_.fronts()) {
    endsFirst(members);
    for (const std::size_t design : members) place(design);
    ++front;
  }
  for (std::size_t design = 0; design < placed.size(); ++design)
    if (!placed[design]) place(design);
  const std::size_t wanted = std::min({beam_width, roundSize(), ranked.size()});
  std::ranges::partial_sort(ranked, ranked.begin() + static_cast<std::ptrdiff_t>(wanted));
  std::vector<std::size_t> beam;
  for (std::size_t i = 0; i < wanted; ++i)
    if (ranked[i].first <= ranked[0].first + most_behind) beam.push_back(order[ranked[i].second]);
  return beam;
}

/// Asks for the steps that are legal behind each beginning of these schedules, each once.
void Decisions::findMoves(const std::vector<std::size_t>& beam, DesignWork& work, Round& round) {
  closeRuledOut(beam, work, round);
  std::vector<std::string> keys;
  std::vector<Schedule> beginnings;
  for (const std::size_t design : beam) {
    const Branch& branch = branches_[design];
    if (branch.moves || branch.closed) continue;
    const std::span<const ScheduleStep> schedule = *branch.schedule;
    for (std::size_t length = searched_->fixed(); length <= schedule.size(); ++length) {
      const std::span<const ScheduleStep> beginning = schedule.first(length);
      std::string key = beginningKey(beginning, branch.exact);
      if (!proposals_.try_emplace(key).second) continue;
      keys.push_back(std::move(key));
      beginnings.emplace_back(beginning.begin(), beginning.end());
    }
  }
  applyAll(beam, work);
  std::vector<std::pair<Schedule, KnownProgram>> asked;
  for (const Schedule& beginning : beginnings) asked.emplace_back(beginning, beginnings_.find(beginning));
  const std::vector<KnownProposals> found = work.proposals(asked);
  if (work.stopped()) return;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    proposals_[keys[i]] = proposals_[keyOf(beginnings[i])] = found[i];
    if (found[i]) keepRefusals(beginnings[i], found[i], round);
  }
  setMoves(beam, work);
}

/// Their programs are the beginnings of what comes next.
void Decisions::applyAll(const std::vector<std::size_t>& beam, DesignWork& work) {
  std::vector<std::pair<Schedule, Beginning>> fresh;
  for (const std::size_t design : beam) {
    const Schedule& schedule = *branches_[design].schedule;
    KnownProgram known = beginnings_.find(schedule);
    if (branches_[design].closed || (known && known->typed)) continue;
    fresh.emplace_back(schedule,
                       known ? Beginning{schedule.size(), std::move(known)} : beginnings_.of(schedule));
  }
  std::vector<KnownProgram> programs = work.programs(fresh);
  for (std::size_t i = 0; i < fresh.size(); ++i)
    if (programs[i]) beginnings_.add(fresh[i].first, std::move(programs[i]));
}

/// An outline does not tell how a step's numbers change what may follow: that is asked when nothing else is
/// left to try.
std::string Decisions::beginningKey(std::span<const ScheduleStep> beginning, bool exact) const {
  return exact || proposals_.contains(keyOf(beginning)) ? keyOf(beginning) : outlineOf(beginning);
}

/// Designs that were not simulated, whose bounds rule out all that begins with them.
void Decisions::closeRuledOut(const std::vector<std::size_t>& beam, DesignWork& work, Round& round) {
  std::vector<std::size_t> asked;
  std::vector<Schedule> schedules;
  for (const std::size_t design : beam) {
    const Branch& branch = branches_[design];
    if (branch.moves || branch.simulated) continue;
    asked.push_back(design);
    schedules.push_back(*branch.schedule);
  }
  const std::vector<KnownBounds> bounds = work.partialBounds(schedules);
  if (work.stopped()) return;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto bound = [&](const std::string& name) {
      return boundOf(*bounds[i], name).value_or(std::nan(""));
    };
    const bool cut = bounds[i] && (!bounds[i]->infeasible.empty() || standing_.isRuledOut(bound));
    branches_[asked[i]].closed = cut;
    round.pruned += static_cast<std::uint64_t>(cut);
  }
}

void Decisions::setMoves(const std::vector<std::size_t>& beam, DesignWork& work) {
  std::vector<std::size_t> open;
  std::vector<MovesOf> asked;
  for (const std::size_t design : beam) {
    const Branch& branch = branches_[design];
    if (branch.moves || branch.closed) continue;
    const Schedule& schedule = *branch.schedule;
    open.push_back(design);
    MovesOf& of = asked.emplace_back(schedule, *branches_[branch.parent.value_or(0)].schedule);
    for (std::size_t length = searched_->fixed(); length <= schedule.size(); ++length)
      of.proposals.push_back(proposals_[beginningKey(std::span(schedule).first(length), branch.exact)]);
    of.seed = searched_->request.seed * 1'000'003 + design;
  }
  std::vector<std::optional<Moves>> moves = work.moves(asked);
  for (std::size_t i = 0; i < open.size() && !work.stopped(); ++i) {
    Branch& branch = branches_[open[i]];
    branch.moves = std::move(moves[i]);
    leaves_out_ |= branch.exact && branch.moves->leavesOut();
  }
}

void Decisions::keepRefusals(const Schedule& begun, const KnownProposals& found, Round& round) const {
  const auto beginning = std::make_shared<const Schedule>(begun);
  for (const RefusedStep& each : found->refused)
    if (searched_->further.contains(each.step.transformation))
      round.rejected.push_back({beginning, {found, &each.step}, {found, &each.why}});
}

/// What can be found out of them without a run.
void Decisions::look(std::vector<Candidate>& candidates, DesignWork& work, Round& round) {
  looks_ += candidates.size();
  work.prepare(candidates, graphs_);
  if (work.stopped()) return;
  for (Candidate& candidate : candidates) {
    round.seconds += candidate.prepared->seconds;
    candidate.bounds =
        standing_.boundsBy([&](const std::string& name) { return metric(candidate.prepared->bounds, name); });
  }
}

void Decisions::judge(Candidate candidate, Round& round) {
  const Prepared& prepared = *candidate.prepared;
  learnSteps(candidate);
  const bool fresh = prepared.refused.empty() && (candidate.counted || graphs_.insert(prepared.graph).second);
  if (fresh) effects_.saw(candidate.change, branches_[candidate.parent].bounds, candidate.bounds);
  if (!prepared.refused.empty()) {
    round.rejected.push_back({std::make_shared<const Schedule>(std::move(candidate.schedule)), nullptr,
                              std::make_shared<const Diagnostics>(prepared.refused)});
  } else if (!fresh) {
    ++round.duplicates;
    effects_.repeated(candidate.change);
  } else if (!searched_->request.traces && isPointless(prepared.bounds)) {
    add(candidate, prepared.bounds);
    round.bounded.push_back(std::move(candidate));
  } else if (promisesNothing(candidate) && !isFirstAtTheEnd(candidate)) {
    wait(std::move(candidate));
  } else if (runs_ < searched_->request.budget) {
    run(std::move(candidate), round);
  }
}

void Decisions::run(Candidate candidate, Round& round) {
  ++runs_;
  candidate.horizon = standing_.horizonOf(candidate.prepared->bounds);
  round.runs.push_back(std::move(candidate));
}

bool Decisions::isPointless(const DesignPoint& bounds) const {
  return bounds.state != PointState::Done ||
         standing_.isRuledOut([&](const std::string& name) { return metric(bounds, name); });
}

/// Whether it is expected to be no better than a design that is there: from its parent's run, as the bounds
/// of the two are to each other, and the best surprise of such changes.
bool Decisions::promisesNothing(const Candidate& candidate) const {
  if (searched_->request.traces || candidate.waited) return false;
  return standing_.isMet(promise_.atBest(candidate.change.kind, expectedOf(candidate)));
}

/// Whether the bounds that it is expected to have say that it is not run: it waits before they are worked
/// out.
bool Decisions::isExpectedPointless(Candidate& candidate) const {
  if (searched_->request.traces) return false;
  if (isTheEnd(candidate.parent) && !branches_[candidate.parent].at_end.contains(candidate.change.kind))
    return false;
  double legal_share = 1;
  for (const ScheduleStep& step : std::span(candidate.schedule).subspan(candidate.follow()))
    legal_share *= effects_.legalShare(candidate.change.kind, step);
  if (legal_share < least_legal_share || effects_.repeats(candidate.change)) return true;
  candidate.bounds = effects_.expected(candidate.change, branches_[candidate.parent].bounds);
  return standing_.isMet(candidate.bounds) || promisesNothing(candidate);
}

/// Which of the steps behind the change could be applied.
void Decisions::learnSteps(const Candidate& candidate) {
  const Diagnostics& refused = candidate.prepared->refused;
  const LocationPart* blamed = refused.empty() ? nullptr : refused.front().place.find(Where::ScheduleStep);
  if (!refused.empty() && (!blamed || blamed->number < 1)) return;
  const std::size_t end = blamed ? static_cast<std::size_t>(blamed->number - 1) : candidate.schedule.size();
  for (std::size_t i = candidate.follow(); i < end; ++i)
    effects_.tried(candidate.change.kind, candidate.schedule[i], true);
  if (end < candidate.schedule.size() && end >= candidate.follow())
    effects_.tried(candidate.change.kind, candidate.schedule[end], false);
}

bool Decisions::isTheEnd(std::size_t design) const {
  return !standing_.frontier().empty() && standing_.frontier().front() == design;
}

/// Whether it is the first change of its kind of the design that is the best in the first objective: what is
/// left to be gained there is less than what expectations tell apart.
bool Decisions::isFirstAtTheEnd(const Candidate& candidate) {
  return isTheEnd(candidate.parent) &&
         branches_[candidate.parent].at_end.insert(candidate.change.kind).second;
}

/// NaN where the parent, or a bound, tells nothing.
std::vector<double> Decisions::expectedOf(const Candidate& candidate) const {
  const std::vector<double>& before = branches_[candidate.parent].bounds;
  const std::span<const double> run = standing_.rowOf(candidate.parent);
  std::vector<double> expected(candidate.bounds.size(), std::nan(""));
  for (std::size_t k = 0; k < expected.size() && k < before.size(); ++k)
    if (before[k] > 0 && candidate.bounds[k] > 0) expected[k] = run[k] * (candidate.bounds[k] / before[k]);
  return expected;
}

/// Its schedule is kept until nothing that promises more is left.
void Decisions::wait(Candidate candidate) {
  Candidate kept{std::move(candidate.schedule), candidate.parent, std::move(candidate.change),
                 candidate.position};
  kept.waited = true;
  kept.counted = candidate.prepared != nullptr || candidate.counted;
  waiting_.push_back(std::move(kept));
}

void Decisions::learn(const Candidate& candidate) {
  const bool done = candidate.run.end == DesignRun::End::Done;
  if (!candidate.change.kind.empty())
    promise_.ran(candidate.change.kind, expectedOf(candidate),
                 done ? standing_.rowOf(candidate.run.point) : std::vector<double>());
  const std::size_t design = branches_.size();
  add(candidate, done ? candidate.run.point : candidate.prepared->bounds);
  if (std::ranges::find(standing_.frontier(), design) == standing_.frontier().end()) return;
  if (candidate.run.program) beginnings_.add(candidate.schedule, candidate.run.program);
  promise_.gained(candidate.change.kind, candidate.change.to);
  if (const std::optional<std::size_t> parent = branches_[design].parent) branches_[*parent].idle = 0;
}

/// A design more.
void Decisions::add(const Candidate& candidate, const DesignPoint& point) {
  const bool is_new = standing_.add(point);
  Branch branch{std::make_shared<const Schedule>(candidate.schedule), candidate.parent,
                point.fidelity != Fidelity::Symbolic};
  if (branches_.empty()) branch.parent.reset();
  branch.idle = is_new || branches_.empty() ? 0 : 2 * patience;
  branch.bounds = candidate.bounds;
  branches_.push_back(std::move(branch));
}

}  // namespace sluice::inline designer

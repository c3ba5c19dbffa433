// findDesigns(): designs are made of designs. Each round the most promising ones are changed by one step, the
// kinds of change that have brought most to the frontier come first, and a batch is evaluated.

#include "engine/designer/designer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <iterator>
#include <mutex>

#include "engine/core/cancelled.h"
#include "engine/core/stopwatch.h"
#include "engine/core/thread_clock.h"
#include "engine/core/time_limit.h"
#include "engine/designer/candidate.h"
#include "engine/designer/promise.h"
#include "engine/designer/request.h"
#include "engine/designer/search_threads.h"
#include "engine/designer/standing.h"

namespace sluice::inline designer {
namespace {

using KnownProposals = std::shared_ptr<const Proposals>;

/// Changes in one round, whatever the number of threads: few at first, when a round teaches much, then an
/// eighth of the designs that ran.
constexpr std::size_t least_batch = 4, largest_batch = 16, share_of_batch = 8;
constexpr std::size_t most_turns = 2;  ///< changes of one design in one round
/// Designs are changed in one round that are so many fronts behind the best.
constexpr std::size_t most_behind = 2;
constexpr std::size_t beam_width = 8;  ///< designs that are changed in one round
/// So many changes in a row that bring nothing cost a design as much as one frontier.
constexpr std::size_t patience = 12;
/// A search ends that has looked at so many schedules for each one of its budget.
constexpr std::uint64_t most_looks = 64;

/// What is known of a design as the beginning of others.
struct Branch {
  std::optional<Moves> moves;    ///< none before it is its turn
  bool exact = false;            ///< `moves` are its own, else those of a schedule with the same outline
  bool closed = false;           ///< nothing better may begin with it
  std::size_t idle = 0;          ///< changes since the last gain
  std::vector<double> bounds;    ///< of its objectives
  std::set<std::string> at_end;  ///< kinds of change that did not wait, as it was the best of all
};

class Search {
 public:
  Search(const Workload& workload, const KnobValues& knobs, const DesignRequest& request, Executor& executor,
         const DesignObserver& observer, const std::stop_token& stop)
      : fixed_(workload.document.schedule.size()),
        workload_(workload),
        plain_(withSchedule(workload, {})),
        knobs_(knobs),
        request_(request),
        executor_(executor),
        observer_(observer),
        asked_to_stop_(stop),
        limit_(request.seconds, stop),
        stop_(limit_.token()),
        preparation_{plain_, knobs, request.locked, asksForPrices(request)},
        further_(transformationsOf(request)),
        alone_(request.traces || observer.runner),
        threads_(executor, alone_, stop_),
        promise_(request.objectives.size()),
        standing_(request) {}

  Result<DesignResult> run() {
    const ThreadClock clock;
    if (!request_.traces) {
      if (const Result<ProgramBounds> bounds = programBounds(workload_, knobs_, budgetOf(request_)))
        result_.bounds = *bounds;
    }
    if (Diagnostics wrong = checkBudgets(request_, result_.bounds); !wrong.empty()) return wrong;
    const double before = clock.seconds();
    threads_.work([this] { return step(); });
    if (!trouble_.empty()) return trouble_;
    const double all = before + threads_.processorSeconds();
    result_.effort = alone_ ? DesignEffort() : result_.effort.of(all);  // others have run the designs
    finish();
    return std::move(result_);
  }

 private:
  using Next = SearchThreads::Next;
  double seconds() const { return secondsSince(start_); }
  bool over() const {
    return stop_.stop_requested() || !trouble_.empty() ||
           result_.simulated + launched_.size() >= request_.budget || looks_ >= most_looks * request_.budget;
  }

  /// A round is decided when all runs of the one before are taken.
  Next step() {
    if (!begun_) {
      begun_ = true;
      begin();
    } else if (mayDecide()) {
      std::vector<Candidate> candidates = nextCandidates();
      nothing_left_ = candidates.empty();
      if (!nothing_left_) take(std::move(candidates));
    } else if (launched_.empty()) {
      result_.complete = nothing_left_ && !leaves_out_ && !stop_.stop_requested();
      return Next::Over;
    } else if (launched_.front().ended) {
      takeRun();
    } else if (alone_) {
      runHere();
    } else {
      return Next::Wait;
    }
    return Next::Again;
  }

  /// All others are made of the first design.
  bool mayDecide() const {
    return !result_.designs.empty() && !over() && !nothing_left_ && launched_.empty();
  }

  void begin() {
    std::vector<Candidate> beginning(1);
    beginning.front().schedule = workload_.document.schedule;
    schedules_.insert(keyOf(workload_.document.schedule));
    prepareAll(beginning);
    if (stop_.stop_requested() || isCancelled(beginning.front().refused)) return;
    if (Diagnostics& refused = beginning.front().refused; !refused.empty()) {
      // A program that a step has to complete, as compile_tensors does, is where the search begins all the
      // same.
      Design design{beginning.front().schedule, refusedPoint({knobs_}, refused).point, {}, {}};
      add(std::move(design));
      return;
    }
    graphs_.insert(beginning.front().graph);
    result_.effort.ruled_out += beginning.front().seconds.evaluation;
    beginning.front().bounds =
        standing_.boundsBy([&](const std::string& name) { return metric(beginning.front().point, name); });
    start(launch(std::move(beginning.front())));
  }

  void prepareAll(std::vector<Candidate>& candidates) {
    looks_ += candidates.size();
    const std::set<std::string> none;  // that a schedule which has waited may meet: its own is there
    threads_.forAll(candidates.size(), [&](std::size_t i) {
      Candidate& candidate = candidates[i];
      prepare(candidate, preparation_, candidate.waited ? none : graphs_, stop_);
    });
  }

  /// Changes of the designs that promise most; none: nothing is left.
  std::vector<Candidate> nextCandidates() {
    std::vector<Candidate> candidates;
    while (candidates.empty() && !over()) {
      const std::vector<std::size_t> beam = mostPromising();
      if (beam.empty()) return nextWaiting();
      findMoves(beam);
      for (std::size_t turn = 0; turn < most_turns; ++turn)
        for (const std::size_t design : beam)
          if (candidates.size() < roundSize()) move(design, candidates);
    }
    return candidates;
  }

  std::vector<Candidate> nextWaiting() {
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(roundSize(), waiting_.size()));
    std::vector<Candidate> next(std::move_iterator(waiting_.begin()), std::move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    return next;
  }

  std::size_t roundSize() const {
    return std::clamp<std::size_t>(result_.simulated / share_of_batch, least_batch, largest_batch);
  }

  void move(std::size_t design, std::vector<Candidate>& candidates) {
    Branch& branch = branches_[design];
    while (branch.moves && !branch.moves->empty()) {
      const std::string kind = promise_.bestOf(*branch.moves);
      const StepEdit edit = branch.moves->next(kind, promise_.ofKind(kind));
      Schedule schedule = edited(result_.designs[design].schedule, edit);
      if (!schedules_.insert(keyOf(schedule)).second) continue;
      promise_.made(kind, edit.key);
      ++branch.idle;
      Beginning begun = beginnings_.of(schedule);
      candidates.push_back({std::move(schedule), design, kind, edit.key, std::move(begun)});
      return;
    }
  }

  /// Of those with moves left. A design's rank is the number of its front (the last one for what is on
  /// none), and falls with what was tried in vain.
  std::vector<std::size_t> mostPromising() {
    std::vector<std::pair<std::size_t, std::size_t>> ranked;  // rank, place among all
    std::vector<std::size_t> order;
    std::size_t front = 0;
    std::vector<bool> placed(result_.designs.size());
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
  void findMoves(const std::vector<std::size_t>& beam) {
    closeRuledOut(beam);
    std::vector<std::pair<std::string, Schedule>> asked;
    for (const std::size_t design : beam) {
      const Branch& branch = branches_[design];
      if (branch.moves || branch.closed) continue;
      const Schedule& schedule = result_.designs[design].schedule;
      for (std::size_t length = fixed_; length <= schedule.size(); ++length) {
        const std::span<const ScheduleStep> beginning = std::span(schedule).first(length);
        std::string key = beginningKey(beginning, branch.exact);
        if (proposals_.try_emplace(key).second)
          asked.emplace_back(std::move(key), Schedule(beginning.begin(), beginning.end()));
      }
    }
    applyAll(beam);
    std::vector<KnownProposals> found(asked.size());
    threads_.forAll(asked.size(), [&](std::size_t i) {
      const std::shared_ptr<const ScheduledProgram> known = beginnings_.find(asked[i].second);
      const Workload begun = withSchedule(workload_, asked[i].second);
      Result<Proposals> proposals =
          known ? proposalsFor(*known, knobs_, stop_, Tried::Applied)
                : proposalsFor(begun.document, begun.inputs, knobs_, stop_, Tried::Applied);
      if (proposals) found[i] = std::make_shared<const Proposals>(*std::move(proposals));
    });
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto& [key, schedule] = asked[i];
      proposals_[key] = proposals_[keyOf(schedule)] = found[i];
      if (found[i]) keepRefusals(schedule, found[i]->refused);
    }
    for (const std::size_t design : beam)
      if (!branches_[design].moves && !branches_[design].closed) branches_[design].moves = movesOf(design);
  }

  /// Their programs are the beginnings of what comes next.
  void applyAll(const std::vector<std::size_t>& beam) {
    std::vector<std::pair<const Schedule*, Beginning>> fresh;
    for (const std::size_t design : beam) {
      const Schedule& schedule = result_.designs[design].schedule;
      if (branches_[design].closed || beginnings_.find(schedule)) continue;
      fresh.emplace_back(&schedule, beginnings_.of(schedule));
    }
    std::vector<std::shared_ptr<const ScheduledProgram>> programs(fresh.size());
    threads_.forAll(fresh.size(), [&](std::size_t i) {
      const auto& [schedule, begun] = fresh[i];
      programs[i] = typedProgramBehind(plain_, *schedule, begun, knobs_, stop_);
    });
    for (std::size_t i = 0; i < fresh.size(); ++i)
      if (programs[i]) beginnings_.add(*fresh[i].first, std::move(programs[i]));
  }

  /// An outline does not tell how a step's numbers change what may follow: that is asked when nothing else
  /// is left to try.
  std::string beginningKey(std::span<const ScheduleStep> beginning, bool exact) const {
    return exact || proposals_.contains(keyOf(beginning)) ? keyOf(beginning) : outlineOf(beginning);
  }

  /// Designs that were not simulated, whose bounds rule out all that begins with them.
  void closeRuledOut(const std::vector<std::size_t>& beam) {
    std::vector<std::size_t> asked;
    for (const std::size_t design : beam)
      if (!branches_[design].moves && result_.designs[design].point.fidelity == Fidelity::Symbolic)
        asked.push_back(design);
    std::vector<char> cut(asked.size());  // not of bool: threads write side by side
    threads_.forAll(asked.size(), [&](std::size_t i) {
      const Workload begun = withSchedule(workload_, result_.designs[asked[i]].schedule);
      const Result<ProgramBounds> bounds = partialBounds(begun, knobs_, further_, budgetOf(request_));
      cut[i] = bounds && (!bounds->infeasible.empty() || standing_.isRuledOut([&](const std::string& name) {
                 return boundOf(*bounds, name).value_or(std::nan(""));
               }));
    });
    if (stop_.stop_requested()) return;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      branches_[asked[i]].closed = cut[i];
      result_.pruned += static_cast<std::uint64_t>(cut[i]);
    }
  }

  Moves movesOf(std::size_t design) {
    const Schedule& schedule = result_.designs[design].schedule;
    std::vector<KnownProposals> proposals;
    for (std::size_t length = fixed_; length <= schedule.size(); ++length)
      proposals.push_back(
          proposals_[beginningKey(std::span(schedule).first(length), branches_[design].exact)]);
    Moves moves(schedule, fixed_, request_.most_steps, proposals, further_,
                SplitMix64(request_.seed * 1'000'003 + design),
                result_.designs[result_.designs[design].parent.value_or(0)].schedule);
    leaves_out_ |= branches_[design].exact && moves.leavesOut();
    return moves;
  }

  void keepRefusals(const Schedule& begun, const std::vector<RefusedStep>& refused) {
    for (const RefusedStep& each : refused) {
      if (!further_.contains(each.step.transformation)) continue;
      Schedule schedule = begun;
      schedule.push_back(each.step);
      result_.rejected.push_back({std::move(schedule), each.why});
    }
  }

  void take(std::vector<Candidate> candidates) {
    prepareAll(candidates);
    if (stop_.stop_requested()) return;
    std::vector<Candidate> to_run;
    for (Candidate& candidate : candidates) {
      result_.effort.ruled_out += candidate.seconds.evaluation;
      candidate.bounds =
          standing_.boundsBy([&](const std::string& name) { return metric(candidate.point, name); });
      if (!candidate.refused.empty()) {
        result_.rejected.push_back({std::move(candidate.schedule), std::move(candidate.refused)});
      } else if (!candidate.waited && !graphs_.insert(candidate.graph).second) {
        ++result_.duplicates;
      } else if (!request_.traces && isPointless(candidate.point)) {
        addBounded(std::move(candidate));
      } else if (promisesNothing(candidate) && !isFirstAtTheEnd(candidate)) {
        wait(std::move(candidate));
      } else if (result_.simulated + launched_.size() + to_run.size() < request_.budget) {
        to_run.push_back(std::move(candidate));
      }
    }
    std::vector<Launched*> fresh;
    for (Candidate& candidate : to_run) fresh.push_back(&launch(std::move(candidate)));
    // The longest begin first, so that the threads end together.
    std::ranges::stable_sort(fresh, std::greater(),
                             [](const Launched* each) { return each->candidate.tokens; });
    for (Launched* each : fresh) start(*each);
  }

  /// It was not simulated to its end; something better may begin with it.
  void addBounded(Candidate candidate) {
    sayWhyBounded(candidate);
    const auto parent = result_.designs.empty() ? std::nullopt : std::optional(candidate.parent);
    add({std::move(candidate.schedule), std::move(candidate.point), {}, parent}, std::move(candidate.bounds));
  }

  /// Whether it is expected to be no better than a design that is there: from its parent's run, as the bounds
  /// of the two are to each other, and the best surprise of such changes.
  bool promisesNothing(const Candidate& candidate) const {
    if (request_.traces || candidate.waited) return false;
    return standing_.isMet(promise_.atBest(candidate.kind, expectedOf(candidate)));
  }

  /// Whether it is the first change of its kind of the design that is the best in the first objective: what
  /// is left to be gained there is less than what expectations tell apart.
  bool isFirstAtTheEnd(const Candidate& candidate) {
    return !standing_.frontier().empty() && standing_.frontier().front() == candidate.parent &&
           branches_[candidate.parent].at_end.insert(candidate.kind).second;
  }

  /// NaN where the parent, or a bound, tells nothing.
  std::vector<double> expectedOf(const Candidate& candidate) const {
    const std::vector<double>& before = branches_[candidate.parent].bounds;
    const std::span<const double> run = standing_.rowOf(candidate.parent);
    std::vector<double> expected(candidate.bounds.size(), std::nan(""));
    for (std::size_t k = 0; k < expected.size() && k < before.size(); ++k)
      if (before[k] > 0 && candidate.bounds[k] > 0) expected[k] = run[k] * (candidate.bounds[k] / before[k]);
    return expected;
  }

  /// Its schedule is kept until nothing that promises more is left.
  void wait(Candidate candidate) {
    Candidate kept{std::move(candidate.schedule), candidate.parent, candidate.kind, candidate.step};
    kept.waited = true;
    waiting_.push_back(std::move(kept));
  }

  bool isPointless(const DesignPoint& bounds) const {
    return bounds.state != PointState::Done ||
           standing_.isRuledOut([&](const std::string& name) { return metric(bounds, name); });
  }

  std::optional<DesignPoint> fromStore(const std::string& graph) {
    Result<std::optional<DesignPoint>> known = observer_.store->known(graph, knobs_);
    if (known) return *std::move(known);
    trouble_ = known.diagnostics();
    return {};
  }

  Launched& launch(Candidate candidate) {
    Launched& launched = launched_.emplace_back(std::move(candidate));
    if (observer_.store) launched.known = fromStore(launched.candidate.graph);
    launched.candidate.horizon = standing_.horizonOf(launched.candidate.point);
    return launched;
  }

  /// Has it run, unless the store knows it.
  void start(Launched& launched) {
    if (launched.known)
      end(launched);
    else if (!alone_)
      threads_.add([this, &launched] {
        if (!stop_.stop_requested()) simulate(launched.candidate, knobs_, request_.most_work, stop_);
        end(launched);
      });
  }

  /// From the thread that ran it.
  void end(Launched& launched) {
    launched.ended = true;
    const std::scoped_lock lock(telling_);
    shown_.under_way += 1;
    tellProgress();
  }

  /// What the first run that is under way has come to.
  void takeRun() {
    Candidate candidate = std::move(launched_.front().candidate);
    const std::optional<DesignPoint> known = std::move(launched_.front().known);
    launched_.pop_front();
    nothing_left_ = false;
    result_.effort.add(candidate.seconds);
    const bool done = known || candidate.end == DesignRun::End::Done;
    const bool late = candidate.end == DesignRun::End::Late;
    const bool long_run = candidate.end == DesignRun::End::TooLong;
    result_.simulated += done || late || long_run;
    result_.cut += !known && late;
    result_.too_long += !known && long_run;
    {
      const std::scoped_lock lock(telling_);
      shown_.simulated = result_.simulated;  // before the design is told
      shown_.under_way -= 1;
    }
    if (done || late || long_run) learn(std::move(candidate), known, done);
    const bool told = observer_.progress && !standing_.frontier().empty();
    const double volume = told ? standing_.volume().share : 0;
    const std::scoped_lock lock(telling_);
    shown_.frontier = standing_.frontier().size();
    shown_.hypervolume = volume;
    tellProgress();
  }

  void learn(Candidate candidate, const std::optional<DesignPoint>& known, bool done) {
    if (known) candidate.point = *known;
    if (!candidate.kind.empty())
      promise_.ran(candidate.kind, expectedOf(candidate),
                   done ? standing_.rowOf(candidate.point) : std::vector<double>());
    if (done)
      keep(candidate, known.has_value());
    else
      addBounded(std::move(candidate));
  }

  /// Side by side are the traces of the first run, or all runs that others take.
  void runHere() {
    if (!request_.traces) return runElsewhere();
    Launched& first = launched_.front();
    simulateUnder(
        request_, plain_, first.candidate, knobs_, executor_,
        [&](double share) {
          const std::scoped_lock lock(telling_);
          tellProgress(share);
        },
        stop_);
    end(first);
  }

  void runElsewhere() {
    std::vector<DesignTask> tasks;
    std::vector<Launched*> asked;
    for (Launched& launched : launched_) {
      if (launched.ended) continue;
      forgetProgram(launched.candidate);
      tasks.push_back({launched.candidate.schedule, launched.candidate.horizon, request_.most_work});
      asked.push_back(&launched);
    }
    observer_.runner->run(
        tasks,
        [&](std::size_t k, DesignRun run) {
          Candidate& candidate = asked[k]->candidate;
          candidate.end = run.end;
          candidate.bound = std::move(run.bound);
          if (run.end == DesignRun::End::Done) candidate.point = std::move(run.point);
          end(*asked[k]);
        },
        stop_);
    for (Launched* launched : asked)
      if (!launched->ended) end(*launched);  // a stop request has left it out
  }

  /// `share`: of the first run, beside those that have ended. With the lock.
  void tellProgress(double share = 0) {
    if (!observer_.progress) return;
    DesignProgress progress = shown_;
    progress.budget = request_.budget;
    progress.seconds_spent = seconds();
    progress.under_way += share;
    observer_.progress(progress);
  }

  void keep(Candidate& candidate, bool is_known) {
    Design design{std::move(candidate.schedule),
                  std::move(candidate.point),
                  {},
                  candidate.parent,
                  std::move(candidate.bound)};
    if (!request_.traces) design.gaps = withinBound(design.point, result_.bounds);
    if (result_.designs.empty()) design.parent.reset();
    if (observer_.store) observer_.store->add(candidate.graph, design, is_known);
    result_.reused += is_known;
    const std::size_t number = result_.designs.size();
    const std::optional<std::size_t> parent = design.parent;
    add(std::move(design), std::move(candidate.bounds));
    if (std::ranges::find(standing_.frontier(), number) == standing_.frontier().end()) return;
    if (candidate.typed) beginnings_.add(result_.designs[number].schedule, std::move(candidate.typed));
    promise_.gained(candidate.kind, candidate.step);
    if (parent) branches_[*parent].idle = 0;
  }

  void add(Design design, std::vector<double> bounds = {}) {
    const bool is_new = standing_.add(design.point);
    Branch& branch = branches_.emplace_back();
    branch.idle = is_new || result_.designs.empty() ? 0 : 2 * patience;
    branch.bounds = std::move(bounds);
    if (observer_.design) {
      const std::scoped_lock lock(telling_);
      observer_.design(design);
    }
    result_.designs.push_back(std::move(design));
  }

  void finish() {
    result_.frontier = standing_.frontier();
    const RelativeHypervolume whole = standing_.volume();
    if (!result_.frontier.empty()) {
      result_.hypervolume = whole.share;
      result_.reference = whole.reference;
      result_.progress = standing_.progress(whole.reference);
    }
    result_.cancelled = asked_to_stop_.stop_requested();
    result_.remarks = remarksOn(request_, result_);
    result_.wall_seconds = seconds();
  }

  const std::size_t fixed_;  ///< steps of the program as it is
  const Workload& workload_;
  const Workload plain_;
  const KnobValues& knobs_;
  const DesignRequest& request_;
  Executor& executor_;
  const DesignObserver& observer_;
  const std::stop_token asked_to_stop_;
  TimeLimit limit_;
  const std::stop_token stop_;  ///< also when the time is over
  const Preparation preparation_;
  const FurtherSteps further_;
  const bool alone_;  ///< runs are not of threads_, as traces or other processes are side by side
  SearchThreads threads_;
  const Clock::time_point start_ = Clock::now();
  std::map<std::string, KnownProposals> proposals_;  ///< by the steps that they follow, or their outline
  std::set<std::string> schedules_, graphs_;         ///< that were looked at
  std::uint64_t looks_ = 0;
  Beginnings beginnings_;
  Promise promise_;
  std::vector<Candidate> waiting_;  ///< that promise nothing
  std::vector<Branch> branches_;    ///< parallel to the designs
  Standing standing_;               ///< of the designs
  std::deque<Launched> launched_;   ///< what runs, in the order in which it is taken
  bool begun_ = false, nothing_left_ = false;
  std::mutex telling_;    ///< of the observer, and of:
  DesignProgress shown_;  ///< as it was when a run was taken
  bool leaves_out_ = false;
  Diagnostics trouble_;
  DesignResult result_;
};

}  // namespace

Result<DesignResult> findDesigns(const Workload& workload, const KnobValues& knobs,
                                 const DesignRequest& request, Executor& executor,
                                 const DesignObserver& observer, const std::stop_token& stop) {
  if (Diagnostics wrong = checkRequest(workload.document, request); !wrong.empty()) return wrong;
  return Search(workload, knobs, request, executor, observer, stop).run();
}

}  // namespace sluice::inline designer

// findDesigns(): designs are made of designs. Each round the most promising ones are changed by one step, the
// kinds of change that have brought most to the frontier come first, and a batch is evaluated.

#include "engine/designer/designer.h"

#include <atomic>
#include <deque>
#include <iterator>
#include <mutex>

#include "engine/core/stopwatch.h"
#include "engine/core/thread_clock.h"
#include "engine/core/time_limit.h"
#include "engine/designer/decisions.h"
#include "engine/designer/request.h"
#include "engine/designer/runs_ahead.h"

namespace sluice::inline designer {
namespace {

/// Runs that are made ahead of one round.
constexpr std::size_t most_ahead = 32;

/// A design whose run has been decided.
struct Launched {
  explicit Launched(Candidate decided) : candidate(std::move(decided)) {}
  Candidate candidate;
  bool known = false;  ///< from the store: it is not run
  std::atomic<bool> ended = false;
};

/// The longest first, so that threads end together.
template <class Each>
void longestFirst(std::vector<Each*>& all, const std::function<const Candidate&(const Each&)>& candidate) {
  std::ranges::stable_sort(all, std::greater(),
                           [&](const Each* each) { return candidate(*each).prepared->tokens(); });
}

/// What a search would decide if no run that is under way brought anything, which is mostly so.
struct Foresight {
  Decisions decisions;
  std::vector<Candidate> under_way;
  std::stop_token stop;
};

class Search {
 public:
  Search(const Workload& workload, const KnobValues& knobs, const DesignRequest& request, Executor& executor,
         const DesignObserver& observer, const std::stop_token& stop)
      : request_(request),
        executor_(executor),
        observer_(observer),
        asked_to_stop_(stop),
        limit_(request.seconds, stop),
        searched_{workload, withSchedule(workload, {}), knobs,
                  request,  transformationsOf(request), limit_.token()},
        alone_(request.traces || observer.runner),
        threads_(executor, alone_, searched_.stop),
        work_(searched_, threads_, found_, SearchThreads::Urgency::Decided, searched_.stop),
        decisions_(searched_) {}

  Result<DesignResult> run() {
    const ThreadClock clock;
    if (!request_.traces) {
      if (const Result<ProgramBounds> bounds =
              programBounds(searched_.workload, searched_.knobs, budgetOf(request_)))
        result_.bounds = *bounds;
    }
    if (Diagnostics wrong = checkBudgets(request_, result_.bounds); !wrong.empty()) return wrong;
    const double before = clock.seconds();
    threads_.work([this] { return step(); }, [this] { return lookAhead(); });
    if (!trouble_.empty()) return trouble_;
    const double all = before + threads_.processorSeconds();
    result_.effort = alone_ ? DesignEffort() : result_.effort.of(all);
    finish();
    return std::move(result_);
  }

 private:
  using Next = SearchThreads::Next;
  double seconds() const { return secondsSince(start_); }
  bool over() const { return searched_.stop.stop_requested() || !trouble_.empty() || decisions_.over(); }

  /// A round is decided when all runs of the one before are taken.
  Next step() {
    if (!begun_) {
      begun_ = true;
      take(decisions_.begin(work_));
    } else if (mayDecide()) {
      runs_ahead_.stop(ahead_);
      take(decisions_.next(work_));
      runs_ahead_.stopOthers();
      ahead_ = {};
      looks_ahead_ = false;
    } else if (launched_.empty()) {
      result_.complete = nothing_left_ && !decisions_.leavesOut() && !searched_.stop.stop_requested();
      runs_ahead_.stop(ahead_);
      runs_ahead_.stopOthers();
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
  bool mayDecide() const { return decisions_.hasDesigns() && !over() && !nothing_left_ && launched_.empty(); }

  void take(Round round) {
    if (searched_.stop.stop_requested()) return;
    nothing_left_ = round.nothing_left;
    result_.duplicates += round.duplicates;
    result_.pruned += round.pruned;
    result_.effort.ruled_out += round.seconds;
    std::ranges::move(round.rejected, std::back_inserter(result_.rejected));
    for (Candidate& candidate : round.bounded) keepBounded(std::move(candidate));
    std::vector<Launched*> fresh;
    for (Candidate& candidate : round.runs) fresh.push_back(&launch(std::move(candidate)));
    longestFirst<Launched>(fresh, [](const Launched& each) -> const Candidate& { return each.candidate; });
    for (Launched* each : fresh) start(*each);
  }

  Launched& launch(Candidate candidate) {
    Launched& launched = launched_.emplace_back(std::move(candidate));
    if (!observer_.store) return launched;
    Result<std::optional<DesignPoint>> known =
        observer_.store->known(launched.candidate.prepared->graph, searched_.knobs);
    if (!known) {
      trouble_ = known.diagnostics();
    } else if (*known) {
      launched.known = true;
      launched.candidate.run.end = DesignRun::End::Done;
      launched.candidate.run.point = **std::move(known);
    }
    return launched;
  }

  /// Has it run, unless the store knows it, or it was begun ahead.
  void start(Launched& launched) {
    if (launched.known) return end(launched);
    if (alone_) return;
    const std::shared_ptr<RunsAhead::Run> ahead = runs_ahead_.take(keyOf(launched.candidate.schedule));
    if (!ahead) return threads_.add([this, &launched] { simulate(launched); });
    runs_ahead_.whenEnded(*ahead, [this, &launched, ahead] {
      if (!tells(ahead->made, ahead->horizon, launched.candidate.horizon))
        return threads_.add([this, &launched] { simulate(launched); });
      launched.candidate.run = std::move(ahead->made);
      end(launched);
      threads_.noteEnd();
    });
  }

  void simulate(Launched& launched) {
    Candidate& candidate = launched.candidate;
    if (!searched_.stop.stop_requested()) candidate.run = runOf(candidate, searched_.stop);
    end(launched);
  }

  OwnRun runOf(const Candidate& candidate, const std::stop_token& stop) const {
    std::shared_ptr<Prepared> prepared = candidate.prepared;
    if (prepared->taken.test_and_set())
      prepared = prepare(candidate.schedule, {}, searched_.preparation, {}, stop);
    if (!prepared->bounded) return {};  // stopped
    return sluice::simulate(*prepared, candidate.horizon, searched_.knobs, request_.most_work, stop);
  }

  /// From the thread that ran it.
  void end(Launched& launched) {
    launched.ended = true;
    const std::scoped_lock lock(telling_);
    shown_.under_way += 1;
    tellProgress();
  }

  /// Nothing: this was done, or there is nothing that could be wanted.
  SearchThreads::Work lookAhead() {
    if (over() || std::exchange(looks_ahead_, true)) return {};
    auto foresight = std::make_shared<Foresight>(decisions_, std::vector<Candidate>(), ahead_.get_token());
    for (const Launched& launched : launched_) {
      Candidate& candidate = foresight->under_way.emplace_back();
      const Candidate& of = launched.candidate;
      candidate = {of.schedule, of.parent,  of.change,   of.position, {},
                   of.waited,   of.counted, of.prepared, of.bounds};
      if (launched.ended) candidate.run = of.run;
    }
    return [this, foresight] { workAhead(*foresight); };
  }

  void workAhead(Foresight& foresight) {
    Decisions& decisions = foresight.decisions;
    for (const Candidate& candidate : foresight.under_way) decisions.learn(candidate);
    DesignWork work(searched_, threads_, found_, SearchThreads::Urgency::Ahead, foresight.stop);
    for (std::size_t made = 0; made < most_ahead && !decisions.over();) {
      Round round = decisions.next(work);
      if (work.stopped() || round.nothing_left) return;
      made += round.runs.size();
      runAhead(round.runs, foresight.stop);
      if (work.stopped()) return;
      for (const Candidate& candidate : round.runs) decisions.learn(candidate);
    }
  }

  void runAhead(std::vector<Candidate>& candidates, const std::stop_token& stop) {
    std::vector<Candidate*> all;
    for (Candidate& candidate : candidates) all.push_back(&candidate);
    longestFirst<Candidate>(all, [](const Candidate& each) -> const Candidate& { return each; });
    const auto run = [&](std::size_t i) {
      Candidate& candidate = *all[i];
      const auto simulated = [&](std::stop_source& own) {
        const std::stop_callback also(searched_.stop, [&] { own.request_stop(); });
        return runOf(candidate, own.get_token());
      };
      if (std::optional<OwnRun> made =
              runs_ahead_.make(keyOf(candidate.schedule), candidate.horizon, stop, simulated))
        candidate.run = *std::move(made);
    };
    threads_.forAll(all.size(), run, SearchThreads::Urgency::Ahead, stop);
  }

  /// What the first run that is under way has come to.
  void takeRun() {
    Candidate candidate = std::move(launched_.front().candidate);
    const bool known = launched_.front().known;
    launched_.pop_front();
    nothing_left_ = false;
    const DesignRun::End end = candidate.run.end;
    const bool done = end == DesignRun::End::Done, late = end == DesignRun::End::Late,
               long_run = end == DesignRun::End::TooLong;
    result_.effort.add({candidate.run.seconds, candidate.prepared->seconds});
    result_.simulated += done || late || long_run;
    result_.cut += late;
    result_.too_long += long_run;
    {
      const std::scoped_lock lock(telling_);
      shown_.simulated = result_.simulated;  // before the design is told
      shown_.under_way -= 1;
    }
    if (done || late || long_run) {
      decisions_.learn(candidate);
      done ? keep(std::move(candidate), known) : keepBounded(std::move(candidate));
    }
    const Standing& standing = decisions_.standing();
    const bool told = observer_.progress && !standing.frontier().empty();
    const double volume = told ? standing.volume().share : 0;
    const std::scoped_lock lock(telling_);
    shown_.frontier = standing.frontier().size();
    shown_.hypervolume = volume;
    tellProgress();
  }

  /// Side by side are the traces of the first run, or all runs that others take.
  void runHere() {
    if (!request_.traces) return runElsewhere();
    Launched& first = launched_.front();
    forgetProgram(*first.candidate.prepared);
    const DesignRun run = simulateUnder(
        request_, searched_.plain, first.candidate.schedule, searched_.knobs, executor_,
        [&](double share) {
          const std::scoped_lock lock(telling_);
          tellProgress(share);
        },
        searched_.stop);
    first.candidate.run = {run};
    end(first);
  }

  void runElsewhere() {
    std::vector<DesignTask> tasks;
    std::vector<Launched*> asked;
    for (Launched& launched : launched_) {
      if (launched.ended) continue;
      const Candidate& candidate = launched.candidate;
      forgetProgram(*candidate.prepared);
      tasks.push_back({candidate.schedule, candidate.horizon, request_.most_work});
      asked.push_back(&launched);
    }
    observer_.runner->run(
        tasks,
        [&](std::size_t k, DesignRun run) {
          asked[k]->candidate.run = {std::move(run)};
          end(*asked[k]);
        },
        searched_.stop);
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

  void keep(Candidate candidate, bool is_known) {
    Design design{std::move(candidate.schedule),
                  std::move(candidate.run.point),
                  {},
                  candidate.parent,
                  std::move(candidate.run.bound)};
    if (!request_.traces) design.gaps = withinBound(design.point, result_.bounds);
    if (result_.designs.empty()) design.parent.reset();
    if (observer_.store) observer_.store->add(candidate.prepared->graph, design, is_known);
    result_.reused += is_known;
    add(std::move(design));
  }

  /// It was not simulated to its end; something better may begin with it.
  void keepBounded(Candidate candidate) {
    std::optional<std::size_t> parent = candidate.parent;
    if (result_.designs.empty()) parent.reset();
    DesignPoint point = candidate.prepared->bounds;
    if (point.cause.empty()) point.cause = whyBounded(candidate.run.end);
    add({std::move(candidate.schedule), std::move(point), {}, parent});
  }

  void add(Design design) {
    if (observer_.design) {
      const std::scoped_lock lock(telling_);
      observer_.design(design);
    }
    result_.designs.push_back(std::move(design));
  }

  void finish() {
    const Standing& standing = decisions_.standing();
    result_.frontier = standing.frontier();
    const RelativeHypervolume whole = standing.volume();
    if (!result_.frontier.empty()) {
      result_.hypervolume = whole.share;
      result_.reference = whole.reference;
      result_.progress = standing.progress(whole.reference);
    }
    result_.cancelled = asked_to_stop_.stop_requested();
    result_.remarks = remarksOn(request_, result_);
    result_.wall_seconds = seconds();
  }

  const DesignRequest& request_;
  Executor& executor_;
  const DesignObserver& observer_;
  const std::stop_token asked_to_stop_;
  TimeLimit limit_;
  const SearchedProgram searched_;  ///< stops also when the time is over
  const bool alone_;  ///< runs are not of threads_, as traces or other processes are side by side
  SearchThreads threads_;
  FoundAhead found_;
  DesignWork work_;
  const Clock::time_point start_ = Clock::now();
  Decisions decisions_;
  std::deque<Launched> launched_;  ///< what runs, in the order in which it is taken
  bool begun_ = false, nothing_left_ = false;
  std::stop_source ahead_;    ///< of what is done ahead of the round to come
  bool looks_ahead_ = false;  ///< somebody does that, or has
  RunsAhead runs_ahead_;
  std::mutex telling_;    ///< of the observer, and of:
  DesignProgress shown_;  ///< as it was when a run was taken
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

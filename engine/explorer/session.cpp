#include "engine/explorer/session.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <utility>

#include "engine/core/stopwatch.h"
#include "engine/core/task_lane.h"
#include "engine/explorer/given_inputs.h"
#include "engine/explorer/metrics/statistic.h"
#include "engine/explorer/precheck.h"
#include "engine/explorer/store/sqlite_point_store.h"

namespace sluice::inline explorer {
namespace {

enum class Kind : std::size_t { Point, Explore };

Generation generationOf(const SessionEvent& event) {
  return std::visit([](const auto& e) { return e.generation; }, event);
}

/// Joins `event` to the last one that waits, if the window would draw the two at once anyway.
bool joined(SessionEvent& last, SessionEvent& event) {
  if (std::holds_alternative<PointProgress>(last) && std::holds_alternative<PointProgress>(event)) {
    last = event;
    return true;
  }
  auto* points = std::get_if<ExplorePoints>(&last);
  auto* more = std::get_if<ExplorePoints>(&event);
  if (!points || !more) return false;
  for (auto& point : more->points) points->points.push_back(std::move(point));
  points->progress = more->progress;
  return true;
}

/// What waits for the window. It alone decides which generation of a kind is wanted, under one lock, so that
/// an event of an older one can neither enter nor stay.
class Outbox {
 public:
  explicit Outbox(std::function<void()> arrived) : arrived_(std::move(arrived)) {}

  void want(Kind kind, Generation generation) {
    const std::lock_guard lock(mutex_);
    wanted_[static_cast<std::size_t>(kind)] = generation;
    std::erase_if(events_, [&](const auto& waiting) { return waiting.first == kind; });
  }

  void push(Kind kind, SessionEvent event) {
    // Told without the lock: who hears of it may drain at once.
    if (add(kind, std::move(event)) && arrived_) arrived_();
  }

  std::vector<SessionEvent> drain() {
    std::deque<std::pair<Kind, SessionEvent>> taken;
    {
      const std::lock_guard lock(mutex_);
      taken.swap(events_);
    }
    std::vector<SessionEvent> events;
    events.reserve(taken.size());
    for (auto& [kind, event] : taken) events.push_back(std::move(event));
    return events;
  }

 private:
  /// Whether it is the first that waits.
  bool add(Kind kind, SessionEvent event) {
    const std::lock_guard lock(mutex_);
    if (generationOf(event) != wanted_[static_cast<std::size_t>(kind)]) return false;
    for (auto waiting = events_.rbegin(); waiting != events_.rend(); ++waiting) {
      if (waiting->first != kind) continue;
      if (joined(waiting->second, event)) return false;
      break;
    }
    events_.emplace_back(kind, std::move(event));
    return events_.size() == 1;
  }

  const std::function<void()> arrived_;
  std::mutex mutex_;
  std::deque<std::pair<Kind, SessionEvent>> events_;
  std::array<Generation, 2> wanted_{};
};

ExploreOptions optionsOf(const SearchRequest& search) {
  ExploreOptions options;
  options.strategy = search.strategy;
  options.objectives = search.objectives;
  options.budget = search.budget;
  options.seed = search.seed;
  options.fidelity = search.fidelity;
  options.fixed = search.fixed;
  options.constraints = search.constraints;
  options.warm_start = search.warm_start;
  return options;
}

Diagnostics checkStore(const SearchRequest& search) {
  if (!search.store.empty() || (!search.resume && !search.warm_start)) return {};
  return {error("missing-option", "store", "there is none to take points from", "name a result store")};
}

/// The store that a search names; null where it names none. Sets that of the options.
Result<std::unique_ptr<SqlitePointStore>> storeOf(const ExploreRequest& request, ExplorationBackend* backend,
                                                  ExploreOptions& options, std::stop_source trouble) {
  const SearchRequest& search = request.search;
  if (search.store.empty()) return std::unique_ptr<SqlitePointStore>();
  ExplorationRecord record = recordOf(*request.workload, options, search.file);
  if (backend) record = backend->record(std::move(record));
  SLUICE_TRY(auto store,
             SqlitePointStore::open(search.store, std::move(record), search.resume, std::move(trouble)));
  options.store = store.get();
  if (backend) {
    SLUICE_TRY(options.store, backend->keep(search.store, *store, search.resume));
  }
  return store;
}

std::optional<Diagnostic> checkStatistics(const SearchRequest& search) {
  std::vector<std::string> names = search.objectives;
  for (const Constraint& constraint : search.constraints) names.push_back(constraint.metric);
  return statisticOfOneTrace(names);
}

}  // namespace

Diagnostics checkSearch(const Document& document, const SearchRequest& search, bool over_traces) {
  if (Diagnostics wrong = checkStore(search); !wrong.empty()) return wrong;
  if (!over_traces)
    if (auto wrong = checkStatistics(search)) return {*std::move(wrong)};
  return checkExploration(document, optionsOf(search));
}

struct Session::Impl {
  Impl(unsigned threads, std::function<void()> arrived)
      : executor(makeExecutor(threads)), outbox(std::move(arrived)) {}

  template <class Failed, class Request>
  Generation submit(Kind kind, Request request,
                    void (Impl::*work)(Generation, const Request&, const std::stop_token&)) {
    const Generation generation = ++newest;
    outbox.want(kind, generation);
    lane(kind).ask([this, generation, work, request = std::move(request)](
                       const std::stop_token& stop) { (this->*work)(generation, request, stop); },
                   [this, kind, generation](const Diagnostic& why) {
                     outbox.push(kind, Failed{generation, {why}});
                   });
    return generation;
  }

  void cancel(Kind kind) {
    outbox.want(kind, 0);
    lane(kind).forget();
  }

  void workOnPoint(Generation generation, const PointRequest& request, const std::stop_token& stop) {
    const auto tell = [&](SessionEvent event) { outbox.push(Kind::Point, std::move(event)); };
    Result<SymbolicResult> symbolic = evaluateSymbolic(*request.workload, request.knobs, {}, stop);
    if (stop.stop_requested()) return;
    if (!symbolic) return tell(PointFailed{generation, symbolic.diagnostics()});
    for (Diagnostic& certain : precheck(*request.workload, *symbolic, stop))
      symbolic->warnings.push_back(std::move(certain));
    const auto traces = request.traces ? std::span(request.traces->traces) : std::span<const TraceMember>();
    for (Diagnostic& unfit : checkInputs(*request.workload, traces, request.knobs))
      symbolic->warnings.push_back(std::move(unfit));
    const auto shared = std::make_shared<const SymbolicResult>(*std::move(symbolic));
    tell(SymbolicReady{generation, request.knobs, shared});
    if (stop.stop_requested()) return;
    const auto progress = [&, start = Clock::now()](double fraction, Cycles cycle) {
      const double spent = secondsSince(start);
      const bool known = fraction > 0.01 && fraction < guess_holds && spent > 0.05;
      const double left = known ? spent * (1 - fraction) / fraction : -1;
      tell(PointProgress{generation, fraction, cycle, spent, left});
    };
    PointResult result =
        simulatePoint(*request.workload, request.knobs, *shared, request.mode, stop, progress);
    tell(PointReady{generation, std::make_shared<const PointResult>(std::move(result))});
  }

  void workOnExplore(Generation generation, const ExploreRequest& request, const std::stop_token& stop) {
    Result<Exploration> result = exploration(generation, request, stop);
    if (!result) return outbox.push(Kind::Explore, ExploreFailed{generation, result.diagnostics()});
    outbox.push(Kind::Explore,
                ExploreReady{generation, std::make_shared<const Exploration>(*std::move(result))});
  }

  /// When it is over the store is closed: who hears of that may want to open it.
  Result<Exploration> exploration(Generation generation, const ExploreRequest& request,
                                  const std::stop_token& stop) {
    // Before a store lists an exploration that will be none.
    if (Diagnostics wrong = checkSearch(request.workload->document, request.search, bool{request.backend});
        !wrong.empty())
      return wrong;
    std::stop_source stopped;  // by the window, or by a store that takes no more
    const std::stop_callback on_stop(stop, [&stopped] { stopped.request_stop(); });
    ExploreOptions options = optionsOf(request.search);
    options.stop = stopped.get_token();
    std::unique_ptr<ExplorationBackend> backend;
    if (request.backend) {
      SLUICE_TRY(backend, request.backend(options, *executor));
    }
    SLUICE_TRY(const std::unique_ptr<SqlitePointStore> store,
               storeOf(request, backend.get(), options, stopped));
    options.on_point = [&](std::uint64_t index, const DesignPoint& point, const ExploreProgress& progress) {
      outbox.push(Kind::Explore, ExplorePoints{generation, {{index, point}}, progress});
    };
    Result<Exploration> result = backend ? explore(*request.workload, backend->evaluator(), options)
                                         : explore(*request.workload, *executor, options);
    if (backend && !backend->trouble().empty()) return backend->trouble();
    if (store) SLUICE_CHECK(store->finish());
    return result;
  }

  TaskLane& lane(Kind kind) { return lanes[static_cast<std::size_t>(kind)]; }

  std::unique_ptr<Executor> executor;
  Outbox outbox;
  std::atomic<Generation> newest{0};
  std::array<TaskLane, 2> lanes;  ///< last: they use all of the above
};

Session::Session(unsigned threads, std::function<void()> arrived)
    : impl_(std::make_unique<Impl>(threads, std::move(arrived))) {}

Session::~Session() {
  cancelPoint();  // both before either is joined
  cancelExplore();
}

Generation Session::submit(PointRequest request) {
  return impl_->submit<PointFailed>(Kind::Point, std::move(request), &Impl::workOnPoint);
}

Generation Session::submit(ExploreRequest request) {
  return impl_->submit<ExploreFailed>(Kind::Explore, std::move(request), &Impl::workOnExplore);
}

void Session::cancelPoint() {
  impl_->cancel(Kind::Point);
}

void Session::cancelExplore() {
  impl_->cancel(Kind::Explore);
}

bool Session::pointRunning() const {
  return impl_->lane(Kind::Point).wanted();
}
bool Session::exploreRunning() const {
  return impl_->lane(Kind::Explore).wanted();
}

std::vector<SessionEvent> Session::drain() {
  return impl_->outbox.drain();
}

}  // namespace sluice::inline explorer

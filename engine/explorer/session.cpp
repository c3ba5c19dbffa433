#include "engine/explorer/session.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "engine/core/internal_error.h"
#include "engine/explorer/precheck.h"
#include "engine/explorer/store/store_journal.h"

namespace sluice {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

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
  void want(Kind kind, Generation generation) {
    const std::lock_guard lock(mutex_);
    wanted_[static_cast<std::size_t>(kind)] = generation;
    std::erase_if(events_, [&](const auto& waiting) { return waiting.first == kind; });
  }

  void push(Kind kind, SessionEvent event) {
    const std::lock_guard lock(mutex_);
    if (generationOf(event) != wanted_[static_cast<std::size_t>(kind)]) return;
    for (auto waiting = events_.rbegin(); waiting != events_.rend(); ++waiting) {
      if (waiting->first != kind) continue;
      if (joined(waiting->second, event)) return;
      break;
    }
    events_.emplace_back(kind, std::move(event));
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
  std::mutex mutex_;
  std::deque<std::pair<Kind, SessionEvent>> events_;
  std::array<Generation, 2> wanted_{};
};

/// A thread that works on the newest request of one kind and drops older ones.
template <class Request>
class Lane {
 public:
  using Work = std::function<void(Generation, const Request&, std::stop_token)>;

  explicit Lane(Work work) : work_(std::move(work)), thread_([this](std::stop_token stop) { loop(stop); }) {}
  ~Lane() { cancel(); }

  void submit(Generation generation, Request request) {
    const std::lock_guard lock(mutex_);
    working_.request_stop();
    pending_.emplace(generation, std::move(request));
    wanted_ = generation;
    wake_.notify_one();
  }

  void cancel() {
    const std::lock_guard lock(mutex_);
    working_.request_stop();
    pending_.reset();
    wanted_ = 0;
  }

  bool running() const {
    const std::lock_guard lock(mutex_);
    return wanted_ != 0;
  }

 private:
  void loop(std::stop_token quit) {
    std::unique_lock lock(mutex_);
    while (wake_.wait(lock, quit, [&] { return pending_.has_value(); })) {
      const auto [generation, request] = *std::exchange(pending_, std::nullopt);
      working_ = std::stop_source();
      const std::stop_token stop = working_.get_token();
      lock.unlock();
      work_(generation, request, stop);
      lock.lock();
      if (wanted_ == generation) wanted_ = 0;
    }
  }

  Work work_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::stop_source working_;
  std::optional<std::pair<Generation, Request>> pending_;
  Generation wanted_ = 0;  ///< 0: nothing is asked for, or it is done
  std::jthread thread_;    ///< last: it uses all of the above
};

ExploreOptions optionsOf(const SearchRequest& search) {
  ExploreOptions options;
  options.strategy = search.strategy;
  options.objectives = search.objectives;
  options.budget = search.budget;
  options.seed = search.seed;
  options.level = search.level;
  options.constraints = search.constraints;
  options.warm_start = search.warm_start;
  return options;
}

Diagnostics checkStore(const SearchRequest& search) {
  if (!search.store.empty() || (!search.resume && !search.warm_start)) return {};
  return {error("missing-option", "store", "there is none to take points from", "name a result store")};
}

/// The journal of a search that names a store; null for one that does not.
Result<std::unique_ptr<StoreJournal>> journalOf(const Workload& workload, const SearchRequest& search,
                                                const ExploreOptions& options, std::stop_source trouble) {
  if (search.store.empty()) return std::unique_ptr<StoreJournal>();
  return StoreJournal::open(search.store, recordOf(workload, options, search.file), search.resume,
                            std::move(trouble));
}

}  // namespace

Diagnostics checkSearch(const Document& document, const SearchRequest& search) {
  if (Diagnostics wrong = checkStore(search); !wrong.empty()) return wrong;
  return checkExploration(document, optionsOf(search));
}

struct Session::Impl {
  explicit Impl(unsigned threads) : executor(makeExecutor(threads)) {}

  void workOnPoint(Generation generation, const PointRequest& request, const std::stop_token& stop) {
    const auto fail = [&](Diagnostics diagnostics) {
      outbox.push(Kind::Point, PointFailed{generation, std::move(diagnostics)});
    };
    try {
      Result<SymbolicResult> symbolic = evaluateSymbolic(*request.workload, request.knobs, {}, stop);
      if (stop.stop_requested()) return;
      if (!symbolic) return fail(symbolic.diagnostics());
      symbolic->warnings = precheck(*request.workload, *symbolic, stop);
      const auto shared = std::make_shared<const SymbolicResult>(*std::move(symbolic));
      outbox.push(Kind::Point, SymbolicReady{generation, request.knobs, shared});
      if (stop.stop_requested()) return;
      const auto progress = [&, start = Clock::now()](double fraction, Cycles cycle) {
        const double spent = secondsSince(start);
        const bool known = fraction > 0.01 && fraction < guess_holds && spent > 0.05;
        const double left = known ? spent * (1 - fraction) / fraction : -1;
        outbox.push(Kind::Point, PointProgress{generation, fraction, cycle, spent, left});
      };
      PointResult result =
          simulatePoint(*request.workload, request.knobs, *shared, request.mode, stop, progress);
      outbox.push(Kind::Point,
                  PointReady{generation, std::make_shared<const PointResult>(std::move(result))});
    } catch (...) {  // must not take the window down with it
      fail({internalError(std::current_exception())});
    }
  }

  void workOnExplore(Generation generation, const ExploreRequest& request, const std::stop_token& stop) {
    const auto fail = [&](Diagnostics diagnostics) {
      outbox.push(Kind::Explore, ExploreFailed{generation, std::move(diagnostics)});
    };
    try {
      // Before a store lists an exploration that will be none.
      Diagnostics wrong = checkSearch(request.workload->document, request.search);
      if (!wrong.empty()) return fail(std::move(wrong));
      std::stop_source stopped;  // by the window, or by a store that takes no more
      const std::stop_callback on_stop(stop, [&stopped] { stopped.request_stop(); });
      ExploreOptions options = optionsOf(request.search);
      options.stop = stopped.get_token();
      Result<std::unique_ptr<StoreJournal>> journal =
          journalOf(*request.workload, request.search, options, stopped);
      if (!journal) return fail(journal.diagnostics());
      options.journal = journal->get();
      options.on_point = [&](std::uint64_t index, const DesignPoint& point, const ExploreProgress& progress) {
        outbox.push(Kind::Explore, ExplorePoints{generation, {{index, point}}, progress});
      };
      Result<Exploration> result = explore(*request.workload, *executor, options);
      const Result<Done> stored = *journal ? (*journal)->finish() : Result<Done>(Done{});
      journal->reset();  // who hears that it is done may want to open the store
      if (!stored) return fail(stored.diagnostics());
      if (!result) return fail(result.diagnostics());
      outbox.push(Kind::Explore,
                  ExploreReady{generation, std::make_shared<const Exploration>(*std::move(result))});
    } catch (...) {  // must not take the window down with it
      fail({internalError(std::current_exception())});
    }
  }

  std::unique_ptr<Executor> executor;
  Outbox outbox;
  std::atomic<Generation> newest{0};
  Lane<PointRequest> point_lane{
      [this](Generation g, const PointRequest& r, const std::stop_token& s) { workOnPoint(g, r, s); }};
  Lane<ExploreRequest> explore_lane{
      [this](Generation g, const ExploreRequest& r, const std::stop_token& s) { workOnExplore(g, r, s); }};
};

Session::Session(unsigned threads) : impl_(std::make_unique<Impl>(threads)) {}

Session::~Session() {
  cancelPoint();  // both before either is joined
  cancelExplore();
}

Generation Session::submit(PointRequest request) {
  const Generation generation = ++impl_->newest;
  impl_->outbox.want(Kind::Point, generation);
  impl_->point_lane.submit(generation, std::move(request));
  return generation;
}

Generation Session::submit(ExploreRequest request) {
  const Generation generation = ++impl_->newest;
  impl_->outbox.want(Kind::Explore, generation);
  impl_->explore_lane.submit(generation, std::move(request));
  return generation;
}

void Session::cancelPoint() {
  impl_->outbox.want(Kind::Point, 0);
  impl_->point_lane.cancel();
}

void Session::cancelExplore() {
  impl_->outbox.want(Kind::Explore, 0);
  impl_->explore_lane.cancel();
}

bool Session::pointRunning() const {
  return impl_->point_lane.running();
}
bool Session::exploreRunning() const {
  return impl_->explore_lane.running();
}

std::vector<SessionEvent> Session::drain() {
  return impl_->outbox.drain();
}

}  // namespace sluice

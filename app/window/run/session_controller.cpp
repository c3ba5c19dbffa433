#include "app/window/run/session_controller.h"

#include "engine/core/stopwatch.h"
#include "engine/distributions/set_search.h"
#include "engine/program/elaborate.h"

namespace sluice::ui {
namespace {

constexpr int submit_delay = 0;  // ms: several edits of one event belong together
constexpr int frame = 16;        // ms: explored points come faster than they can be shown

/// Evaluates every point under every trace; `table` sees the samples, `on_run` is that of SetOptions.
BackendMaker overTraces(std::shared_ptr<const WorkloadSet> traces, double precision,
                        std::shared_ptr<SampleTable> table,
                        std::function<void(std::uint64_t, std::uint64_t)> on_run) {
  return [traces, precision, table, on_run](
             ExploreOptions& options, Executor& executor) -> Result<std::unique_ptr<ExplorationBackend>> {
    SamplingPrecision wanted;
    wanted.relative = precision;
    SLUICE_TRY(std::unique_ptr<SetSearch> search, SetSearch::begin(*traces, executor, wanted, options));
    search->showSpreads(table);
    search->options().on_run = on_run;
    return std::unique_ptr<ExplorationBackend>(std::move(search));
  };
}

}  // namespace

struct SessionController::Prepared {
  Diagnostics checked;
  std::shared_ptr<const Workload> workload;
  std::shared_ptr<const WorkloadSet> traces = {};
};

SessionController::SessionController(unsigned threads, QObject* parent)
    : QObject(parent), session_(threads, [this] {
        // By a thread of the session, which ends before this object does.
        QMetaObject::invokeMethod(this, &SessionController::onArrival, Qt::QueuedConnection);
      }) {
  submit_timer_.setSingleShot(true);
  submit_timer_.setInterval(submit_delay);
  drain_timer_.setSingleShot(true);
  drain_timer_.setInterval(frame);
  connect(&preparer_, &BackgroundWork::failed, this, [this](const Diagnostic& why) {
    adopt({{why}, nullptr});
  });
  connect(&submit_timer_, &QTimer::timeout, this, &SessionController::submitPoint);
  connect(&drain_timer_, &QTimer::timeout, this, &SessionController::drain);
}

bool SessionController::idle() const {
  return !preparing_ && !submit_timer_.isActive() && !pointing_ && !exploring_;
}

void SessionController::setDocument(const Document& document, const std::filesystem::path& folder,
                                    const KnobValues& knobs) {
  // Loading inputs is the slow part; they, and the technology, are taken over as long as the document asks
  // for the same.
  const bool same_inputs = workload_ && folder == folder_ && workload_->document.inputs == document.inputs &&
                           workload_->document.machine.technology == document.machine.technology;
  const std::shared_ptr<const Workload> previous = same_inputs ? workload_ : nullptr;
  const std::shared_ptr<const WorkloadSet> traces = same_inputs ? traces_ : nullptr;
  knobs_ = knobs;
  folder_ = folder;
  preparing_ = submit_when_prepared_ = true;
  session_.cancelPoint();  // it is of another program than the one to be shown
  pointing_.reset();
  if (exploring_) {
    session_.cancelExplore();
    exploring_.reset();
    emit cancelled();
  }
  emit pointStarted();
  preparer_.ask([this, document, folder, previous, traces](const std::stop_token&) -> BackgroundWork::Answer {
    Prepared prepared{check(document, builtInCatalog()), nullptr};
    if (previous) {
      prepared.workload = std::make_shared<const Workload>(
          Workload{document, previous->inputs, previous->technology, previous->files});
      prepared.traces = traces;
    } else if (Result<WorkloadSet> made = makeWorkloadSet(document, folder)) {
      prepared.workload = made->workload;
      if (!made->empty()) prepared.traces = std::make_shared<const WorkloadSet>(*std::move(made));
    } else {
      const Diagnostics& why = made.diagnostics();
      prepared.checked.insert(prepared.checked.end(), why.begin(), why.end());
    }
    if (prepared.traces) {
      const Diagnostics& left_out = prepared.traces->left_out;
      prepared.checked.insert(prepared.checked.end(), left_out.begin(), left_out.end());
    }
    return [this, prepared] { adopt(prepared); };
  });
}

void SessionController::adopt(const Prepared& prepared) {
  preparing_ = false;
  workload_ = prepared.workload;
  traces_ = prepared.traces;
  emit documentChecked(prepared.checked);
  if (!workload_) {
    session_.cancelPoint();
    pointing_.reset();
    explore_when_prepared_ = false;
    emit pointFailed({});
    return;
  }
  if (std::exchange(submit_when_prepared_, false)) submitPoint();
  if (std::exchange(explore_when_prepared_, false)) submitExplore();
}

/// The traces are copied for a document that differs in other things only when somebody asks for them.
std::shared_ptr<const WorkloadSet> SessionController::traces() {
  if (traces_ && workload_ && traces_->workload != workload_)
    traces_ = std::make_shared<const WorkloadSet>(
        WorkloadSet{workload_, traces_->traces, traces_->chosen, traces_->left_out, traces_->sources});
  return workload_ ? traces_ : nullptr;
}

void SessionController::setKnobs(const KnobValues& knobs) {
  knobs_ = knobs;
  submit_when_prepared_ = preparing_;
  emit pointStarted();
  // Not restarted by further changes: while a slider is dragged, answers keep coming.
  if (!submit_timer_.isActive()) submit_timer_.start();
}

void SessionController::setRecordTimeline(bool record) {
  const bool more = record && mode_ != RecordMode::Timeline;
  mode_ = record ? RecordMode::Timeline : RecordMode::Record;
  if (more && workload_) setKnobs(knobs_);
}

void SessionController::submitPoint() {
  if (!workload_ || preparing_) return;
  pointing_ = session_.submit(PointRequest{workload_, knobs_, mode_, traces_});
}

void SessionController::explore(const std::optional<SearchRequest>& search) {
  search_ = search;
  if (preparing_) {
    explore_when_prepared_ = true;
  } else if (workload_) {
    submitExplore();
  }
}

void SessionController::submitExplore() {
  ExploreRequest request{workload_, search_.value_or(SearchRequest{})};
  samples_.reset();
  if (const auto set = traces()) {
    const auto table = std::make_shared<SampleTable>();
    samples_ = table;
    request.backend = overTraces(set, request.search.precision, table, tellingRuns());
  }
  exploring_ = session_.submit(std::move(request));
  emit exploreStarted();
}

/// Called by threads of the session, one at a time, for the exploration that samples_ belong to.
std::function<void(std::uint64_t, std::uint64_t)> SessionController::tellingRuns() {
  constexpr double often = 0.1,
                   soon = 0.5;  // seconds between reports; until how long it takes can be guessed
  return [this, of = samples_, start = Clock::now(), told = 0.0](std::uint64_t runs,
                                                                 std::uint64_t all) mutable {
    const double spent = secondsSince(start);
    if (spent < told + often) return;
    told = spent;
    const double left =
        spent < soon || all < runs ? -1 : spent * static_cast<double>(all - runs) / static_cast<double>(runs);
    QMetaObject::invokeMethod(this, [this, of, progress = ExploreProgress{runs, all, spent, left}] {
      if (exploring_ && samples_ == of) emit runsExplored(progress);
    });
  };
}

void SessionController::cancel() {
  session_.cancelPoint();
  session_.cancelExplore();
  submit_timer_.stop();
  submit_when_prepared_ = explore_when_prepared_ = false;
  pointing_.reset();
  exploring_.reset();
  emit cancelled();
}

void SessionController::close() {
  preparer_.forget();
  preparing_ = false;
  workload_.reset();
  traces_.reset();
  samples_.reset();
  cancel();
}

/// A point is shown at once: somebody waits for it. While a space is explored, once a frame.
void SessionController::onArrival() {
  if (!exploring_) return drain();
  if (!drain_timer_.isActive()) drain_timer_.start();
}

void SessionController::drain() {
  for (const SessionEvent& event : session_.drain()) {
    std::visit([this](const auto& each) { handle(each); }, event);
  }
}

// The session leaves out what is superseded when it drains; a slot called by an earlier event of the same
// batch may have submitted since, so the generation is compared once more.

void SessionController::handle(const SymbolicReady& event) {
  if (event.generation == pointing_) emit symbolicReady(event.result);
}

void SessionController::handle(const PointProgress& event) {
  if (event.generation == pointing_) emit pointProgress(event);
}

void SessionController::handle(const PointReady& event) {
  if (event.generation != pointing_) return;
  pointing_.reset();
  emit pointReady(event.result);
}

void SessionController::handle(const PointFailed& event) {
  if (event.generation != pointing_) return;
  pointing_.reset();
  emit pointFailed(event.diagnostics);
}

void SessionController::handle(const ExplorePoints& event) {
  if (event.generation != exploring_) return;
  std::vector<DesignPoint> points;
  points.reserve(event.points.size());
  for (const auto& [index, point] : event.points) points.push_back(point);
  emit pointsExplored(points, event.progress);
}

void SessionController::handle(const ExploreReady& event) {
  if (event.generation != exploring_) return;
  exploring_.reset();
  emit exploreReady(event.result);
}

void SessionController::handle(const ExploreFailed& event) {
  if (event.generation != exploring_) return;
  exploring_.reset();
  emit exploreFailed(event.diagnostics);
}

}  // namespace sluice::ui

#include "app/window/explore/distribution_controller.h"

#include <QMainWindow>
#include <QTabWidget>
#include <atomic>

#include "app/window/document/document_controller.h"
#include "app/window/run/results_view.h"
#include "app/window/run/session_controller.h"
#include "engine/distributions/trace_evaluator.h"
#include "engine/explorer/metrics/registry.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/distributions/distribution_panel.h"
#include "widgets/plots/occupancy_traces.h"

namespace sluice::ui {
namespace {

constexpr int refresh_period = 300;  // ms

/// Metrics of the frontier: what a search was for, without its statistics.
std::vector<const MetricSpec*> objectivesOf(const SessionController& session) {
  const std::vector<std::string> names =
      session.search() ? session.search()->objectives : defaultObjectives();
  std::vector<const MetricSpec*> objectives;
  for (const std::string& name : names) {
    const MetricSpec* metric = findMetric(name);
    if (const auto statistic = metric ? statisticOf(*metric) : std::nullopt) metric = statistic->of;
    if (metric && std::ranges::find(objectives, metric) == objectives.end()) objectives.push_back(metric);
  }
  return objectives;
}

}  // namespace

DistributionController::DistributionController(const WindowContext& context)
    : QObject(context.window), context_(context), panel_(new DistributionPanel), executor_(makeExecutor()) {
  refresh_.setSingleShot(true);
  refresh_.setInterval(refresh_period);
  connect(&refresh_, &QTimer::timeout, this, &DistributionController::takeExplored);
  const SessionController* session = context_.session;
  connect(session, &SessionController::exploreStarted, this, &DistributionController::takeExplored);
  connect(session, &SessionController::pointsExplored, this, [this] {
    if (!refresh_.isActive()) refresh_.start();
  });
  connect(session, &SessionController::exploreReady, this, &DistributionController::takeExplored);
  connect(context_.results, &ResultsView::pointShown, this, &DistributionController::follow);
  connect(context_.results, &ResultsView::staleChanged, panel_, &DistributionPanel::setStale);
  connect(panel_, &DistributionPanel::pageChanged, this, &DistributionController::showFifos);
}

void DistributionController::setWanted(bool wanted) {
  wanted_ = wanted;
  if (wanted) follow();
}

/// Another program, or another design of it.
void DistributionController::follow() {
  const std::shared_ptr<const WorkloadSet> set = context_.session->traces();
  const bool opened = set && !data_.set, closed = !set && data_.set;
  if (set != data_.set) {
    data_ = {};
    data_.set = set;
    sampled_.reset();
    panel_->setData(data_);
  }
  if (opened) emit setOpened();
  if (closed) emit setClosed();
  if (!wanted_ || !set) return;
  evaluateShown();
  showFifos();
}

void DistributionController::evaluateShown() {
  const std::shared_ptr<const PointResult>& point = context_.results->point();
  if (!point || point == sampled_) return;
  sampled_ = point;
  data_.knobs = point->point.knobs;
  data_.samples.reset();
  for (const SampledDesign& design : data_.explored)
    if (design.knobs == data_.knobs) data_.samples = design.samples;
  panel_->setData(data_);
  if (data_.samples) return work_.forget();
  const QString all = exactNumber(data_.set->traces.size());
  work_.ask([this, set = data_.set, knobs = data_.knobs,
             all](const std::stop_token& stop) -> BackgroundWork::Answer {
    std::atomic<std::uint64_t> told = 0;
    const auto on_run = [&](std::uint64_t runs, std::uint64_t) {
      if (runs < told + 50) return;
      told = runs;
      QMetaObject::invokeMethod(panel_, [this, runs, all] {
        if (!work_.idle()) panel_->setProgress(tr("%1 of %2 traces").arg(exactNumber(runs), all));
      });
    };
    const auto samples = samplesOf(*set, knobs, *executor_, stop, on_run);
    return [this, knobs, samples] {
      panel_->setProgress({});
      if (knobs != data_.knobs || !samples || !*samples) return;
      data_.samples = *samples;
      panel_->setData(data_);
      showFifos();
    };
  });
}

void DistributionController::takeExplored() {
  data_.explored.clear();
  if (const auto table = context_.session->samples())
    for (auto& [knobs, samples] : table->all()) data_.explored.push_back({knobs, samples});
  data_.objectives = objectivesOf(*context_.session);
  if (data_.set) panel_->setData(data_);
}

/// With the page in front: recording a run costs more than counting it.
void DistributionController::showFifos() {
  const std::shared_ptr<const PointResult>& point = context_.results->point();
  const bool seen = panel_->tabs()->currentWidget() == panel_->fifos();
  if (!wanted_ || !seen || !point || !data_.samples || point == banded_) return;
  banded_ = point;
  panel_->setFifos(*point, {});
  std::vector<std::string> streams;
  for (const OccupancyTrace& trace : fullestTraces(*point)) streams.push_back(trace.name.toStdString());
  const Cycles end = std::max(point->simulation.cycles, longestRun(*data_.samples));
  fifo_work_.ask(
      [this, point, streams, end, set = data_.set](const std::stop_token& stop) -> BackgroundWork::Answer {
        auto bands = occupancyBands(*set, point->point.knobs, streams, end, *executor_, stop);
        return [this, point, found = std::move(bands)] {
          if (point == banded_ && found) panel_->setFifos(*point, *found);
        };
      });
}

}  // namespace sluice::ui

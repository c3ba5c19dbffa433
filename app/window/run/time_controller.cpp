#include "app/window/run/time_controller.h"

#include <QAction>
#include <QMainWindow>
#include <algorithm>
#include <array>

#include "app/window/document/document_controller.h"
#include "app/window/run/results_view.h"
#include "app/window/shell/commands.h"
#include "engine/core/atomic_file.h"
#include "engine/interchange/chrome_trace.h"
#include "engine/interchange/vcd.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/trust_line.h"
#include "widgets/plots/occupancy_plot.h"
#include "widgets/timeline/time_cursor.h"
#include "widgets/timeline/timeline_panel.h"

namespace sluice::ui {

namespace {

TimelineRun runOf(const std::shared_ptr<const PointResult>& point) {
  if (!point || !point->simulation.timeline) return {};
  return {std::shared_ptr<const FlatGraph>(point, &point->symbolic.graph), point->simulation.timeline};
}

}  // namespace

TimeController::TimeController(const WindowContext& context)
    : QObject(context.window), context_(context), cursor_(new TimeCursor(this)) {
  addCommands();
  QList<QAction*> bar;
  for (const char* id :
       {"time.play", "time.previous", "time.next", "time.zoomIn", "time.zoomOut", "time.fit"})
    bar << context_.commands->action(QString::fromLatin1(id));
  panel_ = new TimelinePanel(cursor_, bar);
  for (const char* id : {"time.stepBack", "time.stepOn", "time.first", "time.last", "time.clear"})
    panel_->addAction(context_.commands->action(QString::fromLatin1(id)));
  connect(&work_, &BackgroundWork::failed, this, [this] { attributed_ = attributing_; });
  connect(context_.results, &ResultsView::pointShown, this, &TimeController::showPoint);
  connect(context_.results, &ResultsView::trustShown, panel_->view(),
          [view = panel_->view()](const QString& trust) { setTrust(*view, trust); });
  connect(context_.results, &ResultsView::staleChanged, panel_, &TimelinePanel::setStale);
  connect(context_.results, &ResultsView::selectionShown, this,
          [this](const QString& node, const QString& stream) {
            node_ = node, stream_ = stream;
            showSelection();
          });
  connect(context_.documents, &DocumentController::opened, this, [this] {
    wanted_.reset();  // a moment is of its own run
    cursor_->clear();
  });
  connect(cursor_, &TimeCursor::cycleChanged, this, &TimeController::showTime);
  connect(panel_->stallModel(), &StallModel::victimsWanted, this, &TimeController::findVictims);
  connect(context_.occupancy, &OccupancyPlot::cycleChosen, cursor_, &TimeCursor::setCycle);
  connect(panel_->view(), &TimelineView::nodeSelected, this, [this](const QString& path) {
    if (context_.results->shownFromPoint().nodes.contains(path.toStdString())) emit nodeSelected(path);
  });
  connect(panel_->view(), &TimelineView::streamSelected, this, [this](const QString& origin) {
    if (context_.results->shownFromPoint().streams.contains(origin.toStdString()))
      emit streamSelected(origin);
  });
  showPoint();
}

void TimeController::addCommands() {
  const auto on = [&](const Command& command, const std::function<void()>& run) {
    return context_.commands->add(command, this, run);
  };
  QAction* play = on({"time.play", "T&ime", "&Play the Run", "Space", "Let time go by in every view, or stop",
                      "", false, "", true},
                     [this] { cursor_->setPlaying(!cursor_->isPlaying()); });
  on({"time.previous", "T&ime", "Pre&vious Event", "Left", "Go back to where the selection changed last", "",
      false, "", true},
     [this] { panel_->view()->goToPreviousEvent(); });
  on({"time.next", "T&ime", "&Next Event", "Right", "Go to where the selection changes next", "", false, "",
      true},
     [this] { panel_->view()->goToNextEvent(); });
  on({"time.stepBack", "T&ime", "One Cycle Bac&k", "Shift+Left", "Go one cycle back", "", false, "", true},
     [this] { cursor_->setCycle(std::max<qint64>(0, cursor_->cycle().value_or(0) - 1)); });
  on({"time.stepOn", "T&ime", "One Cycle F&orward", "Shift+Right", "Go one cycle forward", "", false, "",
      true},
     [this] { cursor_->setCycle(cursor_->cycle().value_or(-1) + 1); });
  on({"time.first", "T&ime", "Firs&t Cycle", "Home", "Go to the beginning of the run", "", false, "", true},
     [this] { cursor_->setCycle(0); });
  on({"time.last", "T&ime", "Last C&ycle", "End", "Go to the end of the run", "", false, "", true},
     [this] { cursor_->setCycle(cursor_->end()); });
  on({"time.clear", "T&ime", "No &Moment", "Esc", "Show the whole run, not one moment of it", "", false, "",
      true},
     [this] { cursor_->clear(); });
  on({"time.zoomIn", "T&ime", "Zoom &In", "+; =", "Show less time in more detail", "", true, "", true},
     [this] { panel_->view()->zoom(2); });
  on({"time.zoomOut", "T&ime", "Zoom O&ut", "-", "Show more time", "", false, "", true},
     [this] { panel_->view()->zoom(0.5); });
  on({"time.fit", "T&ime", "&Whole Run", "0", "Show all of the run", "", false, "", true},
     [this] { panel_->view()->fit(); });
  on({"time.export", "T&ime", "&Export Run for Perfetto or GTKWave…", "",
      "Write the recorded run as a Chrome trace or a value change dump", "", true},
     [this] { emit exportRequested(); });
  connect(cursor_, &TimeCursor::playingChanged, play,
          [play](bool playing) { play->setText(playing ? tr("&Pause the Run") : tr("&Play the Run")); });
}

/// The run may be of another program than the canvas shows: the one before or after its schedule.
void TimeController::showSelection() {
  const bool shown = context_.results->shownFromPoint().streams.contains(stream_.toStdString());
  const QString origin = shown ? stream_ : QString();
  if (std::exchange(selected_, {node_, origin}) != std::pair(node_, origin))
    panel_->view()->select(node_, origin);
}

void TimeController::goTo(qint64 cycle) {
  if (point_ && point_->simulation.timeline) return cursor_->setCycle(cycle);
  wanted_ = cycle;
  emit runNeeded();
}

void TimeController::setWanted(bool wanted) {
  context_.session->setRecordTimeline(wanted);
}

void TimeController::showPoint() {
  const std::shared_ptr<const PointResult>& point = context_.results->point();
  if (point != point_) {
    point_ = point;
    panel_->setRun(runOf(point_), point_ ? tr("The run is being recorded…") : tr("No simulation to show."));
    attribute();
  }
  showSelection();
  if (wanted_ && runOf(point_)) cursor_->setCycle(*std::exchange(wanted_, std::nullopt));
  showTime();
}

void TimeController::attribute() {
  const TimelineRun run = runOf(point_);
  const std::uint64_t number = ++attributing_;
  if (!run) {
    work_.forget();
    attributed_ = number;
    return;
  }
  work_.ask([this, run, number](const std::stop_token&) -> BackgroundWork::Answer {
    // All victims of a short run; of a long one those of the first causes, until somebody wants more.
    const std::size_t top =
        std::clamp(20'000'000 / (run.timeline->events() + 1), stall_detail, std::size_t{1000});
    auto stalls = std::make_shared<StallFindings>(findStalls(*run.graph, *run.timeline, top));
    return [this, run, number, stalls] {
      attributed_ = number;
      panel_->setStalls(run, std::move(*stalls));
    };
  });
}

void TimeController::findVictims(int cause, std::size_t most) {
  const TimelineRun run = runOf(point_);
  const StallCause* blamed = panel_->stallModel()->causeAt(panel_->stallModel()->index(cause, 0));
  if (!run || !blamed) return;
  work_.add([this, run, cause, most, of = *blamed](const std::stop_token&) -> BackgroundWork::Answer {
    auto victims = std::make_shared<std::vector<StallVictims>>(
        stallVictims(*run.graph, *run.timeline, std::array{of}, most));
    return [this, victims, cause] { panel_->stallModel()->setVictims(cause, std::move(victims->front())); };
  });
}

TimeOverlay TimeController::overlayAt(Cycles cycle) const {
  TimeOverlay overlay;
  const FlatGraph& graph = point_->symbolic.graph;
  const Timeline& timeline = *point_->simulation.timeline;
  const GraphCorrespondence& shown = context_.results->shownFromPoint();
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    if (isInferredBroadcast(graph.operators[id]) || !shown.nodes.contains(graph.operators[id].origin))
      continue;
    const auto state = static_cast<std::size_t>(timeline.stateAt(id, cycle).state);
    // A region's box stands for all that is in it.
    std::string path = graph.operators[id].origin;
    for (;;) {
      ++overlay.nodes[QString::fromStdString(path)][state];
      const std::size_t dot = path.rfind('.');
      if (dot == std::string::npos) break;
      path.resize(dot);
    }
  }
  for (StreamId id = 0; id < graph.streams.size(); ++id) {
    const std::string& origin = graph.streams[id].origin;
    if (!shown.streams.contains(origin) || feedsInferredBroadcast(graph, graph.streams[id])) continue;
    StreamFill& fill = overlay.streams[QString::fromStdString(origin)];
    fill.tokens += timeline.occupancyAt(id, cycle);
    fill.depth += graph.streams[id].depth;
  }
  return overlay;
}

void TimeController::showTime() {
  const auto cycle = cursor_->cycle();
  const bool known = cycle && point_ && point_->simulation.timeline;
  context_.occupancy->setTime(known ? std::optional(static_cast<Cycles>(*cycle)) : std::nullopt);
  context_.canvas->setTimeOverlay(known ? overlayAt(static_cast<Cycles>(*cycle)) : TimeOverlay());
}

Result<Done> TimeController::exportRun(const QString& file) const {
  const TimelineRun run = runOf(point_);
  if (!run) {
    return error("no-recording", "the run", "there is none that was recorded in full",
                 "open the timeline and wait for the simulation");
  }
  const bool vcd = file.endsWith(QLatin1String(".vcd"), Qt::CaseInsensitive);
  return writeFileAtomically(file.toStdString(), vcd ? valueChangeDump(*run.graph, *run.timeline)
                                                     : chromeTrace(*run.graph, *run.timeline));
}

}  // namespace sluice::ui

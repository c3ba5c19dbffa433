#include "app/window/deadlock/deadlock_screen.h"

#include <QAction>
#include <QDir>
#include <QDockWidget>
#include <QMainWindow>
#include <atomic>
#include <cmath>

#include "app/window/deadlock/deadlock_explanation_of.h"
#include "app/window/deadlock/near_miss_search.h"
#include "app/window/document/document_controller.h"
#include "app/window/document/document_edits.h"
#include "app/window/document/save_file_dialog.h"
#include "app/window/document/shown_program.h"
#include "app/window/explore/frontier_dialog.h"
#include "app/window/run/session_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/panels.h"
#include "engine/core/atomic_file.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/deadlock/deadlock_panel.h"
#include "widgets/deadlock/near_miss_box.h"
#include "widgets/deadlock/repair_box.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/export/export.h"

namespace sluice::ui {
namespace {

constexpr int progress_period = 50;  // ms
constexpr std::chrono::milliseconds search_time{4000};

}  // namespace

/// Written by the search, read by the event loop.
struct DeadlockScreen::Progress {
  std::atomic<std::size_t> runs{0};
  std::atomic<double> fraction{0}, bytes{-1};
};

DeadlockScreen::DeadlockScreen(const WindowContext& context)
    : QObject(context.window),
      context_(context),
      panel_(new DeadlockPanel),
      near_misses_(new NearMissSearch(panel_->nearMisses(), this)) {
  context_.canvas->addLayer(&layer_);
  progress_timer_.setInterval(progress_period);
  connect(&progress_timer_, &QTimer::timeout, this, &DeadlockScreen::showProgress);
  connectSession();
  connectPanel();
  addCommands();
  updateCommands();
}

void DeadlockScreen::connectSession() {
  SessionController* session = context_.session;
  connect(session, &SessionController::pointStarted, this, [this] {
    stopSearch();
    near_misses_->forget();
    stale_ = true;
    panel_->setStale(true);
    updateCommands();
  });
  connect(session, &SessionController::pointReady, this, &DeadlockScreen::showPoint);
  connect(session, &SessionController::pointFailed, this, [this] {
    if (!shown_) forget(tr("Nothing was simulated."));  // else what was simulated last stays, greyed
  });
  connect(context_.documents, &DocumentController::opened, this, [this] { forget(tr("No deadlock.")); });
  connect(context_.shown, &ShownProgram::changed, this, [this] {
    if (point_) show();
  });
}

void DeadlockScreen::connectPanel() {
  connect(panel_, &DeadlockPanel::groupChanged, this, [this] {
    refreshLayer();
    updateCommands();
  });
  connect(panel_, &DeadlockPanel::stepChosen, this, [this](const QString& node, const QString& stream) {
    emit jumpRequested(node.isEmpty() ? stream : node);
  });
  connect(panel_, &DeadlockPanel::cycleRequested, this, &DeadlockScreen::cycleRequested);
  connect(panel_, &DeadlockPanel::pictureRequested, this, [this] { exportWithDialog(true); });
  connect(panel_, &DeadlockPanel::textRequested, this, [this] { exportWithDialog(false); });
  connect(panel_->repair(), &RepairBox::applyRequested, this, &DeadlockScreen::applyRepair);
  connect(panel_->repair(), &RepairBox::applyWaitCycleRequested, this, &DeadlockScreen::applyWaitCycle);
  connect(panel_->repair(), &RepairBox::cancelRequested, this, [this] { work_.stop(); });
  connect(&work_, &BackgroundWork::failed, this, &DeadlockScreen::stopSearch);
  // The row of the run's deadlock; that of explored points has a place of its own.
  connect(context_.diagnostics, &DiagnosticsList::chosen, this, [this](const Diagnostic& entry) {
    if (point_ && entry.code == "deadlock" && entry.place.beginsWith(Where::Operator)) raisePanel();
  });
}

void DeadlockScreen::addCommands() {
  const auto on = [this](const Command& command, const std::function<void()>& run) {
    context_.commands->add(command, this, run);
  };
  const auto shown = [this](void (DeadlockPanel::*step)()) {
    return [this, step] {
      raisePanel();
      (panel_->*step)();
    };
  };
  on({"deadlock.nextWaitCycle", "&Deadlock", "&Next Wait Cycle", "F8", "Show the next wait cycle"},
     shown(&DeadlockPanel::nextWaitCycle));
  on({"deadlock.previousWaitCycle", "&Deadlock", "&Previous Wait Cycle", "Shift+F8",
      "Show the previous wait cycle"},
     shown(&DeadlockPanel::previousWaitCycle));
  on({"deadlock.nextMember", "&Deadlock", "Next &Member", "F9", "Go to the operator that this one waits for"},
     shown(&DeadlockPanel::nextMember));
  on({"deadlock.previousMember", "&Deadlock", "Previous M&ember", "Shift+F9",
      "Go back to the operator that waits for this one"},
     shown(&DeadlockPanel::previousMember));
  on({"deadlock.closing", "&Deadlock", "When It &Closed", "Ctrl+F8",
      "Go to the moment at which the wait cycle closed"},
     shown(&DeadlockPanel::goToClosing));
  on({"deadlock.apply", "&Deadlock", "&Apply Repair", "Ctrl+R", "Deepen the FIFOs that the repair names", "",
      true},
     [this] { applyRepair(); });
  on({"deadlock.applyWaitCycle", "&Deadlock", "Apply to This Wait Cycle &Only", "Ctrl+Alt+R",
      "Deepen only the FIFOs that the chosen wait cycle needs"},
     [this] { applyWaitCycle(); });
  on({"deadlock.frontier", "&Deadlock", "&Depths of Two FIFOs…", "Ctrl+F9",
      "Draw which depths of two FIFOs end and which deadlock", "", true},
     [this] { showFrontier(); });
  on({"deadlock.nearMisses", "&Deadlock", "&Find Near Misses", "Ctrl+F7",
      "Of a run that ends, find the FIFOs that a few slots fewer would deadlock"},
     [this] {
       raisePanel();
       near_misses_->start(panel_->nearMisses()->within());
     });
  on({"deadlock.picture", "&Deadlock", "Export P&icture…", "",
      "Write the canvas with its wait cycles as PDF, SVG or PNG", "", true},
     [this] { exportWithDialog(true); });
  on({"deadlock.text", "&Deadlock", "Export &Text…", "",
      "Write the wait cycles, their sentences and the repair as text"},
     [this] { exportWithDialog(false); });
}

void DeadlockScreen::raisePanel() {
  context_.panels->raise(QStringLiteral("deadlock"));
}

void DeadlockScreen::updateCommands() {
  const auto enable = [this](const char* id, bool enabled) {
    context_.commands->action(QString::fromLatin1(id))->setEnabled(enabled);
  };
  for (const char* id : {"deadlock.nextWaitCycle", "deadlock.previousWaitCycle", "deadlock.nextMember",
                         "deadlock.previousMember", "deadlock.closing", "deadlock.picture", "deadlock.text"})
    enable(id, point_ != nullptr);
  enable("deadlock.nearMisses", shown_ && !point_ && !stale_);
  enable("deadlock.frontier", shown_ && !stale_);
  enable("deadlock.apply", point_ && panel_->repair()->canApply());
  enable("deadlock.applyWaitCycle", point_ && panel_->repair()->canApplyWaitCycle());
}

void DeadlockScreen::forget(const QString& message) {
  stopSearch();
  work_.forget();
  near_misses_->forget();
  point_.reset();
  shown_.reset();
  workload_.reset();
  unlocked_.reset();
  stale_ = false;
  panel_->setStale(false);
  panel_->clear(message);
}

void DeadlockScreen::showPoint(const std::shared_ptr<const PointResult>& point) {
  const bool first = !point_;
  const bool ends = !point->simulation.deadlock && !point->simulation.fault;
  if (!point->simulation.deadlock)
    forget(ends ? tr("No deadlock: the run ends.") : tr("The run ended with a fault; see Diagnostics."));
  if (point->simulation.fault) return;
  shown_ = point;
  workload_ = context_.session->workload();
  stale_ = false;
  panel_->setStale(false);
  if (ends) {
    near_misses_->setPoint(workload_, point, matchOf(*point));
    return updateCommands();
  }
  near_misses_->forget();
  point_ = point;
  unlocked_.reset();
  search();
  show();
  if (first) dock_->raise();
}

GraphCorrespondence DeadlockScreen::matchOf(const PointResult& point) const {
  const auto& scheduled = point.symbolic.scheduled;
  const Graph& program = (scheduled ? scheduled->document : workload_->document).program;
  const Graph& shown = context_.shown->document().program;
  return matchPrograms(program, shown, !sameWiring(program, shown));
}

FrontierDialog* DeadlockScreen::showFrontier() {
  if (!shown_) return nullptr;
  if (!frontier_) frontier_ = new FrontierDialog(context_.window);
  std::vector<std::string> repaired;
  if (unlocked_ && unlocked_->repair)
    for (const Repair::Change& change : unlocked_->repair->changes) repaired.push_back(change.origin);
  frontier_->setPoint(workload_, shown_, suggestedPair(*shown_, repaired));
  frontier_->show();
  frontier_->raise();
  frontier_->activateWindow();
  return frontier_;
}

void DeadlockScreen::search() {
  searching_ = true;
  progress_ = std::make_shared<Progress>();
  spent_.start();
  progress_timer_.start();
  work_.ask([this, workload = workload_, point = point_,
             progress = progress_](const std::stop_token& stop) -> BackgroundWork::Answer {
    SearchBudget budget;
    budget.time = search_time;
    budget.stop = stop;
    budget.progress = [&progress](const SearchProgress& now) {
      progress->runs = now.runs;
      progress->fraction = now.fraction;
      progress->bytes = now.bytes.value_or(-1);
    };
    auto unlocked = std::make_shared<Unlock>(unlock(*workload, *point, budget));
    return [this, unlocked, point] {
      if (point != point_) return;
      searching_ = false;
      progress_timer_.stop();
      unlocked_ = *unlocked;
      show();
    };
  });
}

void DeadlockScreen::stopSearch() {
  work_.stop();
  searching_ = false;
  progress_timer_.stop();
}

void DeadlockScreen::showProgress() {
  const double left = std::max(0.0, static_cast<double>(search_time.count() - spent_.elapsed())) / 1000;
  SearchState state{progress_->fraction, static_cast<int>(progress_->runs), left, {}};
  if (progress_->bytes >= 0) state.bytes = progress_->bytes;
  panel_->repair()->setSearching(state);
}

void DeadlockScreen::show() {
  match_ = matchOf(*point_);
  panel_->setExplanation(deadlockExplanation(*point_, unlocked_ ? &*unlocked_ : nullptr, match_));
  panel_->setStale(stale_);
  if (searching_) showProgress();
  refreshLayer();
  updateCommands();
}

void DeadlockScreen::refreshLayer() {
  if (point_) {
    layer_.setExplanation(panel_->explanation(), panel_->shownGroups(), panel_->currentGroup());
    layer_.showClosing(panel_->showsClosing());
  } else {
    layer_.clear();
  }
  context_.canvas->refreshLayers();
}

void DeadlockScreen::applyRepair() {
  if (point_ && unlocked_ && panel_->repair()->canApply())
    apply(tr("Repair the deadlock"), *unlocked_->repair);
}

void DeadlockScreen::applyWaitCycle() {
  // Wait cycles are the first groups of the explanation.
  const auto cycle = static_cast<std::size_t>(panel_->currentGroup());
  if (!point_ || !unlocked_ || !panel_->repair()->canApplyWaitCycle()) return;
  apply(tr("Repair wait cycle %1 of the deadlock").arg(cycle + 1), *unlocked_->cycle_repairs.at(cycle));
}

void DeadlockScreen::apply(const QString& name, const Repair& repair) {
  // Asked for while an edit is being simulated, it would be the repair of another program.
  if (!sameMeaning(context_.documents->document(), workload_->document)) return;
  context_.documents->edit(name, [&](Document& document) {
    document = repaired(document, point_->symbolic.scheduled.get(), repair);
  });
}

bool DeadlockScreen::exportPicture(const QString& file) {
  const auto format = formatOf(file.toStdString());
  const Result<Done> written =
      format && *format != ExportFormat::Csv
          ? exportCanvas(*context_.canvas, file.toStdString(), *format, double_column)
          : Result<Done>(error("unknown-file-suffix", file.toStdString(),
                               "the name does not say which format is wanted",
                               "end it with .pdf, .svg or .png"));
  panel_->setMessage(written ? tr("Wrote %1").arg(file) : inlineText(written.diagnostics().front()));
  return static_cast<bool>(written);
}

bool DeadlockScreen::exportText(const QString& file) {
  const Result<Done> written =
      writeFileAtomically(file.toStdString(), plainText(panel_->explanation()).toStdString());
  panel_->setMessage(written ? tr("Wrote %1").arg(file) : inlineText(written.diagnostics().front()));
  return static_cast<bool>(written);
}

void DeadlockScreen::exportWithDialog(bool picture) {
  const QDir folder(QString::fromStdString(context_.documents->folder().string()));
  const QString file = chooseFileToSave(
      context_.window, picture ? tr("Export the wait cycles") : tr("Export the sentences"),
      folder.filePath(picture ? QStringLiteral("deadlock.pdf") : QStringLiteral("deadlock.txt")),
      picture ? QStringLiteral("PDF (*.pdf);;SVG (*.svg);;PNG (*.png)") : QStringLiteral("Text (*.txt)"));
  if (file.isEmpty()) return;
  if (picture)
    exportPicture(file);
  else
    exportText(file);
}

}  // namespace sluice::ui

#include "app/window/designs/designs_controller.h"

#include <QFile>
#include <QFileInfo>
#include <QMainWindow>
#include <algorithm>
#include <cmath>
#include <mutex>

#include "app/window/designs/designs_panel.h"
#include "app/window/designs/find_designs_dialog.h"
#include "app/window/designs/lineage_tree.h"
#include "app/window/document/document_controller.h"
#include "app/window/document/document_edits.h"
#include "app/window/explore/recent_stores.h"
#include "app/window/run/session_controller.h"
#include "app/window/shell/panels.h"
#include "engine/explorer/tables.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr int live_period = 50;       // ms
constexpr double told_share = 0.02;   // before that no estimate is possible
constexpr double told_seconds = 0.5;  // likewise

/// How far the search is by what ends it, designs or time.
double shareOf(const DesignProgress& progress, const DesignRequest& request) {
  return std::clamp(std::max(progress.share(), progress.seconds_spent / request.seconds), 0.0, 1.0);
}

double secondsLeft(double share, double spent) {
  return share < told_share || spent < told_seconds ? -1 : spent * (1 - share) / share;
}

}  // namespace

/// Written by the search, emptied by the event loop.
struct DesignsController::Live {
  std::mutex mutex;
  std::vector<Design> designs;
  DesignProgress progress;
};

DesignsController::DesignsController(const WindowContext& context)
    : QObject(context.window), context_(context), panel_(new DesignsPanel) {
  timer_.setInterval(live_period);
  connect(&timer_, &QTimer::timeout, this, &DesignsController::showLive);
  connect(&work_, &BackgroundWork::failed, this, [this](const Diagnostic& why) { finish(Diagnostics{why}); });
  connect(&proofs_, &BackgroundWork::failed, this, [this](const Diagnostic& why) {
    panel_->showProof(DesignsPanel::Proof::Stopped, nullptr);
    emit remarked({why});
  });
  connect(panel_, &DesignsPanel::chosen, this, [this] {
    if (const int design = panel_->selected(); !proving_ || static_cast<int>(*proving_) != design) prove();
  });
  connect(panel_, &DesignsPanel::checkClicked, this, [this] { proofs_.idle() ? prove() : stopProof(); });
  connect(panel_, &DesignsPanel::pinned, this,
          [this](int design, int run) { pin(static_cast<std::size_t>(design), run); });
  connect(panel_, &DesignsPanel::taken, this, [this](int design) { take(static_cast<std::size_t>(design)); });
  connect(context_.documents, &DocumentController::opened, this, [this] {
    if (!searched_ || !(searched_->document.program == context_.documents->document().program)) forget();
    watch();
  });
  connect(context_.documents, &DocumentController::changed, this, &DesignsController::watch);
}

/// Another program: its designs have nothing to do with those that are shown.
void DesignsController::forget() {
  if (running_) emit ended(tr("The search for designs was given up: another program was opened"));
  work_.forget();
  timer_.stop();
  running_ = false;
  searched_.reset();
  forgetResult();
  panel_->begin({}, {}, {});
  emit remarked({});
}

void DesignsController::forgetResult() {
  proofs_.forget();
  proving_.reset();
  reports_.clear();
  result_.reset();
}

void DesignsController::openDialog() {
  if (!context_.documents->hasDocument()) return;
  auto* dialog =
      new FindDesignsDialog(context_.documents->document(), context_.documents->file(), context_.window);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] { find(dialog->search()); });
  dialog->open();
}

void DesignsController::find(const DesignSearch& search) {
  const std::shared_ptr<const Workload> loaded = context_.session->workload();
  if (!loaded) return;  // inputs that cannot be had; the diagnostics say so
  // Nodes may have been moved or pinned since it was loaded.
  Workload workload{context_.documents->document(), loaded->inputs, loaded->technology};
  searched_ =
      std::make_shared<const Workload>(search.from_plain ? withSchedule(workload, {}) : std::move(workload));
  search_ = search;
  if (const auto traces = context_.session->traces())
    search_.request =
        overTraces(search_.request, std::make_shared<const WorkloadSet>(WorkloadSet{
                                        searched_, traces->traces, traces->chosen, {}, traces->sources}));
  forgetResult();
  running_ = true;
  stopping_ = false;
  live_ = std::make_shared<Live>();
  knobs_ = context_.documents->knobs();
  panel_->begin(searched_, knobs_, search_.request);
  context_.panels->raise(QStringLiteral("designs"));
  panel_->setFocus();
  emit remarked({});
  emit started();
  emit progressed(tr("Finding designs"), 0, -1);
  timer_.start();
  work_.ask([this, search = search_, knobs = knobs_, workload = searched_,
             live = live_](const std::stop_token& stop) -> BackgroundWork::Answer {
    DesignObserver observer;
    observer.design = [&live](const Design& design) {
      const std::scoped_lock lock(live->mutex);
      live->designs.push_back(design);
    };
    observer.progress = [&live](const DesignProgress& progress) {
      const std::scoped_lock lock(live->mutex);
      live->progress = progress;
    };
    const auto found =
        std::make_shared<const Result<DesignResult>>(runSearch(search, *workload, knobs, observer, stop));
    return [this, found] { finish(*found); };
  });
}

void DesignsController::cancel() {
  if (!running_) return stopProof();
  work_.stop();
  stopping_ = true;
  emit progressed(tr("Stopping the search for designs"), 1, -1);
}

void DesignsController::showLive() {
  if (!live_) return;
  std::vector<Design> designs;
  DesignProgress progress;
  {
    const std::scoped_lock lock(live_->mutex);
    designs.swap(live_->designs);
    progress = live_->progress;
  }
  if (!designs.empty()) panel_->append(std::move(designs));
  if (stopping_ || progress.budget == 0) return;  // nothing has been evaluated
  const double share = shareOf(progress, search_.request);
  emit progressed(
      tr("Finding designs: %1 of %2 simulated, %3 on the frontier")
          .arg(exactNumber(progress.simulated), exactNumber(progress.budget), exactNumber(progress.frontier)),
      share, secondsLeft(share, progress.seconds_spent));
}

void DesignsController::finish(const Result<DesignResult>& result) {
  showLive();
  timer_.stop();
  running_ = false;
  live_.reset();
  if (!result) {
    emit ended(tr("The search for designs came to nothing: see Diagnostics"));
    emit remarked(result.diagnostics());
    return;
  }
  result_ = std::make_shared<const DesignResult>(*result);
  panel_->finish(*result_);  // whose choice is proved
  QString found =
      tr("%1 on the frontier of %2 simulated, in %3")
          .arg(exactNumber(result_->frontier.size()), exactNumber(result_->simulated - result_->reused),
               measuredTime(result_->wall_seconds));
  if (result_->reused > 0) found += tr("; %1 were in the store").arg(exactNumber(result_->reused));
  keepStore();
  emit ended(result_->cancelled ? tr("Stopped the search for designs: %1").arg(found)
                                : tr("Found designs: %1").arg(found));
  emit remarked(result_->cancelled ? Diagnostics() : result_->remarks);
}

/// What is in a store is offered among those used last; what was stopped, to be gone on with.
void DesignsController::keepStore() {
  if (search_.store.empty()) return;
  const QString title = qt(searched_->document.title);
  rememberStore({QFileInfo(QFile::decodeName(search_.store.string().c_str())).absoluteFilePath(),
                 title.isEmpty() ? QFileInfo(qt(search_.file)).completeBaseName() : title,
                 result_->designs.size(), QDateTime::currentDateTime()});
  if (result_->cancelled) FindDesignsDialog::proposeToGoOn();
}

/// One step for undo, whatever the design changes. Steps may need the knobs as they stood in the search: the
/// file keeps them, too.
void DesignsController::take(std::size_t design) {
  const std::vector<Design>& designs = panel_->designs();
  if (design >= designs.size() || panel_->isOutdated()) return;
  const std::vector<ScheduleStep> schedule = designs[design].schedule;
  QStringList defaults;
  KnobValues knobs;
  for (const Knob& knob : context_.documents->document().knobs) {
    const auto value = knobs_.find(knob.name);
    if (value == knobs_.end() || !knob.allows(value->second)) continue;
    knobs.insert(*value);
    if (value->second != knob.initial)
      defaults << QStringLiteral("%1 = %2").arg(qt(knob.name), qt(knobText(knob, value->second)));
  }
  context_.documents->edit(
      tr("Take a design"),
      [&](Document& document) {
        document.schedule = schedule;
        makeDefaults(document, knobs);
      },
      knobs);
  emit tookDesign(defaults.isEmpty()
                      ? tr("The schedule is that of the design now")
                      : tr("The schedule is that of the design now, and these are the knobs' defaults: %1")
                            .arg(defaults.join(QStringLiteral(", "))));
}

void DesignsController::pin(std::size_t design, int run) {
  const std::vector<Design>& designs = panel_->designs();
  if (design >= designs.size() || panel_->isOutdated()) return;
  emit pinRequested(run, std::make_shared<const Workload>(withSchedule(*searched_, designs[design].schedule)),
                    knobs_, tr("design %1 of %2").arg(design).arg(context_.documents->fileName()));
}

/// Only of the newest choice: who walks through the designs waits for none of those passed by.
void DesignsController::prove() {
  using Proof = DesignsPanel::Proof;
  proofs_.forget();
  proving_.reset();
  if (!result_ || panel_->selected() < 0) return panel_->showProof(Proof::None, nullptr);
  const auto design = static_cast<std::size_t>(panel_->selected());
  proving_ = design;
  if (const auto known = reports_.find(design); known != reports_.end())
    return panel_->showProof(Proof::Known, &known->second);
  if (!isEvaluated(result_->designs[design])) return panel_->showProof(Proof::NotSimulated, nullptr);
  panel_->showProof(Proof::Running, nullptr);
  proofs_.ask([this, design, knobs = knobs_, request = search_.request, workload = searched_,
               result = result_](const std::stop_token& stop) -> BackgroundWork::Answer {
    const std::unique_ptr<Executor> executor = makeExecutor();
    const auto reports = std::make_shared<std::vector<DesignReport>>(
        reportDesigns(*workload, knobs, request, *result, std::span(&design, 1), *executor, stop));
    return [this, design, reports] { tellProof(design, std::move(*reports)); };
  });
}

void DesignsController::stopProof() {
  if (proofs_.idle()) return;
  proofs_.forget();
  panel_->showProof(DesignsPanel::Proof::Stopped, nullptr);
}

void DesignsController::tellProof(std::size_t design, std::vector<DesignReport> reports) {
  if (reports.empty()) return;  // it was stopped
  const DesignReport& kept = reports_[design] = std::move(reports.front());
  panel_->showProof(DesignsPanel::Proof::Known, &kept);
}

/// Designs of a program that has been edited since cannot be taken: their steps name what may be gone.
void DesignsController::watch() {
  if (!searched_) return;
  const bool outdated = !sameMeaning(searched_->document.program, context_.documents->document().program);
  if (outdated && !panel_->isOutdated() && !running_) emit remarked({});
  panel_->setOutdated(outdated);
}

}  // namespace sluice::ui

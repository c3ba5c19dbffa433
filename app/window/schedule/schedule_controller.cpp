#include "app/window/schedule/schedule_controller.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMainWindow>
#include <QMenu>
#include <QToolButton>

#include "app/window/document/document_controller.h"
#include "app/window/document/document_edits.h"
#include "app/window/document/shown_program.h"
#include "app/window/edit/step_text.h"
#include "app/window/run/session_controller.h"
#include "app/window/run/size_fifos_dialog.h"
#include "app/window/schedule/schedule_panel.h"
#include "app/window/schedule/step_choices.h"
#include "app/window/schedule/step_dialog.h"
#include "app/window/shell/commands.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/corner.h"
#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

constexpr int strip_margin = 4;  // around the switch, in pixels

}  // namespace

ScheduleController::ScheduleController(const WindowContext& context)
    : QObject(context.window),
      context_(context),
      panel_(new SchedulePanel),
      switch_(new QFrame(context.canvas)),
      refused_(new QLabel(tr("\u2716 refused; the program is shown"))) {
  addProgramCommands();
  addCommands();
  buildSwitch();
  connectPanel();
  connectSwitch();
  connectEngine();
  connectSteps();
}

void ScheduleController::buildSwitch() {
  switch_->setObjectName(QStringLiteral("programSwitch"));
  switch_->setFrameShape(QFrame::StyledPanel);
  switch_->setAutoFillBackground(true);
  auto* row = new QHBoxLayout(switch_);
  row->setContentsMargins(3, 3, 3, 3);
  row->setSpacing(2);
  for (const char* id : {"view.program", "view.scheduled"}) {
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("switch.") + QLatin1String(id));
    button->setDefaultAction(context_.commands->action(QString::fromLatin1(id)));
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    row->addWidget(button);
  }
  refused_->setObjectName(QStringLiteral("scheduleRefused"));
  refused_->setContentsMargins(6, 0, 6, 0);
  row->addWidget(refused_);
  keepInCorner(switch_, Qt::TopLeftCorner, strip_margin);
}

void ScheduleController::connectSwitch() {
  ShownProgram* shown = context_.shown;
  connect(shown, &ShownProgram::changed, this, &ScheduleController::updateSwitch);
  updateSwitch();
}

void ScheduleController::updateSwitch() {
  const ShownProgram& shown = *context_.shown;
  const bool wanted = shown.wantsScheduled();
  context_.commands->action(wanted ? QStringLiteral("view.scheduled") : QStringLiteral("view.program"))
      ->setChecked(true);
  for (const char* id : {"view.program", "view.scheduled"})
    context_.commands->action(QString::fromLatin1(id))->setEnabled(shown.hasSchedule());
  for (const char* id : {"edit.addStep", "schedule.sizeFifos"})
    context_.commands->action(QString::fromLatin1(id))->setEnabled(context_.documents->hasDocument());
  const bool refused = trace_ && trace_->stages.size() <= trace_->steps.size();
  refused_->setVisible(wanted && refused && !shown.isScheduled());
  switch_->setVisible(shown.hasSchedule());
  switch_->adjustSize();
  switch_->raise();
  context_.canvas->setStrip(shown.hasSchedule() ? switch_->height() + 2 * strip_margin : 0);
}

void ScheduleController::connectPanel() {
  connect(panel_, &SchedulePanel::addRequested, this, [this] { add(); });
  connect(panel_, &SchedulePanel::editRequested, this, &ScheduleController::edit);
  connect(panel_, &SchedulePanel::removeRequested, this,
          [this](int step) { removeStep(tr("Remove a schedule step"), static_cast<std::size_t>(step)); });
  connect(panel_, &SchedulePanel::enableRequested, this, [this](int step, bool enabled) {
    change(
        enabled ? tr("Enable a schedule step") : tr("Disable a schedule step"),
        [&](Document& document) { enableStep(document, static_cast<std::size_t>(step), enabled); }, step);
  });
  connect(panel_, &SchedulePanel::moveRequested, this, [this](int from, int to) {
    change(
        tr("Move a schedule step"),
        [&](Document& document) {
          moveStep(document, static_cast<std::size_t>(from), static_cast<std::size_t>(to));
        },
        to);
  });
  const auto show = [this] {
    panel_->setDocument(context_.documents->document(), context_.documents->knobs());
  };
  connect(context_.documents, &DocumentController::opened, this, [this, show] {
    trace_.reset();
    show();
  });
  connect(context_.documents, &DocumentController::changed, this, show);
}

void ScheduleController::connectEngine() {
  connect(context_.session, &SessionController::symbolicReady, this,
          [this](const std::shared_ptr<const SymbolicResult>& result) {
            context_.shown->setSimulated(result);
            startTrace(result);
          });
  connect(context_.session, &SessionController::pointFailed, this, [this] {
    context_.shown->setSimulated(nullptr);
    startTrace(nullptr);
  });
}

/// `result`: of the program, perhaps with its knobs elsewhere; null: it is refused.
void ScheduleController::startTrace(const std::shared_ptr<const SymbolicResult>& result) {
  const std::shared_ptr<const Workload> workload = context_.session->workload();
  if (!workload) return;
  const KnobValues& knobs = context_.session->knobs();
  const bool here =
      result && std::ranges::all_of(knobs, [&result](const auto& knob) {
        const auto bound = result->bound.find(knob.first);
        return bound != result->bound.end() && bound->second == static_cast<double>(knob.second);
      });
  tracing_.ask([this, workload, knobs, whole = here ? result->scheduled : nullptr](
                   const std::stop_token& stop) -> BackgroundWork::Answer {
    auto made = std::make_shared<const ScheduleTrace>(whole ? traceSchedule(*workload, knobs, *whole, stop)
                                                            : traceSchedule(*workload, knobs, stop));
    return [this, made] {
      trace_ = made;
      panel_->setTrace(made);
      emit traced(made);
      context_.shown->setTrace(made);
      updateSwitch();
    };
  });
}

void ScheduleController::change(const QString& label, const std::function<void(Document&)>& edit,
                                int selected) {
  context_.documents->edit(label, edit);
  panel_->select(std::min(selected, panel_->list()->count() - 1));
}

void ScheduleController::add(const ScheduleStep& step) {
  openDialog(step, context_.documents->document().schedule.size(), true);
}

void ScheduleController::edit(int position) {
  const auto& schedule = context_.documents->document().schedule;
  if (position < 0 || static_cast<std::size_t>(position) >= schedule.size()) return;
  openDialog(schedule[static_cast<std::size_t>(position)], static_cast<std::size_t>(position), false);
}

void ScheduleController::insertStep(const QString& label, std::size_t position, const ScheduleStep& step) {
  change(
      label, [&](Document& document) { ui::insertStep(document, position, step); },
      static_cast<int>(position));
}

void ScheduleController::removeStep(const QString& label, std::size_t position) {
  change(
      label, [&](Document& document) { ui::removeStep(document, position); }, static_cast<int>(position));
}

void ScheduleController::openDialog(const ScheduleStep& step, std::size_t position, bool added) {
  const std::shared_ptr<const Workload> workload = context_.session->workload();
  if (!workload) return;  // inputs that cannot be had; the diagnostics say so
  Document before = context_.documents->document();
  before.schedule.resize(position);
  StepPlace place{std::make_shared<const Workload>(
                      Workload{before, workload->inputs, workload->technology, workload->files}),
                  context_.documents->knobs(),
                  before,
                  {}};
  if (trace_) place.before.program = trace_->before(position).program;
  if (trace_) place.compiled = trace_->compiledBefore(position);
  auto* dialog = new StepDialog(std::move(place), step, added, &previewing_, context_.window);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog, position, added] {
    const ScheduleStep made = dialog->step();
    change(
        added ? tr("Add a schedule step") : tr("Edit a schedule step"),
        [&](Document& document) {
          for (const Knob& knob : dialog->newKnobs()) document.knobs.push_back(knob);
          added ? addStep(document, made) : replaceStep(document, position, made);
        },
        static_cast<int>(position));
  });
  dialog->open();
}

void ScheduleController::sizeFifos() {
  const std::shared_ptr<const Workload> loaded = context_.session->workload();
  if (!loaded) return;  // inputs that cannot be had; the diagnostics say so
  // Nodes may have been moved or pinned since it was loaded.
  const auto workload = std::make_shared<const Workload>(
      Workload{context_.documents->document(), loaded->inputs, loaded->technology, loaded->files});
  const Document& document = context_.shown->document();
  std::vector<std::string> regions;
  for (const std::string& path : nodePaths(document))
    if (findNode(document, path)->body) regions.push_back(path);
  auto* dialog = new SizeFifosDialog(workload, context_.session->knobs(), regions,
                                     context_.canvas->selectedNode().toStdString(), context_.window);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    const Document sized = (*dialog->sizes())->document;
    context_.documents->edit(tr("Size FIFOs"), [&](Document& changed) { changed = sized; });
  });
  dialog->open();
}

std::optional<std::size_t> ScheduleController::stepBehind(const std::string& node) const {
  if (!trace_ || !context_.shown->isScheduled()) return std::nullopt;
  for (const auto& steps : {trace_->changed_by, trace_->made_by}) {
    const auto found = steps.find(node);
    if (found != steps.end() && found->second < context_.documents->document().schedule.size())
      return found->second;
  }
  return std::nullopt;
}

/// What stands in other menus than that of the schedule.
void ScheduleController::addProgramCommands() {
  ShownProgram* shown = context_.shown;
  context_.commands->add({"view.program", "&View", "&Program", "Ctrl+1", "Show the program as it is edited",
                          "", true, "program"},
                         shown, [shown] { shown->wantScheduled(false); });
  context_.commands->add({"view.scheduled", "&View", "After &Schedule", "Ctrl+2",
                          "Show the program as it is simulated, after its schedule", "", false, "program"},
                         shown, [shown] { shown->wantScheduled(true); });
  context_.commands->add({.id = "edit.addStep",
                          .menu = "&Edit",
                          .text = "Add Schedule &Step…",
                          .shortcuts = "Ctrl+Shift+A",
                          .tooltip = "Tile, split, parallelize or time-multiplex a part of the program",
                          .separated = true,
                          .section = 6},
                         this, [this] { add(); });
}

void ScheduleController::addCommands() {
  const auto on = [this](const Command& command, const std::function<void()>& run) {
    context_.commands->add(command, this, run);
  };
  const auto step = [&](const Command& command) {
    on(command, [this, id = command.id] {
      for (const StepOffer& offer : offers_)
        if (offer.command == id) return add(offer.step);
    });
  };
  step({"schedule.tileDynamic", "&Schedule", "Tile &Dynamically…", "",
        "Pack the rows of a region's input into tiles as large as each group turns out to be"});
  step({"schedule.tileStatic", "&Schedule", "Tile &Statically…", "",
        "Pack the rows of a region's input into tiles of a fixed size"});
  step({"schedule.parallelize", "&Schedule", "&Parallelize…", "",
        "Work on several requests at once with copies of a region: coarse, interleaved or dynamic"});
  step({"schedule.timeMultiplex", "&Schedule", "Time-&multiplex…", "",
        "Let several instances of a region share one copy"});
  step({"schedule.fuse", "&Schedule", "&Fuse…", "",
        "Compile a tensor program: fuse its kernels, as far as the on-chip memory holds what is between "
        "them"});
  on({"schedule.sizeFifos", "&Schedule", "Size F&IFOs…", "Ctrl+Shift+I",
      "Choose the depths of all FIFOs, or those of a region, by one of the strategies"},
     [this] { sizeFifos(); });
  step({"schedule.cut", "&Schedule", "&Cut Product to Units…", "",
        "Give a matrix product the small tiles that the fabric's units work on", "", true});
  step({"schedule.split", "&Schedule", "Sp&lit Tiles…", "", "Load a tensor in smaller tiles"});
  step(
      {"schedule.depth", "&Schedule", "Set FIFO Dept&h…", "", "Set the depth of the selected stream's FIFO"});
  on({"schedule.editStep", "&Schedule", "&Edit the Step…", "",
      "Edit the step of the schedule that made or changed what is selected", "", true},
     [this] {
       if (const auto behind = stepBehind(context_.canvas->selectedNode().toStdString()))
         edit(static_cast<int>(*behind));
     });
}

void ScheduleController::connectSteps() {
  connect(context_.canvas, &GraphCanvas::selectionChanged, this, &ScheduleController::updateSteps);
  connect(context_.shown, &ShownProgram::changed, this, &ScheduleController::updateSteps);
  connect(context_.canvas, &GraphCanvas::contextMenuRequested, this,
          [this](const QString&, const QString&, const QPoint& where) { showMenu(where); });
  updateSteps();
}

void ScheduleController::updateSteps() {
  const Document& shown = context_.shown->document();
  const std::string node = context_.canvas->selectedNode().toStdString();
  const std::string stream = context_.canvas->selectedStream().toStdString();
  offers_ = stream.empty() ? stepsForNode(shown, node) : stepsForStream(shown, stream);
  for (const std::string& id : stepCommands()) {
    const bool offered = std::any_of(offers_.begin(), offers_.end(),
                                     [&](const StepOffer& offer) { return offer.command == id; });
    context_.commands->action(QString::fromStdString(id))->setEnabled(offered);
  }
  QAction* fuse = context_.commands->action(QStringLiteral("schedule.fuse"));
  const QString reason = stream.empty() ? QString::fromStdString(whyNotFused(shown, node)) : QString();
  fuse->setToolTip(reason.isEmpty() ? fuse->statusTip() : reason);
  QAction* step = context_.commands->action(QStringLiteral("schedule.editStep"));
  const std::optional<std::size_t> behind = stepBehind(node);
  step->setEnabled(behind.has_value());
  step->setText(behind ? tr("&Edit Schedule %1\u2026")
                             .arg(stepName(*behind, context_.documents->document().schedule[*behind]))
                       : tr("&Edit the Step\u2026"));
}

/// Commands of the table that can be called for what is selected; steps first.
void ScheduleController::showMenu(const QPoint& where) {
  updateSteps();
  auto* menu = new QMenu(context_.window);
  menu->setObjectName(QStringLiteral("canvasMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (const StepOffer& offer : offers_)
    menu->addAction(context_.commands->action(QString::fromStdString(offer.command)));
  // What regions are often asked for, with the reason where it cannot be.
  QAction* fuse = context_.commands->action(QStringLiteral("schedule.fuse"));
  if (!fuse->isEnabled() && !offers_.empty() && context_.canvas->selectedStream().isEmpty())
    menu->addAction(fuse);
  menu->setToolTipsVisible(true);
  const auto offer = [&](std::initializer_list<const char*> ids) {
    menu->addSeparator();
    for (const char* id : ids) {
      QAction* action = context_.commands->action(QString::fromLatin1(id));
      if (action->isEnabled()) menu->addAction(action);
    }
  };
  offer({"schedule.sizeFifos"});
  offer({"edit.addOperator", "edit.connect"});
  offer({"edit.cut", "edit.copy", "edit.paste", "edit.duplicate", "edit.delete", "edit.rename"});
  offer({"edit.group", "edit.ungroup", "edit.replicate", "canvas.toggleRegion", "canvas.enterRegion"});
  offer({"arrange.pin", "arrange.unpin", "arrange.selection"});
  offer({"schedule.editStep"});
  menu->popup(where);
}

}  // namespace sluice::ui

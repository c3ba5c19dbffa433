#include "app/window/shell/main_window.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QScrollArea>
#include <QSettings>
#include <QToolBar>
#include <algorithm>

#include "app/window/deadlock/deadlock_dock.h"
#include "app/window/deadlock/deadlock_screen.h"
#include "app/window/document/design_page.h"
#include "app/window/document/document_edits.h"
#include "app/window/document/file_commands.h"
#include "app/window/document/program_canvas.h"
#include "app/window/document/recent_files.h"
#include "app/window/document/safe_keeping.h"
#include "app/window/edit/arrange_controller.h"
#include "app/window/explore/explorer_pane.h"
#include "app/window/explore/search_dialog.h"
#include "app/window/explore/selection_links.h"
#include "app/window/run/compare_controller.h"
#include "app/window/run/compare_dock.h"
#include "app/window/run/results_view.h"
#include "app/window/run/status_panel.h"
#include "app/window/run/time_controller.h"
#include "app/window/run/time_dock.h"
#include "app/window/schedule/schedule_controller.h"
#include "app/window/schedule/schedule_panel.h"
#include "app/window/shell/command_calls.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/guidance.h"
#include "app/window/shell/help.h"
#include "app/window/shell/panels.h"
#include "app/window/shell/shortcut_editor.h"
#include "app/window/shell/workspace.h"
#include "app/window/tensor/compiled_view.h"
#include "app/window/tensor/tensor_tools.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/inspector/inspector.h"
#include "widgets/knobs/knob_panel.h"
#include "widgets/metrics/metrics_bar.h"
#include "widgets/palette/operator_palette.h"
#include "widgets/plots/occupancy_plot.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/points/point_selection.h"

// Resources of a static library are only linked in if they are asked for; the macro wants no namespace around
// it.
static void initResources() {
  Q_INIT_RESOURCE(sluice);
}

namespace sluice::ui {
namespace {

/// Beside the window in the build folder, in a folder of its own where Sluice is installed.
QString layoutHelper(const QString& given) {
  if (!given.isEmpty()) return given;
  const QString here = QCoreApplication::applicationDirPath();
  const QString installed = here + QStringLiteral("/../libexec/sluice/sluice-layout");
  return QFileInfo::exists(installed) ? installed : here + QStringLiteral("/sluice-layout");
}

}  // namespace

MainWindow::MainWindow(const QString& layout_helper, QWidget* parent)
    : QMainWindow(parent),
      desktop_(QApplication::palette()),
      commands_(new Commands(this)),
      workspace_(new Workspace(layoutHelper(layout_helper), views_)),
      panels_(new Panels(this, workspace_, commands_)),
      knobs_(new KnobPanel),
      palette_(new OperatorPalette(builtInCatalog(), QString::fromLatin1(GraphCanvas::operatorMime))),
      design_(new DesignPage(&documents_)),
      inspector_(new Inspector(builtInCatalog())),
      metrics_(new MetricsBar),
      status_(new StatusPanel(&session_, this)),
      recent_(new RecentFiles(this)),
      results_(new ResultsView({workspace_->canvas(), metrics_, inspector_, workspace_->pareto(),
                                workspace_->points(), workspace_->occupancy(), workspace_->diagnostics()},
                               &session_, this)),
      context_{.window = this,
               .commands = commands_,
               .documents = &documents_,
               .session = &session_,
               .shown = &shown_,
               .canvas = workspace_->canvas(),
               .occupancy = workspace_->occupancy(),
               .results = results_},
      files_(new FileCommands(context_, &views_)),
      schedule_(new ScheduleController(context_)),
      tensors_(new TensorCommands(commands_, this)),
      deadlock_(new DeadlockScreen(context_)),
      time_(new TimeController(context_)),
      compare_(new CompareController(context_)),
      selection_(new SelectionLinks({workspace_, inspector_, results_}, this)),
      edits_(new EditController(context_)),
      arranging_(new ArrangeController(context_, edits_)),
      keeping_(new SafeKeeping(&documents_, files_, panels_, workspace_->canvas(), this)) {
  initResources();
  setObjectName(QStringLiteral("mainWindow"));
  setWindowIcon(QIcon(QStringLiteral(":/sluice.svg")));
  setAcceptDrops(true);
  setCentralWidget(workspace_);
  setStatusBar(status_);
  buildBars();
  buildDocks();
  connectCommands();
  connectDocument();
  connectCanvas();
  connectViews();
  resize(firstSize(*this));
  panels_->restore(QSettings());
  setTheme(themeFromName(QSettings().value(QStringLiteral("theme")).toString()));
  updateTitle();
  updateEnabled();
  guidance_ = new Guidance(this, files_, recent_);
}

MainWindow::~MainWindow() {
  // Answers of the engine must not meet views that are half destroyed.
  session_.disconnect();
  // Nor must views that clear their history on the way out meet commands that are gone.
  workspace_->explorer()->selection()->disconnect();
  workspace_->explorer()->selection()->undoStack()->disconnect();
  documents_.undoStack()->disconnect();
  documents_.disconnect();
}

void MainWindow::buildBars() {
  commands_->add({"file.close", "&File", "&Close Window", "Ctrl+W", "Close this window", "", true}, this,
                 [this] { close(); });
  commands_->add(
      {"file.quit", "&File", "&Quit", "Ctrl+Q", "Close every window; they come back at the next start"}, this,
      [this] { keeping_->quit(); });
  workspace_->explorer()->addCommands(commands_);
  commands_->fill(*menuBar());
  QMenu* file = commands_->menu(QStringLiteral("&File"));
  file->insertMenu(commands_->action(QStringLiteral("file.save")), recent_);
  QMenu* view = commands_->menu(QStringLiteral("&View"));
  QAction* first = view->actions().first();
  for (QAction* action : workspace_->canvas()->canvasActions()) {
    commands_->adopt(action, QStringLiteral("&View"));
    view->insertAction(first, action);
  }

  auto* tools = new QToolBar(tr("Commands"));
  tools->setObjectName(QStringLiteral("commandBar"));
  tools->setMovable(false);
  tools->setIconSize(QSize(20, 20));
  commands_->fill(*tools);
  addToolBar(tools);
  auto* figures = new QToolBar(tr("Figures"));
  figures->setObjectName(QStringLiteral("figuresBar"));
  figures->setMovable(false);
  figures->addWidget(metrics_);
  addToolBar(figures);
  for (QToolBar* bar : {tools, figures}) {
    bar->toggleViewAction()->setObjectName(QStringLiteral("panel.") + bar->objectName());
    commands_->adopt(bar->toggleViewAction(), QStringLiteral("&View"));
  }
}

void MainWindow::buildDocks() {
  auto* design = new QScrollArea;
  design->setWidget(design_);
  design->setWidgetResizable(true);
  design->setFrameShape(QFrame::NoFrame);
  design->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  const auto left = Qt::LeftDockWidgetArea;
  panels_->add(tr("Knobs"), QStringLiteral("knobDock"), knobs_, left);
  panels_->add(tr("Operators"), QStringLiteral("operatorDock"), palette_, left);
  panels_->add(tr("Design"), QStringLiteral("designDock"), design, left);
  panels_->add(tr("Schedule"), QStringLiteral("scheduleDock"), schedule_->panel(), left);
  panels_->add(tr("Inspector"), QStringLiteral("inspectorDock"), inspector_, Qt::RightDockWidgetArea);
  addDeadlockDock(*this, *panels_, *deadlock_);
  addTimeDock(*this, *panels_, *time_, *commands_, *files_);
  addCompareDock(*this, *panels_, *compare_, *commands_);
}

void MainWindow::connectCommands() {
  const auto on = [this](const char* id, auto&& run) {
    connect(commands_->action(QString::fromLatin1(id)), &QAction::triggered, this, run);
  };
  on("edit.undo", [this] { documents_.undoStack()->undo(); });
  on("edit.redo", [this] { documents_.undoStack()->redo(); });
  on("edit.resetKnobs",
     [this] { documents_.setKnobs(defaultKnobs(documents_.document()), tr("Reset knobs")); });
  on("edit.keepKnobs", [this] {
    documents_.edit(tr("Make knob values the defaults"),
                    [this](Document& document) { makeDefaults(document, documents_.knobs()); });
  });
  on("edit.addOperator", [this] {
    panels_->raise(QStringLiteral("operatorDock"));
    palette_->startSearch();
  });
  on("edit.keepLayout", [this] { keepLayout(); });
  on("run.explore", [this] { session_.explore(); });
  on("run.search", [this] { openSearch(documents_, &session_, this); });
  on("run.cancel", [this] { session_.cancel(); });
  on("view.themeSystem", [this] { setTheme(ThemeChoice::System); });
  on("view.themeLight", [this] { setTheme(ThemeChoice::Light); });
  on("view.themeDark", [this] { setTheme(ThemeChoice::Dark); });
  on("view.resetPanels", [this] { panels_->reset(); });
  on("view.commands", [this] { openCommandPalette(*commands_, this); });
  on("help.editShortcuts", [this] { (new ShortcutEditor(commands_, this))->open(); });
  on("help.shortcuts", [this] { showShortcuts(this, *commands_); });
  on("help.about", [this] { showAbout(this); });
  connect(recent_, &RecentFiles::fileChosen, this, [this](const QString& file) {
    if (files_->mayDiscard()) openFile(file);
  });
  connect(files_, &FileCommands::fileUsed, this,
          [this](const QString& file) { recent_->add(file.toStdString()); });
  connect(files_, &FileCommands::succeeded, this,
          [this](const QString& message) { status_->showMessage(message, 4000); });
  connect(files_, &FileCommands::reported, this, &MainWindow::showFileDiagnostics);
}

void MainWindow::connectDocument() {
  connect(&documents_, &DocumentController::opened, this, &MainWindow::showOpened);
  connect(&documents_, &DocumentController::changed, this, &MainWindow::showChange);
  connect(&documents_, &DocumentController::titleChanged, this, &MainWindow::updateTitle);
  const QUndoStack* undo = documents_.undoStack();
  QAction* undo_action = commands_->action(QStringLiteral("edit.undo"));
  QAction* redo_action = commands_->action(QStringLiteral("edit.redo"));
  connect(undo, &QUndoStack::canUndoChanged, undo_action, &QAction::setEnabled);
  connect(undo, &QUndoStack::canRedoChanged, redo_action, &QAction::setEnabled);
  connect(undo, &QUndoStack::undoTextChanged, this,
          [undo_action](const QString& text) { undo_action->setText(tr("&Undo %1").arg(text).trimmed()); });
  connect(undo, &QUndoStack::redoTextChanged, this,
          [redo_action](const QString& text) { redo_action->setText(tr("&Redo %1").arg(text).trimmed()); });
}

void MainWindow::connectCanvas() {
  GraphCanvas* canvas = workspace_->canvas();
  connectEdits(documents_, shown_, *canvas, *inspector_);
  const auto tell = [this](const Diagnostic& why) {
    status_->showMessage(QStringLiteral("\u2716 ") + QString::fromStdString(why.cause + "; " + why.fix),
                         8000);
  };
  connect(edits_, &EditController::refused, this, tell);
  connect(arranging_, &ArrangeController::refused, this, tell);
  connect(palette_, &OperatorPalette::kindActivated, edits_, &EditController::addKind);
  connect(&shown_, &ShownProgram::changed, this,
          [this, canvas] { showProgram(shown_, *canvas, *inspector_, *results_); });
  connect(schedule_, &ScheduleController::traced, results_, &ResultsView::setTrace);
  new CompiledDesigns({schedule_, &shown_, canvas, inspector_, tensors_}, this);
}

void MainWindow::connectViews() {
  connect(knobs_, &KnobPanel::knobsChanged, this,
          [this](const KnobValues& values, const QString& knob, bool dragging) {
            documents_.setKnobs(values, tr("Turn %1").arg(knob), dragging ? knob : QString());
          });
  connect(knobs_, &KnobPanel::dragFinished, this, [this] { documents_.endDrag(); });
  connect(workspace_->explorer(), &ExplorerPane::pointActivated, this, &MainWindow::usePoint);
  workspace_->explorer()->follow(&session_);
  connect(design_, &DesignPage::refused, this, &MainWindow::showFileDiagnostics);
  connect(status_, &StatusPanel::cancelRequested, &session_, &SessionController::cancel);
  connect(status_, &StatusPanel::diagnosticsRequested, workspace_, &Workspace::showDiagnostics);
  connect(results_, &ResultsView::diagnosticsChanged, this, [this](int errors, int warnings) {
    workspace_->setDiagnosticCounts(errors, warnings);
    status_->setDiagnosticCounts(errors, warnings);
  });
}

void MainWindow::showOpened() {
  const Document& document = documents_.document();
  workspace_->canvas()->reset();
  results_->reset();
  shown_.open(document);
  knobs_->setKnobs(document.knobs);
  knobs_->setValues(documents_.knobs());
  design_->setDocument(document);
  session_.setDocument(document, documents_.folder(), documents_.knobs());
  updateEnabled();
}

void MainWindow::showChange(const DesignState& before) {
  const Document& document = documents_.document();
  const bool other_document = !(document == before.document);
  if (other_document) {
    shown_.setPlain(document);
    design_->setDocument(document);
    knobs_->setKnobs(document.knobs);
  }
  knobs_->setValues(documents_.knobs());
  if (other_document && !sameMeaning(document, before.document)) {
    results_->forgetPoints();
    session_.setDocument(document, documents_.folder(), documents_.knobs());
  } else if (documents_.knobs() != before.knobs) {
    session_.setKnobs(documents_.knobs());
  }
}

void MainWindow::usePoint(int index) {
  const auto& points = workspace_->points()->points();
  if (index < 0 || static_cast<std::size_t>(index) >= points.size()) return;
  workspace_->explorer()->selection()->select({index});
  const KnobValues& knobs = points[static_cast<std::size_t>(index)].knobs;
  const auto known = [&](const auto& knob) { return documents_.knobs().contains(knob.first); };
  if (knobs.size() != documents_.knobs().size() || !std::all_of(knobs.begin(), knobs.end(), known))
    return status_->showMessage(tr("The point is of a program with other knobs"), 6000);
  documents_.setKnobs(knobs, tr("Choose a point"));
}

void MainWindow::jumpTo(const QString& place) {
  const std::string name = place.toStdString();
  selection_->jumpTo(Location(Where::Stream, name) / Location(Where::Node, name));
}

void MainWindow::showFileDiagnostics(const Diagnostics& diagnostics) {
  results_->setFileDiagnostics(diagnostics);
  if (!diagnostics.empty()) workspace_->showDiagnostics();
}

bool MainWindow::openFile(const QString& file) {
  return files_->open(file);
}
bool MainWindow::saveFile(const QString& file) {
  return files_->saveAs(file);
}
bool MainWindow::exportFile(const QString& file, const ExportChoice& choice) {
  return files_->exportTo(file, choice);
}

void MainWindow::keepLayout() {
  const QHash<QString, QPointF> positions = workspace_->canvas()->nodePositions();
  documents_.edit(tr("Keep the layout"), [&](Document& document) {
    for (auto node = positions.begin(); node != positions.end(); ++node) {
      setPosition(document, node.key().toStdString(), {node->x(), node->y()});
    }
  });
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  panels_->shown();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!files_->mayDiscard()) return event->ignore();
  session_.cancel();
  keeping_->windowCloses();
  event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (urls.size() == 1 && QDir::match(FileCommands::openable(), urls.first().fileName()))
    event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  if (files_->mayDiscard()) openFile(event->mimeData()->urls().first().toLocalFile());
}

void MainWindow::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) commands_->setIconColours(palette());
}

void MainWindow::setTheme(ThemeChoice choice) {
  applyTheme(choice, desktop_);
  setStyleSheet(windowStyleSheet(QApplication::palette()));
  commands_->setIconColours(QApplication::palette());
  const QString name = nameOf(choice);
  QSettings().setValue(QStringLiteral("theme"), name);
  commands_->action(QStringLiteral("view.theme") + name.left(1).toUpper() + name.mid(1))->setChecked(true);
}

void MainWindow::updateTitle() {
  const QString file = documents_.fileName();
  QString shown = documents_.isReadOnly() ? tr("%1 (read-only)").arg(file) : file;
  if (documents_.hasDocument() && !documents_.hasFile()) shown = tr("%1 (not saved yet)").arg(file);
  setWindowTitle(file.isEmpty() ? tr("Sluice") : tr("%1[*] \u2013 Sluice").arg(shown));
  setWindowModified(documents_.isModified());
}

void MainWindow::updateEnabled() {
  for (const char* id : {"file.save", "file.saveAs", "file.export", "file.copyPicture", "edit.resetKnobs",
                         "edit.keepKnobs", "edit.keepLayout", "run.explore", "run.search", "run.cancel"}) {
    commands_->action(QString::fromLatin1(id))->setEnabled(documents_.hasDocument());
  }
  commands_->action(QStringLiteral("edit.undo"))->setEnabled(documents_.undoStack()->canUndo());
  commands_->action(QStringLiteral("edit.redo"))->setEnabled(documents_.undoStack()->canRedo());
}

}  // namespace sluice::ui

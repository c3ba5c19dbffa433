#include "app/window/shell/main_window.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenuBar>
#include <QMimeData>
#include <QSettings>
#include <QToolBar>
#include <algorithm>
#include <utility>

#include "app/window/deadlock/deadlock_screen.h"
#include "app/window/designs/designs_controller.h"
#include "app/window/document/crash_recovery.h"
#include "app/window/document/document_edits.h"
#include "app/window/document/file_commands.h"
#include "app/window/document/program_canvas.h"
#include "app/window/document/recent_files.h"
#include "app/window/edit/arrange_controller.h"
#include "app/window/explore/explorer_pane.h"
#include "app/window/explore/search_dialog.h"
#include "app/window/explore/selection_links.h"
#include "app/window/run/canvas_topic.h"
#include "app/window/run/compare_controller.h"
#include "app/window/run/results_view.h"
#include "app/window/run/status_panel.h"
#include "app/window/run/time_controller.h"
#include "app/window/schedule/schedule_controller.h"
#include "app/window/shell/command_calls.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/help.h"
#include "app/window/shell/onboarding.h"
#include "app/window/shell/panels.h"
#include "app/window/shell/shortcut_editor.h"
#include "app/window/shell/typing_guard.h"
#include "app/window/shell/view_spec.h"
#include "app/window/shell/workspace.h"
#include "app/window/tensor/compiled_view.h"
#include "app/window/tensor/tensor_tools.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/diagnostic_text.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/inspector/inspector.h"
#include "widgets/knobs/knob_panel.h"
#include "widgets/metrics/metrics_bar.h"
#include "widgets/palette/operator_palette.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/points/point_selection.h"
#include "widgets/timeline/timeline_panel.h"

// Resources of a static library are only linked in if they are asked for; the macro wants no namespace around
// it.
static void initResources() {
  Q_INIT_RESOURCE(sluice);
  Q_INIT_RESOURCE(manual);
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
      workspace_(new Workspace(layoutHelper(layout_helper))),
      panels_(new Panels(this, workspace_, commands_)),
      status_(new StatusPanel(&session_, this)),
      recent_(new RecentFiles(this)),
      context_{
          .window = this,
          .commands = commands_,
          .views = &views_,
          .panels = panels_,
          .documents = &documents_,
          .session = &session_,
          .shown = &shown_,
          .canvas = workspace_->canvas(),
          .explorer = workspace_->explorer(),
          .occupancy = workspace_->occupancy(),
          .diagnostics = workspace_->diagnostics(),
          .operators = new OperatorPalette(builtInCatalog(), QString::fromLatin1(GraphCanvas::operator_mime)),
          .inspector = new Inspector(builtInCatalog()),
          .metrics = new MetricsBar,
          .jump = [this](const QString& place) { jumpTo(place); },
          .report = [this](const Diagnostics& why) { showFileDiagnostics(why); }} {
  initResources();
  setObjectName(QStringLiteral("mainWindow"));
  setWindowIcon(QIcon(QStringLiteral(":/sluice.svg")));
  setAcceptDrops(true);
  new TypingGuard(this);
  addCommands();
  context_.results = results_ = new ResultsView(context_);
  context_.files = files_ = new FileCommands(context_);
  const std::vector<MadeView> made = makeViews();
  tensors_ = new TensorCommands(commands_, this);
  selection_ = new SelectionLinks(context_);
  edits_ = new EditController(context_);
  arranging_ = new ArrangeController(context_, edits_);
  keeping_ = new CrashRecovery(context_);
  onboarding_ = new Onboarding(this, context_);
  setCentralWidget(workspace_);
  setStatusBar(status_);
  buildBars();
  placeViews(made);
  connectFiles();
  connectDocument();
  connectCanvas();
  connectViews();
  resize(firstSize(*this));
  panels_->restore(QSettings());
  setTheme(themeFromName(QSettings().value(QStringLiteral("theme")).toString()));
  updateTitle();
  updateEnabled();
  onboarding_->welcomeWith(*recent_);
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
  figures->addWidget(context_.metrics);
  addToolBar(figures);
  filters_ = new QToolBar(tr("Filters of the Points"));
  filters_->setObjectName(QStringLiteral("filtersBar"));
  filters_->setMovable(false);
  filters_->addWidget(context_.explorer);
  addToolBar(Qt::BottomToolBarArea, filters_);
  for (QToolBar* bar : {tools, figures, filters_}) {
    bar->toggleViewAction()->setObjectName(QStringLiteral("panel.") + bar->objectName());
    commands_->adopt(bar->toggleViewAction(), QStringLiteral("&View"));
  }
}

std::vector<MadeView> MainWindow::makeViews() {
  std::vector<MadeView> made;
  for (const ViewSpec& view : viewRegistry().all()) {
    made.push_back(view.make(context_));
    for (const View& each : made.back().exported) views_.add(each);
  }
  return made;
}

void MainWindow::placeViews(const std::vector<MadeView>& made) {
  const auto views = viewRegistry().all();
  for (std::size_t i = 0; i < views.size(); ++i) panels_->place(views[i], made[i]);
  panels_->reset();
  auto* badges = new CanvasTopic(workspace_->canvas());
  badges->follow(panels_->dock(QStringLiteral("energy")), Topic::Costs);
  badges->follow(panels_->dock(QStringLiteral("compare")), Topic::Differences);
  badges->follow(panels_->dock(QStringLiteral("deadlock")), Topic::Deadlock);
  connect(panels_, &Panels::raised, badges, &CanvasTopic::activate);
  // Their filters are there while one of the views of the points is.
  QList<QDockWidget*> docks;
  for (const ViewSpec& view : views)
    if (view.area == Area::Points) docks << panels_->dock(QString::fromLatin1(view.id));
  for (const QDockWidget* dock : docks)
    connect(dock, &QDockWidget::visibilityChanged, filters_, [bar = filters_, docks] {
      bar->setVisible(std::ranges::any_of(docks, [](const QDockWidget* each) { return !each->isHidden(); }));
    });
  menuBar()->setCornerWidget(panels_->makeSwitch());
}

void MainWindow::addCommands() {
  const auto on = [this](const Command& command, const std::function<void()>& run) {
    commands_->add(command, this, run);
  };
  on({.id = "file.close",
      .menu = "&File",
      .text = "&Close Window",
      .shortcuts = "Ctrl+W",
      .tooltip = "Close this window",
      .separated = true,
      .section = 1},
     [this] { close(); });
  on({.id = "file.quit",
      .menu = "&File",
      .text = "&Quit",
      .shortcuts = "Ctrl+Q",
      .tooltip = "Close every window; they come back at the next start",
      .section = 1},
     [this] { keeping_->quit(); });
  on({"run.explore", "&Run", "&Explore", "F5; Ctrl+E", "Evaluate every combination of the knobs", "explore"},
     [this] { session_.explore(); });
  on({"run.search", "&Run", "&Search…", "Shift+F5",
      "Search the design space by a strategy, within a budget and constraints"},
     [this] { openSearch(documents_, &session_, this); });
  on({"run.designs", "&Run", "Find &Designs…", "Ctrl+Shift+F5",
      "Find schedules of the program that are best in two objectives, by trying steps that are legal"},
     [this] { designs()->openDialog(); });
  on({"run.cancel", "&Run", "&Cancel", "Ctrl+.",
      "Stop what is running: the exploration, the simulation, the layout of the graph", "cancel"},
     [this] { status_->cancel(); });
  on({.id = "help.shortcuts",
      .menu = "&Help",
      .text = "&Keyboard Shortcuts",
      .shortcuts = "Ctrl+F1",
      .tooltip = "List every command and its keys",
      .section = 1},
     [this] { showShortcuts(this, *commands_); });
  on({.id = "help.editShortcuts",
      .menu = "&Help",
      .text = "&Change the Keys…",
      .shortcuts = "",
      .tooltip = "Give commands other keys",
      .section = 1},
     [this] { (new ShortcutEditor(commands_, this))->open(); });
  on({.id = "help.about",
      .menu = "&Help",
      .text = "&About Sluice",
      .shortcuts = "",
      .tooltip = "What this is",
      .section = 1},
     [this] { showAbout(this); });
  addEditCommands();
  addViewCommands();
}

void MainWindow::addEditCommands() {
  const auto on = [this](Command command, const std::function<void()>& run) {
    command.menu = "&Edit";
    commands_->add(command, this, run);
  };
  on({"edit.undo", "", "&Undo", "Ctrl+Z", "Take back the last change", "undo"},
     [this] { documents_.undoStack()->undo(); });
  on({"edit.redo", "", "&Redo", "Ctrl+Shift+Z; Ctrl+Y", "Make the change that was taken back", "redo"},
     [this] { documents_.undoStack()->redo(); });
  on({.id = "edit.resetKnobs",
      .menu = "",
      .text = "Reset &Knobs",
      .shortcuts = "Ctrl+Shift+R",
      .tooltip = "Set every knob to its default",
      .separated = true,
      .section = 4},
     [this] { documents_.setKnobs(defaultKnobs(documents_.document()), tr("Reset knobs")); });
  on({.id = "edit.keepKnobs",
      .menu = "",
      .text = "&Make Knob Values the Defaults",
      .shortcuts = "",
      .tooltip = "Keep the knobs as they stand in the file",
      .section = 4},
     [this] {
       documents_.edit(tr("Make knob values the defaults"),
                       [this](Document& document) { makeDefaults(document, documents_.knobs()); });
     });
  on({.id = "edit.keepLayout",
      .menu = "",
      .text = "Keep Canvas La&yout in the File",
      .shortcuts = "",
      .tooltip = "Write the place of every node, and which regions are open, into the program",
      .separated = true,
      .section = 5},
     [this] { keepLayout(); });
}

void MainWindow::addViewCommands() {
  const auto on = [this](Command command, int section, const std::function<void()>& run) {
    command.menu = "&View";
    command.section = section;
    commands_->add(command, this, run);
  };
  on({"view.commands", "", "&Command Palette…", "Ctrl+K", "Call any command by a few letters of its name", "",
      true},
     1, [this] { openCommandPalette(*commands_, this); });
  const auto theme = [&](const char* id, const char* text, const char* tooltip, ThemeChoice choice) {
    on({.id = id,
        .menu = "",
        .text = text,
        .shortcuts = "",
        .tooltip = tooltip,
        .group = "theme",
        .submenu = "T&heme"},
       3, [this, choice] { setTheme(choice); });
  };
  theme("view.themeSystem", "Theme: as the &System", "Follow the colours of the desktop",
        ThemeChoice::System);
  theme("view.themeLight", "Theme: &Light", "Dark text on light ground", ThemeChoice::Light);
  theme("view.themeDark", "Theme: &Dark", "Light text on dark ground", ThemeChoice::Dark);
  panels_->addCommands();
  on({.id = "view.resetPanels",
      .menu = "",
      .text = "Reset &Panels",
      .shortcuts = "",
      .tooltip = "Put every panel of this perspective where it was at first",
      .separated = true,
      .submenu = panels_menu},
     4, [this] { panels_->reset(); });
}

void MainWindow::connectFiles() {
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
  connectEdits(context_);
  const auto tell = [this](const Diagnostic& why) {
    status_->showMessage(QStringLiteral("\u2716 ") + QString::fromStdString(why.cause + "; " + why.fix),
                         8000);
  };
  connect(edits_, &EditController::refused, this, tell);
  connect(arranging_, &ArrangeController::refused, this, tell);
  connect(context_.operators, &OperatorPalette::kindActivated, edits_, &EditController::addKind);
  connect(&shown_, &ShownProgram::changed, this, [this] { showProgram(context_); });
  new CompiledDesigns({schedule(), &shown_, context_.canvas, context_.inspector, tensors_}, this);
}

void MainWindow::connectViews() {
  connect(workspace_->explorer(), &ExplorerPane::pointActivated, this, &MainWindow::usePoint);
  workspace_->explorer()->follow(&session_);
  connect(status_, &StatusPanel::cancelRequested, &session_, &SessionController::cancel);
  connect(status_, &StatusPanel::cancelRequested, designs(), &DesignsController::cancel);
  connect(designs(), &DesignsController::progressed, status_, &StatusPanel::showWork);
  connect(designs(), &DesignsController::pinRequested, comparison(), &CompareController::pinRun);
  connect(designs(), &DesignsController::ended, status_, &StatusPanel::endWork);
  connect(designs(), &DesignsController::tookDesign, status_,
          [this](const QString& what) { status_->showMessage(what, 8000); });
  connect(status_, &StatusPanel::layoutCancelRequested, context_.canvas, &GraphCanvas::cancelLayout);
  connect(context_.canvas, &GraphCanvas::layoutProgressed, status_, &StatusPanel::showLayout);
  connect(status_, &StatusPanel::diagnosticsRequested, workspace_, &Workspace::showDiagnostics);
  connect(results_, &ResultsView::diagnosticsChanged, this, &MainWindow::showProblems);
}

void MainWindow::showProblems(int errors, int warnings) {
  workspace_->setDiagnosticCounts(errors, warnings);
  status_->setDiagnosticCounts(errors, warnings);
  const Diagnostics& all = context_.diagnostics->diagnostics();  // the gravest first
  status_->setProblem(errors == 0 || all.empty() ? QString() : placedText(all.front()));
  const int before = std::exchange(errors_, errors);
  if (before == 0 && errors > 0) panels_->bringForward(QStringLiteral("diagnostics"));
  if (before > 0 && errors == 0) panels_->bringBack(QStringLiteral("diagnostics"));
}

/// What was done to the views of another program; that of a file that is only read again stays.
void MainWindow::forgetLast() {
  const std::filesystem::path last = std::exchange(opened_, documents_.file());
  if (documents_.hasFile() && last == opened_) return;
  workspace_->explorer()->forget();
  comparison()->clear();
  time()->panel()->filter()->clear();
}

void MainWindow::showOpened() {
  const Document& document = documents_.document();
  forgetLast();
  workspace_->canvas()->reset();
  workspace_->canvas()->setFocus();  // the keys for nodes are the canvas's
  results_->reset();
  shown_.open(document);
  session_.setDocument(document, documents_.folder(), documents_.knobs());
  updateEnabled();
}

void MainWindow::showChange(const DesignState& before) {
  const Document& document = documents_.document();
  const bool other_document = !(document == before.document);
  if (other_document) {
    holdPlaces(context_, before.document, document);
    shown_.setPlain(document);
  }
  if (other_document && !sameMeaning(document, before.document)) {
    context_.explorer->outdate();
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

KnobPanel* MainWindow::knobs() const {
  return findChild<KnobPanel*>();
}
ScheduleController* MainWindow::schedule() const {
  return findChild<ScheduleController*>();
}
DeadlockScreen* MainWindow::deadlock() const {
  return findChild<DeadlockScreen*>();
}
DesignsController* MainWindow::designs() const {
  return findChild<DesignsController*>();
}
TimeController* MainWindow::time() const {
  return findChild<TimeController*>();
}
CompareController* MainWindow::comparison() const {
  return findChild<CompareController*>();
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
    for (const auto& [path, collapsed] : shown_.collapsed()) setCollapsed(document, path, collapsed);
  });
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  panels_->shown();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!files_->mayDiscard()) return event->ignore();
  session_.cancel();
  designs()->cancel();
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
  for (const char* id : {"file.save", "file.saveAs", "file.export", "file.project", "file.compose",
                         "file.copyPicture", "edit.resetKnobs", "edit.keepKnobs", "edit.keepLayout",
                         "run.explore", "run.search", "run.designs", "run.cancel"}) {
    commands_->action(QString::fromLatin1(id))->setEnabled(documents_.hasDocument());
  }
  commands_->action(QStringLiteral("edit.undo"))->setEnabled(documents_.undoStack()->canUndo());
  commands_->action(QStringLiteral("edit.redo"))->setEnabled(documents_.undoStack()->canRedo());
}

}  // namespace sluice::ui

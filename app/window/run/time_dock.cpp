#include "app/window/run/time_dock.h"

#include <QAction>
#include <QDockWidget>
#include <QMenu>
#include <QTreeView>

#include "app/window/document/file_commands.h"
#include "app/window/document/save_file_dialog.h"
#include "app/window/run/time_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/panels.h"
#include "widgets/export/table_picture.h"
#include "widgets/timeline/timeline_panel.h"

namespace sluice::ui {

namespace {

void exportRun(MainWindow& window, const TimeController& time, FileCommands& files) {
  const QString file = chooseFileToSave(&window, QObject::tr("Export the run"), {},
                                        QObject::tr("Chrome trace, for Perfetto (*.json);;"
                                                    "Value change dump, for GTKWave (*.vcd)"));
  if (!file.isEmpty()) files.report(time.exportRun(file), QObject::tr("Wrote %1").arg(file));
}

void addViews(Views& views, TimelinePanel& panel) {
  const auto missing = [&panel] {
    return missingUnless(static_cast<bool>(panel.view()->run()), "the timeline",
                         "there is no run that was recorded in full",
                         "open the timeline (F6) and wait for the simulation");
  };
  views.add({.id = QStringLiteral("timeline"),
             .title = QObject::tr("Timeline"),
             .group = ViewGroup::Run,
             .widget = &panel,
             .printable = [&panel](const View&) { return printable(*panel.view()); },
             .missing = missing});
  const auto stalls = [model = panel.stallModel()](const View& view) {
    return printable(*model, {view.id, view.title}, [model] { return model->csv(); });
  };
  views.add({.id = QStringLiteral("stalls"),
             .title = QObject::tr("Table of lost cycles and their causes"),
             .group = ViewGroup::Tables,
             .widget = panel.stallTable(),
             .is_table = true,
             .printable = stalls,
             .missing = missing});
}

}  // namespace

void addTimeDock(MainWindow& window, Panels& panels, TimeController& time, Commands& commands,
                 FileCommands& files) {
  QDockWidget* dock = panels.add(QObject::tr("Timeline"), QStringLiteral("timelineDock"), time.panel(),
                                 Qt::BottomDockWidgetArea);
  dock->setFeatures(dock->features() | QDockWidget::DockWidgetFloatable);
  dock->hide();
  addViews(window.views(), *time.panel());
  QObject::connect(dock, &QDockWidget::visibilityChanged, &time, &TimeController::setWanted);
  QObject::connect(&time, &TimeController::nodeSelected, &window, &MainWindow::jumpTo);
  QObject::connect(&time, &TimeController::streamSelected, &window, &MainWindow::jumpTo);
  QAction* show = dock->toggleViewAction();
  QMenu* menu = commands.menu(QStringLiteral("T&ime"));
  menu->insertAction(menu->insertSeparator(menu->actions().first()), show);
  commands.setDefaultKeys(show, {QKeySequence(Qt::Key_F6)});
  const auto bring = [dock, &window, &time] {
    dock->show();
    dock->raise();
    window.resizeDocks({dock}, {300}, Qt::Vertical);
    time.panel()->view()->setFocus();
  };
  QObject::connect(show, &QAction::triggered, dock, [bring](bool shown) {
    if (shown) bring();
  });
  QObject::connect(&time, &TimeController::runNeeded, dock, bring);
  QObject::connect(&time, &TimeController::exportRequested, dock,
                   [&window, &time, &files] { exportRun(window, time, files); });
}

}  // namespace sluice::ui

#include "app/window/run/time_dock.h"

#include <QAction>
#include <QDockWidget>
#include <QMenu>

#include "app/window/document/file_commands.h"
#include "app/window/document/save_file_dialog.h"
#include "app/window/run/time_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/panels.h"
#include "app/window/shell/workspace.h"
#include "widgets/timeline/timeline_panel.h"

namespace sluice::ui {

namespace {

void exportRun(MainWindow& window, const TimeController& time, FileCommands& files) {
  const QString file = chooseFileToSave(&window, QObject::tr("Export the run"), {},
                                        QObject::tr("Chrome trace, for Perfetto (*.json);;"
                                                    "Value change dump, for GTKWave (*.vcd)"));
  if (!file.isEmpty()) files.report(time.exportRun(file), QObject::tr("Wrote %1").arg(file));
}

}  // namespace

void addTimeDock(MainWindow& window, Panels& panels, TimeController& time, Commands& commands,
                 FileCommands& files) {
  QDockWidget* dock = panels.add(QObject::tr("Timeline"), QStringLiteral("timelineDock"), time.panel(),
                                 Qt::BottomDockWidgetArea);
  dock->setFeatures(dock->features() | QDockWidget::DockWidgetFloatable);
  dock->hide();
  QObject::connect(dock, &QDockWidget::visibilityChanged, &time, &TimeController::setWanted);
  QObject::connect(&time, &TimeController::nodeSelected, &window, &MainWindow::jumpTo);
  QObject::connect(&time, &TimeController::streamSelected, &window, &MainWindow::jumpTo);
  const auto on = [&](const char* id, auto&& run) {
    QObject::connect(commands.action(QString::fromLatin1(id)), &QAction::triggered, dock, run);
  };
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
  on("time.export", [&window, &time, &files] { exportRun(window, time, files); });
}

}  // namespace sluice::ui

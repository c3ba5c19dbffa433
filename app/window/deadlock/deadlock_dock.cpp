#include "app/window/deadlock/deadlock_dock.h"

#include <QDockWidget>
#include <QTreeWidget>

#include "app/window/deadlock/deadlock_screen.h"
#include "app/window/run/time_controller.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/panels.h"
#include "widgets/deadlock/deadlock_panel.h"
#include "widgets/deadlock/near_miss_box.h"
#include "widgets/export/table_picture.h"

namespace sluice::ui {
namespace {

void addView(Views& views, NearMissBox& box) {
  const auto table = [&box](const View& view) {
    return printable(*box.table()->model(), {view.id, view.title}, [&box] { return box.csv(); });
  };
  const auto missing = [&box] {
    return missingUnless(box.table()->topLevelItemCount() > 0, "the table of near misses",
                         "none has been found",
                         "search for near misses (menu Deadlock) after a run that ends");
  };
  views.add({.id = QStringLiteral("near-misses"),
             .title = QObject::tr("Table of near misses of deadlock"),
             .group = ViewGroup::Deadlock,
             .widget = &box,
             .is_table = true,
             .printable = table,
             .missing = missing});
}

}  // namespace

void addDeadlockDock(MainWindow& window, Panels& panels, DeadlockScreen& deadlock) {
  deadlock.setDock(panels.add(QObject::tr("Deadlock"), QStringLiteral("deadlockDock"), deadlock.panel(),
                              Qt::RightDockWidgetArea));
  addView(window.views(), *deadlock.panel()->nearMisses());
  QObject::connect(&panels, &Panels::wasReset, &deadlock, [&panels, &deadlock] {
    deadlock.placeDock(panels.panel(QStringLiteral("inspectorDock")));
  });
  QObject::connect(&deadlock, &DeadlockScreen::jumpRequested, &window, &MainWindow::jumpTo);
  QObject::connect(&deadlock, &DeadlockScreen::cycleRequested, window.time(), &TimeController::goTo);
}

}  // namespace sluice::ui

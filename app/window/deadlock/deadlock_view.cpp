// Deadlocks as a view: a tab of the inspector's dock, in front while there is one.

#include <QDockWidget>
#include <QMainWindow>
#include <QTreeWidget>
#include <utility>

#include "app/window/deadlock/deadlock_screen.h"
#include "app/window/run/session_controller.h"
#include "app/window/run/time_controller.h"
#include "app/window/shell/built_in_views.h"
#include "app/window/shell/panels.h"
#include "widgets/deadlock/deadlock_panel.h"
#include "widgets/deadlock/near_miss_box.h"
#include "widgets/export/table_picture.h"

namespace sluice::ui::views {
namespace {

View nearMissTable(NearMissBox* box) {
  const auto table = [box](const View& view) {
    return exportable(*box->table()->model(), {view.id, view.title}, [box] { return box->csv(); });
  };
  const auto missing = [box] {
    return missingUnless(box->table()->topLevelItemCount() > 0, "the table of near misses",
                         "none has been found",
                         "search for near misses (menu Deadlock) after a run that ends");
  };
  return {.id = QStringLiteral("near-misses"),
          .title = QObject::tr("Table of near misses of deadlock"),
          .group = ViewGroup::Deadlock,
          .widget = box,
          .is_table = true,
          .exportable = table,
          .missing = missing};
}

MadeView makeDeadlock(const WindowContext& context) {
  auto* deadlock = new DeadlockScreen(context);
  QObject::connect(deadlock, &DeadlockScreen::jumpRequested, context.window, context.jump);
  QObject::connect(deadlock, &DeadlockScreen::cycleRequested, context.window,
                   [window = context.window](qint64 cycle) {
                     if (auto* time = window->findChild<TimeController*>()) time->goTo(cycle);
                   });
  const auto placed = [deadlock, session = context.session, panels = context.panels](QDockWidget& dock) {
    deadlock->setDock(&dock);
    QObject::connect(panels, &Panels::wasReset, deadlock, [deadlock, panels] {
      if (deadlock->isDeadlocked()) panels->bringForward(QStringLiteral("deadlock"));
    });
    // A healthy program has nothing to show there.
    QObject::connect(session, &SessionController::pointReady, deadlock,
                     [deadlock, panels, was = false]() mutable {
                       if (std::exchange(was, deadlock->isDeadlocked()) && !was)
                         panels->bringForward(QStringLiteral("inspector"));
                     });
  };
  return {deadlock->panel(), {nearMissTable(deadlock->panel()->nearMisses())}, placed};
}

}  // namespace

ViewSpec deadlock() {
  return {.id = "deadlock",
          .title = "Deadlock",
          .area = Area::Right,
          .make = makeDeadlock,
          .tab_of = "inspector"};
}

}  // namespace sluice::ui::views

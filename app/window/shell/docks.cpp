#include "app/window/shell/docks.h"

#include <QDockWidget>
#include <QLayout>
#include <QMainWindow>
#include <QStatusBar>

namespace sluice::ui {

QDockWidget* dockOf(const QWidget& view) {
  for (QWidget* at = view.parentWidget(); at; at = at->parentWidget())
    if (auto* dock = qobject_cast<QDockWidget*>(at)) return dock;
  return nullptr;
}

bool isInFront(const QDockWidget& dock) {
  // Qt does not hide the docks behind a tab: it moves them out of the window.
  return dock.isVisible() && (dock.isFloating() || dock.parentWidget()->rect().intersects(dock.geometry()));
}

void bringToFront(QDockWidget& dock) {
  dock.show();
  auto* window = qobject_cast<QMainWindow*>(dock.parentWidget());
  if (!window || dock.isFloating()) return dock.raise();
  window->layout()->activate();  // its tab is there only after that
  // The tabs learn of it from the order of the window's children, which must change.
  if (window->children().last() == &dock) window->statusBar()->raise();
  dock.raise();
  window->layout()->activate();
  // What lies over the window stays there.
  if (auto* palette =
          window->findChild<QWidget*>(QStringLiteral("commandPalette"), Qt::FindDirectChildrenOnly))
    palette->raise();
}

}  // namespace sluice::ui

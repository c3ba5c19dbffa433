#include "app/window/shell/panels.h"

#include <QDockWidget>
#include <QGuiApplication>
#include <QMainWindow>
#include <QMenu>
#include <QScreen>
#include <QSettings>
#include <QStyle>

#include "app/window/shell/commands.h"
#include "app/window/shell/workspace.h"

namespace sluice::ui {
namespace {

constexpr int stateVersion = 3;  // of docks and toolbars; another version's state is not restored

}  // namespace

QSize firstSize(const QWidget& window) {
  constexpr QSize wanted(1600, 1000);
  // Nobody looks at that screen, and pictures are as large on any machine.
  if (QGuiApplication::platformName() == QLatin1String("offscreen")) return wanted;
  const int title = window.style()->pixelMetric(QStyle::PM_TitleBarHeight);
  return wanted.boundedTo(window.screen()->availableSize() - QSize(0, title));
}

Panels::Panels(QMainWindow* window, Workspace* workspace, Commands* commands)
    : QObject(window), window_(window), workspace_(workspace), commands_(commands) {}

QDockWidget* Panels::add(const QString& title, const QString& name, QWidget* content,
                         Qt::DockWidgetArea area) {
  auto* widget = new QDockWidget(title);
  widget->setObjectName(name);
  widget->setWidget(content);
  content->setMinimumWidth(220);
  widget->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetClosable);
  window_->addDockWidget(area, widget);
  QAction* toggle = widget->toggleViewAction();
  toggle->setObjectName(QStringLiteral("panel.") + name);
  commands_->adopt(toggle, QStringLiteral("&View"));
  commands_->menu(QStringLiteral("&View"))
      ->insertAction(commands_->action(QStringLiteral("view.resetPanels")), toggle);
  return widget;
}

QDockWidget* Panels::panel(const QString& name) const {
  return window_->findChild<QDockWidget*>(name);
}

void Panels::raise(const QString& name) {
  panel(name)->show();
  panel(name)->raise();
}

void Panels::restore(const QSettings& settings) {
  window_->restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
  if (window_->restoreState(settings.value(QStringLiteral("window/state")).toByteArray(), stateVersion))
    arranged_ = true;
  const QByteArray parts = settings.value(QStringLiteral("window/parts")).toByteArray();
  if (!parts.isEmpty()) workspace_->restoreParts(parts);
}

void Panels::save(QSettings& settings) const {
  settings.setValue(QStringLiteral("window/geometry"), window_->saveGeometry());
  settings.setValue(QStringLiteral("window/state"), window_->saveState(stateVersion));
  settings.setValue(QStringLiteral("window/parts"), workspace_->saveParts());
}

void Panels::shown() {
  if (!std::exchange(arranged_, true)) reset();
}

void Panels::reset() {
  QDockWidget* knobs = panel(QStringLiteral("knobDock"));
  QDockWidget* operators = panel(QStringLiteral("operatorDock"));
  QDockWidget* design = panel(QStringLiteral("designDock"));
  QDockWidget* schedule = panel(QStringLiteral("scheduleDock"));
  QDockWidget* inspector = panel(QStringLiteral("inspectorDock"));
  for (QDockWidget* left : {knobs, operators, design, schedule})
    window_->addDockWidget(Qt::LeftDockWidgetArea, left);
  window_->addDockWidget(Qt::RightDockWidgetArea, inspector);
  for (QDockWidget* each : {knobs, operators, design, schedule, inspector}) each->show();
  window_->tabifyDockWidget(knobs, operators);
  window_->tabifyDockWidget(design, schedule);
  knobs->raise();
  schedule->raise();
  window_->resizeDocks({knobs, design}, {500, 300}, Qt::Vertical);
  window_->resizeDocks({knobs, inspector}, {270, 330}, Qt::Horizontal);
  workspace_->resetParts();
  emit wasReset();
}

}  // namespace sluice::ui

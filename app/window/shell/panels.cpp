#include "app/window/shell/panels.h"

#include <QAction>
#include <QDockWidget>
#include <QGuiApplication>
#include <QMainWindow>
#include <QMenu>
#include <QScreen>
#include <QSettings>
#include <QStyle>

#include "app/window/shell/commands.h"
#include "app/window/shell/view_spec.h"
#include "app/window/shell/view_tabs.h"
#include "app/window/shell/workspace.h"

namespace sluice::ui {
namespace {

constexpr int state_version = 3;  // of docks and toolbars; another version's state is not restored
constexpr int bottom_height = 300;

const auto parts_key = QStringLiteral("window/views");

QString dockName(const QString& id) {
  return id + QStringLiteral("Dock");
}

Qt::DockWidgetArea sideOf(Area area) {
  return area == Area::Left    ? Qt::LeftDockWidgetArea
         : area == Area::Right ? Qt::RightDockWidgetArea
                               : Qt::BottomDockWidgetArea;
}

void raiseAtBottom(QMainWindow& window, QDockWidget& dock) {
  dock.raise();
  window.resizeDocks({&dock}, {bottom_height}, Qt::Vertical);
}

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

void Panels::place(const ViewSpec& view, const MadeView& made) {
  if (workspace_->tabs(view.area))
    placeTab(view, made.widget);
  else
    placeDock(view, made);
}

void Panels::placeDock(const ViewSpec& view, const MadeView& made) {
  auto* dock = new QDockWidget(titleOf(view));
  dock->setObjectName(dockName(QString::fromLatin1(view.id)));
  dock->setWidget(made.widget);
  made.widget->setMinimumWidth(220);
  QDockWidget::DockWidgetFeatures may = QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetClosable;
  if (view.floats) may |= QDockWidget::DockWidgetFloatable;
  dock->setFeatures(may);
  window_->addDockWidget(sideOf(view.area), dock);
  QAction* toggle = dock->toggleViewAction();
  toggle->setObjectName(QStringLiteral("panel.") + dock->objectName());
  addCommand(view, toggle, *commands_->menu(QStringLiteral("&View")));
  if (view.area == Area::Bottom)
    connect(toggle, &QAction::triggered, this, [this, dock](bool shown) {
      if (shown) raiseAtBottom(*window_, *dock);
    });
  // Those that show at first are put together by reset().
  if (view.hidden && *view.tab_of)
    window_->tabifyDockWidget(this->dock(QString::fromLatin1(view.tab_of)), dock);
  if (view.hidden) dock->hide();
  docked_.push_back(&view);
  if (made.placed) made.placed(*dock);
}

void Panels::placeTab(const ViewSpec& view, QWidget* widget) {
  ViewTabs* tabs = workspace_->tabs(view.area);
  const QString id = QString::fromLatin1(view.id);
  tabs->add(id, titleOf(view), widget);
  auto* show = new QAction(titleOf(view), window_);
  show->setObjectName(QStringLiteral("panel.") + id);
  addCommand(view, show, *tabMenu());
  connect(show, &QAction::triggered, tabs, [tabs, id, widget] {
    tabs->bring(id);
    widget->setFocus();
  });
}

QMenu* Panels::tabMenu() {
  if (!tabs_) {
    QMenu* menu = commands_->menu(QStringLiteral("&View"));
    tabs_ = new QMenu(tr("Show &Tab"), menu);
    menu->insertMenu(commands_->action(QStringLiteral("view.resetPanels")), tabs_);
  }
  return tabs_;
}

/// In the View menu or one below it, and in front of the other menu that the view asks for.
void Panels::addCommand(const ViewSpec& view, QAction* action, QMenu& menu) {
  commands_->adopt(action, QStringLiteral("&View"));
  if (&menu == tabs_)
    menu.addAction(action);
  else
    menu.insertAction(commands_->action(QStringLiteral("view.resetPanels")), action);
  if (*view.keys)
    commands_->setDefaultKeys(action, QKeySequence::listFromString(QString::fromLatin1(view.keys)));
  if (!*view.menu) return;
  QMenu* other = commands_->menu(QString::fromLatin1(view.menu));
  QAction* first = other->actions().value(0);
  other->insertAction(first ? other->insertSeparator(first) : nullptr, action);
}

QDockWidget* Panels::dock(const QString& id) const {
  return window_->findChild<QDockWidget*>(dockName(id));
}

void Panels::raise(const QString& id) {
  QDockWidget* found = dock(id);
  if (!found) return workspace_->bring(id);
  const bool hidden = !found->isVisible();
  found->show();
  if (hidden && window_->dockWidgetArea(found) == Qt::BottomDockWidgetArea)
    return raiseAtBottom(*window_, *found);
  found->raise();
}

void Panels::restore(const QSettings& settings) {
  window_->restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
  if (window_->restoreState(settings.value(QStringLiteral("window/state")).toByteArray(), state_version))
    arranged_ = true;
  const QByteArray parts = settings.value(parts_key).toByteArray();
  if (!parts.isEmpty()) workspace_->restoreParts(parts);
}

void Panels::save(QSettings& settings) const {
  settings.setValue(QStringLiteral("window/geometry"), window_->saveGeometry());
  settings.setValue(QStringLiteral("window/state"), window_->saveState(state_version));
  settings.setValue(parts_key, workspace_->saveParts());
}

void Panels::shown() {
  if (!std::exchange(arranged_, true)) reset();
}

void Panels::reset() {
  std::vector<const ViewSpec*> shown;
  for (const ViewSpec* view : docked_)
    if (!view->hidden) shown.push_back(view);
  const auto dock_of = [this](const char* id) { return dock(QString::fromLatin1(id)); };
  for (const ViewSpec* view : shown) {
    window_->addDockWidget(sideOf(view->area), dock_of(view->id));
    dock_of(view->id)->show();
  }
  for (const ViewSpec* view : shown)
    if (*view->tab_of) window_->tabifyDockWidget(dock_of(view->tab_of), dock_of(view->id));
  for (const ViewSpec* view : shown)
    if (view->in_front) dock_of(view->id)->raise();
  window_->resizeDocks({dock_of("knob"), dock_of("design")}, {500, 300}, Qt::Vertical);
  window_->resizeDocks({dock_of("knob"), dock_of("inspector")}, {270, 330}, Qt::Horizontal);
  workspace_->resetParts();
  emit wasReset();
}

}  // namespace sluice::ui

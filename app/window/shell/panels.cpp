#include "app/window/shell/panels.h"

#include <QAction>
#include <QChildEvent>
#include <QDockWidget>
#include <QFrame>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLayout>
#include <QMainWindow>
#include <QMenu>
#include <QScreen>
#include <QSettings>
#include <QStyle>
#include <QTabBar>
#include <QToolButton>
#include <algorithm>
#include <numeric>
#include <utility>

#include "app/window/shell/commands.h"
#include "app/window/shell/docks.h"
#include "app/window/shell/view_spec.h"
#include "app/window/shell/workspace.h"

namespace sluice::ui {
namespace {

constexpr int state_version = 4;  // of docks and toolbars; another version's state is not restored

const auto geometry_key = QStringLiteral("window/geometry");
const auto state_key = QStringLiteral("window/state");
const auto tab_key = QStringLiteral("window/tab");
const auto perspective_key = QStringLiteral("window/perspective");
const auto kept_key = QStringLiteral("window/kept/");

QString qid(const char* id) {
  return QString::fromLatin1(id);
}

QString dockName(const QString& id) {
  return id + QStringLiteral("Dock");
}

Qt::DockWidgetArea sideOf(Area area) {
  return area == Area::Left    ? Qt::LeftDockWidgetArea
         : area == Area::Right ? Qt::RightDockWidgetArea
                               : Qt::BottomDockWidgetArea;
}

/// In which the places of a side follow each other.
Qt::Orientation alongOf(Qt::DockWidgetArea side) {
  return side == Qt::BottomDockWidgetArea ? Qt::Horizontal : Qt::Vertical;
}

bool takesTab(const QWidget& widget) {
  return widget.isVisible() && widget.isEnabled() && widget.focusPolicy() & Qt::TabFocus;
}

/// To where it was in the view, else to the first that takes it; false: nothing does.
bool giveKeyboard(QWidget& view) {
  const auto give = [](QWidget& widget) {
    widget.activateWindow();  // it may float
    widget.setFocus(Qt::TabFocusReason);
    return true;
  };
  QWidget* last = view.focusWidget();
  if (last && last->isVisible() && last->isEnabled()) return give(*last);
  if (view.focusProxy() || takesTab(view)) return give(view);
  for (QWidget* at = view.nextInFocusChain(); at != &view; at = at->nextInFocusChain())
    if (view.isAncestorOf(at) && takesTab(*at)) return give(*at);
  return false;
}

}  // namespace

QSize firstSize(const QWidget& window) {
  constexpr QSize wanted(1600, 1000);
  // That screen is not looked at, and pictures are as large on any machine.
  if (QGuiApplication::platformName() == QLatin1String("offscreen")) return wanted;
  const int title = window.style()->pixelMetric(QStyle::PM_TitleBarHeight);
  return wanted.boundedTo(window.screen()->availableSize() - QSize(0, title));
}

Panels::Panels(QMainWindow* window, Workspace* workspace, Commands* commands)
    : QObject(window),
      window_(window),
      workspace_(workspace),
      commands_(commands),
      now_(&perspectives().front()) {
  window_->setDockOptions(QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);
  window_->installEventFilter(this);
}

void Panels::addCommands() {
  for (const Perspective& each : perspectives()) {
    QAction* action = commands_->add({.id = each.id,
                                      .menu = "&View",
                                      .text = each.text,
                                      .shortcuts = each.keys,
                                      .tooltip = each.tooltip,
                                      .group = "perspective",
                                      .section = 2,
                                      .submenu = "P&erspective"},
                                     this, [this, &each] { choose(each); });
    action->setIconText(tr(each.title));  // of its button
    action->setChecked(&each == now_);
  }
  commands_->add({.id = "view.nextPanel",
                  .menu = "&View",
                  .text = "Ne&xt Panel",
                  .shortcuts = "Ctrl+F6",
                  .tooltip = "Give the keyboard to the next view that is to be seen",
                  .section = 4,
                  .submenu = panels_menu},
                 this, [this] { walk(1); });
  commands_->add({.id = "view.previousPanel",
                  .menu = "&View",
                  .text = "Pre&vious Panel",
                  .shortcuts = "Ctrl+Shift+F6",
                  .tooltip = "Give the keyboard to the view before",
                  .section = 4,
                  .submenu = panels_menu},
                 this, [this] { walk(-1); });
}

QWidget* Panels::makeSwitch() const {
  auto* made = new QFrame;
  made->setObjectName(QStringLiteral("perspectiveSwitch"));
  auto* row = new QHBoxLayout(made);
  row->setContentsMargins(2, 2, 2, 2);
  row->setSpacing(1);
  for (const Perspective& each : perspectives()) {
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("switch.") + qid(each.id));
    button->setDefaultAction(commands_->action(qid(each.id)));
    button->setAutoRaise(true);
    row->addWidget(button);
  }
  return made;
}

void Panels::place(const ViewSpec& view, const MadeView& made) {
  if (view.area == Area::Middle)
    placeTab(view, made.widget);
  else
    placeDock(view, made);
}

void Panels::placeDock(const ViewSpec& view, const MadeView& made) {
  const QString id = qid(view.id);
  auto* dock = new QDockWidget(titleOf(view));
  dock->setObjectName(dockName(id));
  dock->setWidget(made.widget);
  // Less than it wants, so that the window fits any screen; perspectives give it what it takes.
  made.widget->setMinimumSize(220, 90);
  window_->addDockWidget(sideOf(view.area), dock);
  if (view.hidden) dock->hide();
  QAction* toggle = dock->toggleViewAction();
  const bool was_tab = view.area == Area::Points || view.area == Area::Run;
  toggle->setObjectName(QStringLiteral("panel.") + (was_tab ? id : dock->objectName()));
  addCommand(view, toggle);
  // Of a dock behind another tab, the dock's own would close it.
  disconnect(toggle, &QAction::triggered, dock, nullptr);
  connect(toggle, &QAction::triggered, this, [this, &view] { this->toggle(view); });
  connect(dock, &QDockWidget::visibilityChanged, this, &Panels::rearranged);
  connect(dock, &QDockWidget::dockLocationChanged, this, &Panels::rearranged);
  connect(dock, &QDockWidget::topLevelChanged, this, &Panels::rearranged);
  docked_.push_back(&view);
  if (made.placed) made.placed(*dock);
}

void Panels::placeTab(const ViewSpec& view, QWidget* widget) {
  const QString id = qid(view.id);
  workspace_->add(id, titleOf(view), widget);
  auto* show = new QAction(titleOf(view), window_);
  show->setObjectName(QStringLiteral("panel.") + id);
  addCommand(view, show);
  connect(show, &QAction::triggered, workspace_, [workspace = workspace_, id, widget] {
    workspace->bring(id);
    widget->setFocus();
  });
}

/// In the View menu's list of panels, and in front of the other menu that the view asks for.
void Panels::addCommand(const ViewSpec& view, QAction* action) {
  commands_->adopt(action, QStringLiteral("&View"));
  commands_->submenu(QStringLiteral("&View"), qid(panels_menu))
      ->insertAction(commands_->action(QStringLiteral("view.resetPanels")), action);
  if (*view.keys) commands_->setDefaultKeys(action, QKeySequence::listFromString(qid(view.keys)));
  if (!*view.menu) return;
  QMenu* other = commands_->menu(qid(view.menu));
  QAction* first = other->actions().value(0);
  other->insertAction(first ? other->insertSeparator(first) : nullptr, action);
}

void Panels::toggle(const ViewSpec& view) {
  QDockWidget* found = dock(view.id);
  if (isInFront(*found)) {
    found->close();
  } else {
    raise(qid(view.id));
    giveKeyboard(*found->widget());
  }
  found->toggleViewAction()->setChecked(!found->isHidden());
}

QDockWidget* Panels::dock(const QString& id) const {
  return window_->findChild<QDockWidget*>(dockName(id));
}
QDockWidget* Panels::dock(const char* id) const {
  return dock(qid(id));
}

void Panels::raise(const QString& id) {
  QDockWidget* found = dock(id);
  if (!found) return workspace_->bring(id);
  const bool closed = found->isHidden();
  bringToFront(*found);
  emit raised(found);
  if (!closed || found->isFloating() || window_->dockWidgetArea(found) != Qt::BottomDockWidgetArea) return;
  const auto is_it = [found, this](const ViewSpec* view) { return dock(view->id) == found; };
  const auto view = std::find_if(docked_.begin(), docked_.end(), is_it);
  giveRoom(found, view != docked_.end() && (*view)->area == Area::Bottom ? 400 : 220);
}

void Panels::bringForward(const QString& id) {
  QDockWidget* const found = dock(id);
  if (!found || found->isHidden() || isInFront(*found)) return;
  for (QDockWidget* other : window_->tabifiedDockWidgets(found))
    if (isInFront(*other)) covered_[id] = other;
  raise(id);
}

void Panels::bringBack(const QString& id) {
  const QPointer<QDockWidget> covered = std::exchange(covered_[id], nullptr);
  QDockWidget* const found = dock(id);
  if (!covered || !found || !isInFront(*found)) return;
  if (window_->tabifiedDockWidgets(covered).contains(found)) covered->raise();
}

void Panels::walk(int by) {
  QList<QWidget*> seen;
  if (QWidget* middle = workspace_->currentWidget()) seen << middle;
  for (const ViewSpec* view : docked_)
    if (const QDockWidget* each = dock(view->id); isInFront(*each)) seen << each->widget();
  const QWidget* focus = window_->focusWidget();
  const auto here = std::ranges::find_if(
      seen, [focus](const QWidget* view) { return view == focus || view->isAncestorOf(focus); });
  // From outside all of them, to the first or the last.
  const qsizetype from = here != seen.end() ? here - seen.begin() : by > 0 ? -1 : seen.size();
  const qsizetype count = seen.size();
  for (qsizetype step = 1; step <= count; ++step)
    if (giveKeyboard(*seen[(from + by * step + 2 * count) % count])) return;
}

void Panels::choose(const Perspective& perspective) {
  commands_->action(qid(perspective.id))->setChecked(true);
  if (&perspective == now_) return;
  kept_[qid(now_->id)] = window_->saveState(state_version);
  now_ = &perspective;
  const auto kept = kept_.find(qid(now_->id));
  if (kept == kept_.end() || !window_->restoreState(kept->second, state_version)) arrange();
  // The keyboard was perhaps in a view that is closed now.
  if (!window_->focusWidget() || !window_->focusWidget()->isVisible())
    if (QWidget* middle = workspace_->currentWidget()) middle->setFocus();
  emit rearranged();
}

void Panels::restore(const QSettings& settings) {
  window_->restoreGeometry(settings.value(geometry_key).toByteArray());
  for (const Perspective& each : perspectives()) {
    const QByteArray state = settings.value(kept_key + qid(each.id)).toByteArray();
    if (!state.isEmpty()) kept_[qid(each.id)] = state;
  }
  if (window_->restoreState(settings.value(state_key).toByteArray(), state_version)) {
    arranged_ = true;
    const QByteArray last = settings.value(perspective_key).toByteArray();
    if (const Perspective* found = findPerspective(last.constData())) now_ = found;
    commands_->action(qid(now_->id))->setChecked(true);
  }
  workspace_->bring(settings.value(tab_key).toString());
}

void Panels::save(QSettings& settings) const {
  settings.setValue(geometry_key, window_->saveGeometry());
  settings.setValue(state_key, window_->saveState(state_version));
  settings.setValue(perspective_key, QByteArray(now_->id));
  for (const auto& [id, state] : kept_)
    if (id != qid(now_->id)) settings.setValue(kept_key + id, state);
  settings.setValue(tab_key, workspace_->current());
}

void Panels::shown() {
  if (!std::exchange(arranged_, true)) arrange();
}

void Panels::reset() {
  kept_.erase(qid(now_->id));
  arrange();
  emit wasReset();
}

/// The docks that have been put somewhere.
struct Panels::Arranged {
  QList<QDockWidget*> docks;
  std::map<Area, QDockWidget*> first;  ///< of each side
  QDockWidget* wide = nullptr;         ///< the first of those that want the whole width of the bottom
};

void Panels::arrange() {
  const bool updates = window_->updatesEnabled();
  window_->setUpdatesEnabled(false);
  for (const ViewSpec* view : docked_) {
    QDockWidget* each = dock(view->id);
    if (each->isFloating()) each->setFloating(false);
    window_->removeDockWidget(each);
  }
  window_->setCorner(Qt::BottomLeftCorner,
                     now_->bottom_is_wide ? Qt::BottomDockWidgetArea : Qt::LeftDockWidgetArea);
  window_->setCorner(Qt::BottomRightCorner,
                     now_->bottom_is_wide ? Qt::BottomDockWidgetArea : Qt::RightDockWidgetArea);
  Arranged so_far;
  // The places of a side come first: a side of one place that has tabs takes any other dock as a tab.
  for (const DockPlace& place : now_->places) {
    const Qt::DockWidgetArea side = sideOf(place.side);
    QDockWidget* front = dock(place.views.front());
    window_->addDockWidget(side, front, alongOf(side));
    front->show();
    so_far.first.try_emplace(place.side, front);
    so_far.docks << front;
  }
  for (const ViewSpec* view : docked_)
    if (view->area == Area::Bottom && so_far.docks.contains(dock(view->id))) so_far.wide = dock(view->id);
  for (const DockPlace& place : now_->places) {
    for (std::size_t i = 1; i < place.views.size(); ++i) {
      QDockWidget* each = dock(place.views[i]);
      window_->tabifyDockWidget(dock(place.views[i - 1]), each);
      each->show();
      so_far.docks << each;
    }
  }
  for (const ViewSpec* view : docked_)
    if (!so_far.docks.contains(dock(view->id))) placeRest(*view, so_far);
  for (const DockPlace& place : now_->places) bringToFront(*dock(place.views.front()));
  if (window_->isVisible()) size();
  window_->setUpdatesEnabled(updates);
}

/// A view that the perspective has not: closed, but where it comes back if asked for - a tab of the view that
/// it belongs to, else of its side. Those of plug-ins are open in the first perspective.
void Panels::placeRest(const ViewSpec& view, Arranged& so_far) {
  QDockWidget* each = dock(view.id);
  const bool opens = now_ == &perspectives().front() && !view.hidden;
  const bool is_wide = view.area == Area::Bottom, is_points = view.area == Area::Points;
  QDockWidget* host = dock(*view.tab_of ? view.tab_of : is_points ? "pareto" : "");
  if (!so_far.docks.contains(host)) host = nullptr;
  const Area side = is_points || view.area == Area::Run ? Area::Bottom : view.area;
  const auto first = so_far.first.find(side);
  if (!host && is_wide) host = so_far.wide;
  if (!host && !is_wide && !opens && first != so_far.first.end()) host = first->second;
  if (host)
    window_->tabifyDockWidget(host, each);
  else
    window_->addDockWidget(sideOf(side), each, Qt::Vertical);
  if (is_wide && !so_far.wide) so_far.wide = each;
  each->setVisible(opens);
  so_far.docks << each;
}

/// What docks and the middle have together.
QSize Panels::room() const {
  QRect all = workspace_->geometry();
  for (const ViewSpec* view : docked_) {
    const QDockWidget* each = dock(view->id);
    if (!each->isFloating() && isInFront(*each)) all |= each->geometry();
  }
  return all.size();
}

void Panels::size() {
  window_->layout()->activate();
  sizeSides(room());
  for (const Area side : {Area::Left, Area::Right, Area::Bottom}) sizePlaces(side);
}

void Panels::sizePlaces(Area side) {
  const Qt::Orientation along = alongOf(sideOf(side));
  QList<QDockWidget*> docks;
  QList<int> sizes;
  int all = 0;
  for (const DockPlace& place : now_->places) {
    if (place.side != side) continue;
    docks << dock(place.views.front());
    sizes << place.weight;
    all += along == Qt::Horizontal ? docks.last()->width() : docks.last()->height();
  }
  const int weights = std::accumulate(sizes.begin(), sizes.end(), 0);
  for (int& each : sizes) each = each * all / weights;
  if (docks.size() > 1) resize(docks, sizes, along);
}

void Panels::sizeSides(const QSize& room) {
  constexpr int least_middle_width = 300, least_middle_height = 160;
  const auto wanted = [](const SideSize& side, int extent) {
    return std::max(side.least, static_cast<int>(side.share * extent));
  };
  int left = wanted(now_->left, room.width()), right = wanted(now_->right, room.width());
  if (const int most = room.width() - least_middle_width; left + right > most) {
    left = left * most / (left + right);
    right = most - left;
  }
  const int bottom = std::min(wanted(now_->bottom, room.height()), room.height() - least_middle_height);
  const auto first = [this](Area side) -> QDockWidget* {
    const auto place = std::ranges::find(now_->places, side, &DockPlace::side);
    return place == now_->places.end() ? nullptr : dock(place->views.front());
  };
  QList<QDockWidget*> beside;
  QList<int> widths;
  for (const auto& [side, width] : {std::pair(Area::Left, left), std::pair(Area::Right, right)}) {
    if (QDockWidget* each = first(side)) {
      beside << each;
      widths << width;
    }
  }
  if (!beside.isEmpty()) resize(beside, widths, Qt::Horizontal);
  if (QDockWidget* below = first(Area::Bottom)) resize({below}, {bottom}, Qt::Vertical);
}

/// Qt takes what a side gains from the middle and the other sides in equal parts: it gets there by steps.
void Panels::resize(const QList<QDockWidget*>& docks, const QList<int>& sizes, Qt::Orientation along) {
  constexpr int most_steps = 10;
  const auto now = [&docks] {
    QList<QSize> all;
    for (const QDockWidget* each : docks) all << each->size();
    return all;
  };
  for (int step = 0; step < most_steps; ++step) {
    const QList<QSize> before = now();
    window_->resizeDocks(docks, sizes, along);
    window_->layout()->activate();
    if (now() == before) return;
  }
}

void Panels::giveRoom(QDockWidget* dock, int least) {
  const int wanted = std::min(least, room().height() * 3 / 5);
  if (dock->height() < wanted) resize({dock}, {wanted}, Qt::Vertical);
}

/// The tabs of docks are Qt's, which cuts their titles where they have little room.
bool Panels::eventFilter(QObject* watched, QEvent* event) {
  if (watched == window_ && event->type() == QEvent::ChildPolished) {
    if (auto* tabs = qobject_cast<QTabBar*>(static_cast<QChildEvent*>(event)->child())) {
      tabs->setElideMode(Qt::ElideNone);
      tabs->setUsesScrollButtons(true);
    }
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace sluice::ui

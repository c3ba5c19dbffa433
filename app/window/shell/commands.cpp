#include "app/window/shell/commands.h"

#include <QActionGroup>
#include <QCoreApplication>
#include <QMenuBar>
#include <QSettings>
#include <QToolBar>
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "app/window/shell/icons.h"

namespace sluice::ui {
namespace {

/// Their commands in lists; the menu bar has an order of its own.
constexpr std::array listed = {"&File", "&Edit", "&Schedule", "&Arrange",  "&Run", "&Points",
                               "&View", "T&ime", "&Tensor",   "&Deadlock", "&Help"};

QString utf8(const char* text) {
  return QString::fromUtf8(text);
}

/// A text of the table in the user's language.
QString shown(const char* text) {
  return QCoreApplication::translate("sluice::ui::Commands", text);
}

QList<QKeySequence> keys(const char* shortcuts) {
  QList<QKeySequence> list;
  for (const QString& key : utf8(shortcuts).split(QStringLiteral("; "), Qt::SkipEmptyParts))
    list << QKeySequence(key);
  return list;
}

QString keysText(const QAction& action) {
  QStringList list;
  for (const QKeySequence& key : action.shortcuts()) list << key.toString(QKeySequence::NativeText);
  return list.join(QStringLiteral(", "));
}

QString keysSetting(const QAction& action) {
  return QStringLiteral("shortcuts/") + action.objectName();
}

/// "canvas" of "canvas.zoomIn": keys of two local commands meet only within one scope.
QString scopeOf(const QAction& action) {
  return action.shortcutContext() == Qt::WindowShortcut ? QString()
                                                        : action.objectName().section(QLatin1Char('.'), 0, 0);
}

/// Of a submenu.
QString keyOf(const QString& menu, const QString& title) {
  return menu + QLatin1Char('/') + title;
}

/// Where a command stands in lists.
std::pair<std::ptrdiff_t, int> rankOf(const Command& command) {
  const auto menu = std::find(listed.begin(), listed.end(), std::string_view(command.menu));
  return {menu - listed.begin(), command.section};
}

}  // namespace

Commands::Commands(QWidget* window) : QObject(window), window_(window) {}

QAction* Commands::add(const Command& command, const QObject* receiver, const std::function<void()>& run) {
  auto* action = new QAction(shown(command.text), window_);
  action->setObjectName(utf8(command.id));
  action->setShortcuts(keys(command.shortcuts));
  if (command.local) action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  if (*command.group) {
    QActionGroup*& group = groups_[utf8(command.group)];
    if (!group) group = new QActionGroup(this);
    action->setCheckable(true);
    group->addAction(action);
  }
  const auto before = [](const Command& one, const Command& other) { return rankOf(one) < rankOf(other); };
  const auto at = std::upper_bound(declared_.begin(), declared_.end(), command, before);
  join(action, at - declared_.begin(), utf8(command.menu), shown(command.tooltip));
  declared_.insert(at, command);
  connect(action, &QAction::triggered, receiver, run);
  return action;
}

void Commands::join(QAction* action, qsizetype at, const QString& menu, const QString& tooltip) {
  all_.insert(at, action);
  actions_[action->objectName()] = action;
  menu_of_[action] = menu;
  tooltips_[action] = tooltip;
  default_keys_[action] = action->shortcuts();
  action->setStatusTip(tooltip);
  const QVariant kept = QSettings().value(keysSetting(*action));
  if (kept.isValid()) action->setShortcuts(QKeySequence::listFromString(kept.toString()));
  const auto describe = [this, action] {
    const QString text = tooltips_.at(action), shown_keys = keysText(*action);
    action->setToolTip(shown_keys.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, shown_keys));
  };
  describe();
  connect(action, &QAction::changed, this, [action, describe, last = keysText(*action)]() mutable {
    if (std::exchange(last, keysText(*action)) != keysText(*action)) describe();
  });
}

void Commands::adopt(QAction* action, const QString& menu) {
  join(action, all_.size(), menu, plainText(*action));
}

QAction* Commands::action(const QString& id) const {
  const auto found = actions_.find(id);
  if (found == actions_.end()) throw std::out_of_range("no command " + id.toStdString());
  return found->second;
}

QString Commands::plainText(const QAction& action) {
  return action.text().remove(QLatin1Char('&'));
}

QString Commands::menuOf(const QAction& action) const {
  return shown(menu_of_.at(&action).toUtf8().constData()).remove(QLatin1Char('&'));
}

QList<QKeySequence> Commands::defaultKeys(const QAction& action) const {
  return default_keys_.at(&action);
}

void Commands::setDefaultKeys(QAction* action, const QList<QKeySequence>& keys) {
  default_keys_.at(action) = keys;
  if (!QSettings().contains(keysSetting(*action))) action->setShortcuts(keys);
}

void Commands::setKeys(QAction* action, const QList<QKeySequence>& keys) {
  action->setShortcuts(keys);
  if (keys == defaultKeys(*action))
    QSettings().remove(keysSetting(*action));
  else
    QSettings().setValue(keysSetting(*action), QKeySequence::listToString(keys));
}

QList<QAction*> Commands::conflicts(const QAction& action, const QList<QKeySequence>& keys) const {
  QList<QAction*> result;
  for (QAction* other : all_) {
    const bool apart =
        !scopeOf(*other).isEmpty() && !scopeOf(action).isEmpty() && scopeOf(*other) != scopeOf(action);
    if (other == &action || apart) continue;
    const QList<QKeySequence> theirs = other->shortcuts();
    if (std::any_of(keys.begin(), keys.end(), [&](const QKeySequence& key) { return theirs.contains(key); }))
      result << other;
  }
  return result;
}

void Commands::fill(QMenuBar& bar) {
  for (const char* title : {"&File", "&Edit", "&Arrange", "&Schedule", "&Run", "T&ime", "&Points", "&View",
                            "&Deadlock", "&Tensor", "&Help"}) {
    menus_[utf8(title)] = bar.addMenu(shown(title));
  }
  for (const Command& command : declared_) {
    QMenu* menu = menus_.at(utf8(command.menu));
    if (*command.submenu) {
      QMenu*& sub = menus_[keyOf(utf8(command.menu), utf8(command.submenu))];
      if (!sub) sub = menu->addMenu(shown(command.submenu));
      menu = sub;
    }
    if (command.separated && !menu->isEmpty()) menu->addSeparator();
    menu->addAction(action(utf8(command.id)));
  }
}

void Commands::fill(QToolBar& bar) const {
  QString last_menu;
  for (const Command& command : declared_) {
    if (!*command.icon) continue;
    if (!last_menu.isEmpty() && last_menu != utf8(command.menu)) bar.addSeparator();
    last_menu = utf8(command.menu);
    bar.addAction(action(utf8(command.id)));
  }
}

QMenu* Commands::menu(const QString& title) const {
  return menus_.at(title);
}

QMenu* Commands::submenu(const QString& menu, const QString& title) const {
  return menus_.at(keyOf(menu, title));
}

QString Commands::shortcutsHtml() const {
  std::map<QString, QString> rows;
  QStringList menus;
  for (const QAction* each : all_) {
    const QString menu = menuOf(*each);
    if (!menus.contains(menu)) menus << menu;
    rows[menu] += QStringLiteral("<tr><td>%1</td><td>&nbsp;&nbsp;<b>%2</b>&nbsp;&nbsp;</td><td>%3</td></tr>")
                      .arg(plainText(*each).toHtmlEscaped(), keysText(*each).toHtmlEscaped(),
                           tooltips_.at(each).toHtmlEscaped());
  }
  QString html;
  for (const QString& menu : menus) {
    html += QStringLiteral("<tr><td colspan='3'><br><b>%1</b></td></tr>").arg(menu.toHtmlEscaped()) +
            rows.at(menu);
  }
  return QStringLiteral("<table cellspacing='3'>%1</table>").arg(html);
}

void Commands::setIconColours(const QPalette& palette) {
  for (const Command& command : declared_) {
    if (*command.icon) action(utf8(command.id))->setIcon(themedIcon(utf8(command.icon), palette));
  }
}

}  // namespace sluice::ui

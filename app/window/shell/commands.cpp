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

#include "app/window/shell/icons.h"

namespace sluice::ui {
namespace {

/// Their commands in lists; the menu bar has an order of its own.
constexpr std::array listed = {"&File", "&Edit", "&Schedule", "&Arrange",  "&Run", "&Points",
                               "&View", "T&ime", "&Tensor",   "&Deadlock", "&Help"};

/// Commands of menus that are handled in several places.
constexpr std::array commands = {
    Command{"edit.undo", "&Edit", "&Undo", "Ctrl+Z", "Take back the last change", "undo"},
    Command{"edit.redo", "&Edit", "&Redo", "Ctrl+Shift+Z; Ctrl+Y", "Make the change that was taken back",
            "redo"},
    Command{"edit.cut", "&Edit", "Cu&t", "Ctrl+X", "Copy the selected nodes and delete them", "", true, "",
            true},
    Command{"edit.copy", "&Edit", "&Copy", "Ctrl+C", "Copy the selected nodes, as text", "", false, "", true},
    Command{"edit.paste", "&Edit", "&Paste", "Ctrl+V", "Put copied nodes into the program", "", false, "",
            true},
    Command{"edit.duplicate", "&Edit", "Du&plicate", "Ctrl+D", "Copy the selected nodes beside them", "",
            false, "", true},
    Command{"edit.delete", "&Edit", "&Delete", "Del", "Delete the selected nodes or the stream", "", false,
            "", true},
    Command{"edit.rename", "&Edit", "Re&name", "F2", "Give the selected node another name", "", false, "",
            true},
    Command{"edit.addOperator", "&Edit", "Add &Operator…", "Ctrl+I",
            "Choose an operator; with a stream selected it is put into the stream", "", true},
    Command{"edit.connect", "&Edit", "Conn&ect Ports…", "Ctrl+J", "Draw a stream from an output to an input"},
    Command{"edit.group", "&Edit", "&Group into a Region", "Ctrl+G", "Make the selected nodes one region"},
    Command{"edit.ungroup", "&Edit", "D&issolve the Region", "Ctrl+Shift+G",
            "Let the nodes of the selected region stand for themselves"},
    Command{"edit.replicate", "&Edit", "Rep&licate the Region…", "", "Set how many instances the region has"},
    Command{"edit.find", "&Edit", "&Find…", "Ctrl+F",
            "Find nodes and streams by name, kind, parameter or type", "", true},
    Command{"edit.resetKnobs", "&Edit", "Reset &Knobs", "Ctrl+Shift+R", "Set every knob to its default", "",
            true},
    Command{"edit.keepKnobs", "&Edit", "&Make Knob Values the Defaults", "",
            "Keep the knobs as they stand in the file"},
    Command{"edit.keepLayout", "&Edit", "Keep Canvas &Layout in the File", "",
            "Write the place of every node into the program", "", true},
    Command{"edit.addStep", "&Edit", "Add Schedule &Step…", "Ctrl+Shift+A",
            "Tile, split, parallelize or time-multiplex a part of the program", "", true},
    Command{"run.explore", "&Run", "&Explore", "F5; Ctrl+E", "Evaluate every combination of the knobs",
            "explore"},
    Command{"run.search", "&Run", "&Search…", "Shift+F5",
            "Search the design space by a strategy, within a budget and constraints"},
    Command{"run.cancel", "&Run", "&Cancel", "Ctrl+.", "Stop the simulation and the exploration", "cancel"},
    Command{"view.program", "&View", "&Program", "Ctrl+1", "Show the program as it is edited", "", true,
            "program"},
    Command{"view.scheduled", "&View", "After &Schedule", "Ctrl+2",
            "Show the program as it is simulated, after its schedule", "", false, "program"},
    Command{"view.commands", "&View", "&Command Palette…", "Ctrl+K",
            "Call any command by a few letters of its name", "", true},
    Command{"view.minimap", "&View", "&Overview", "",
            "Show the whole program small in a corner of the canvas"},
    Command{"view.themeSystem", "&View", "Theme: as the &System", "", "Follow the colours of the desktop", "",
            true, "theme"},
    Command{"view.themeLight", "&View", "Theme: &Light", "", "Dark text on light ground", "", false, "theme"},
    Command{"view.themeDark", "&View", "Theme: &Dark", "", "Light text on dark ground", "", false, "theme"},
    Command{"view.resetPanels", "&View", "Reset &Panels", "", "Put every panel where it was at first", "",
            true},
    Command{"help.reference", "&Help", "&Operators and Transformations…", "Shift+F1",
            "Describe every operator and transformation; that of the selected node first"},
    Command{"help.tour", "&Help", "Guided &Tour", "",
            "Two minutes with a program that deadlocks, and its fix"},
    Command{"help.shortcuts", "&Help", "&Keyboard Shortcuts", "F1", "List every command and its keys"},
    Command{"help.editShortcuts", "&Help", "&Change the Keys…", "", "Give commands other keys"},
    Command{"help.about", "&Help", "&About Sluice", "", "What this is"},
};

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

std::ptrdiff_t rankOf(const Command& command) {
  return std::find(listed.begin(), listed.end(), std::string_view(command.menu)) - listed.begin();
}

}  // namespace

Commands::Commands(QWidget* window) : QObject(window), window_(window) {
  for (const Command& command : commands) declare(command);
}

QAction* Commands::add(const Command& command, const QObject* receiver, const std::function<void()>& run) {
  QAction* action = declare(command);
  connect(action, &QAction::triggered, receiver, run);
  return action;
}

QAction* Commands::declare(const Command& command) {
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
    if (command.separated) menu->addSeparator();
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

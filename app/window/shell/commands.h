#pragma once
// Commands: the one list of what the window can do. Menus, toolbar, command palette, shortcut editor and the
// page of shortcuts are made from it. A command is declared where it is handled, with add(); a widget that
// brings actions of its own hands them in with adopt().

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <functional>
#include <map>
#include <vector>

class QActionGroup;
class QMenu;
class QMenuBar;
class QToolBar;

namespace sluice::ui {

struct Command {
  const char* id;    ///< "points.keep"
  const char* menu;  ///< "&Points"
  const char* text;
  const char* shortcuts;  ///< separated by "; "
  const char* tooltip;
  const char* icon = "";     ///< a file of resources/icons; with one, the command is in the toolbar
  bool separated = false;    ///< a line above it
  const char* group = "";    ///< commands of one group are checkable, one of them is on
  bool local = false;        ///< its keys count only in the widgets that have the action
  int section = 0;           ///< of its menu; within a section, commands stand as they were added
  const char* submenu = "";  ///< "T&heme": of its menu, where the first of its commands would stand
};

class Commands : public QObject {
  Q_OBJECT

 public:
  explicit Commands(QWidget* window);

  /// Before the menus are filled. `run` is called while `receiver` lives.
  QAction* add(const Command& command, const QObject* receiver, const std::function<void()>& run);
  /// Asking for a command that was not added is a bug and throws.
  QAction* action(const QString& id) const;
  /// Fills the bar with the menus; submenus are added by the owners of their contents.
  void fill(QMenuBar& bar);
  void fill(QToolBar& bar) const;
  QMenu* menu(const QString& title) const;
  QMenu* submenu(const QString& menu, const QString& title) const;
  /// A command that a widget brought along joins the list; its object name is its id, `menu` the title that
  /// it is listed under.
  void adopt(QAction* action, const QString& menu);

  /// Every command, menu by menu, those that were adopted last.
  const QList<QAction*>& all() const { return all_; }
  /// "Edit": where it is found, without the mark of the access key.
  QString menuOf(const QAction& action) const;
  /// Commands as text in lists: without the mark of the access key.
  static QString plainText(const QAction& action);

  QList<QKeySequence> defaultKeys(const QAction& action) const;
  /// For a command that was adopted; keys that the user chose stay.
  void setDefaultKeys(QAction* action, const QList<QKeySequence>& keys);
  /// Kept in the settings for the next start.
  void setKeys(QAction* action, const QList<QKeySequence>& keys);
  /// Other commands that one of the keys would call at the same place, too.
  QList<QAction*> conflicts(const QAction& action, const QList<QKeySequence>& keys) const;

  /// Every command with its keys, as HTML, menu by menu.
  QString shortcutsHtml() const;
  /// Icons in the colours of the palette.
  void setIconColours(const QPalette& palette);

 private:
  void join(QAction* action, qsizetype at, const QString& menu, const QString& tooltip);

  QWidget* window_;
  std::vector<Command> declared_;  ///< the first of all_
  std::map<QString, QActionGroup*> groups_;
  QList<QAction*> all_;
  std::map<QString, QAction*> actions_;
  std::map<const QAction*, QString> menu_of_, tooltips_;
  std::map<const QAction*, QList<QKeySequence>> default_keys_;
  std::map<QString, QMenu*> menus_;
};

}  // namespace sluice::ui

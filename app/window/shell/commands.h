#pragma once
// Commands: the one table of what the window can do. Menus, toolbar, command palette, shortcut editor and the
// page of shortcuts are made from it. A widget that brings commands of its own hands them in with adopt().

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <map>

class QMenu;
class QMenuBar;
class QToolBar;

namespace sluice::ui {

class Commands : public QObject {
  Q_OBJECT

 public:
  explicit Commands(QWidget* window);

  /// Asking for a command that is not in the table is a bug and throws.
  QAction* action(const QString& id) const;
  /// Fills the bar with the menus of the table; submenus are added by whoever owns their contents.
  void fill(QMenuBar& bar);
  void fill(QToolBar& bar) const;
  QMenu* menu(const QString& title) const;
  /// A command that a widget brought along joins the table; its object name is its id, `menu` the title that
  /// it is listed under.
  void adopt(QAction* action, const QString& menu);

  /// Every command, in the order of the table, those that were adopted last.
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
  void add(QAction* action, const QString& menu, const QString& tooltip);

  QList<QAction*> all_;
  std::map<QString, QAction*> actions_;
  std::map<const QAction*, QString> menu_of_, tooltips_;
  std::map<const QAction*, QList<QKeySequence>> default_keys_;
  std::map<QString, QMenu*> menus_;
};

}  // namespace sluice::ui

#pragma once
// Commands: the one table of what the window can do. Menus, toolbar and the page of shortcuts are made from
// it.

#include <QObject>
#include <map>

class QAction;
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
  /// Every command with its keys, as HTML, those of other widgets (`others`) included.
  QString shortcutsHtml(const QList<QAction*>& others) const;
  /// Icons in the colours of the palette.
  void setIconColours(const QPalette& palette);

 private:
  std::map<QString, QAction*> actions_;
  std::map<QString, QMenu*> menus_;
};

}  // namespace sluice::ui

#pragma once
// Panels: the docks of the window, their commands in the View menu, and where everything stands from one
// start to the next.

#include <QObject>

class QDockWidget;
class QSize;
class QWidget;
class QMainWindow;
class QSettings;

namespace sluice::ui {

class Commands;
class Workspace;

/// Of a window that was never open: room for everything, as far as the screen has it.
QSize firstSize(const QWidget& window);

class Panels : public QObject {
  Q_OBJECT

 public:
  Panels(QMainWindow* window, Workspace* workspace, Commands* commands);

  /// Its command, "panel.NAME", shows and hides it.
  QDockWidget* add(const QString& title, const QString& name, QWidget* content, Qt::DockWidgetArea area);
  QDockWidget* panel(const QString& name) const;
  /// Shows a panel and brings it in front of those it shares its place with.
  void raise(const QString& name);

  void restore(const QSettings& settings);
  void save(QSettings& settings) const;
  void reset();
  /// The panels get their sizes when the window is on the screen for the first time.
  void shown();

 signals:
  void wasReset();  ///< who has docks of its own puts them where they belong

 private:
  QMainWindow* window_;
  Workspace* workspace_;
  Commands* commands_;
  bool arranged_ = false;
};

}  // namespace sluice::ui

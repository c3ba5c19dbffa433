#pragma once
// Panels: where the window's views stand - in docks at its sides and as tabs of its middle - with their
// commands in the View menu, and how they stood from one start to the next.

#include <QObject>

#include <vector>

class QAction;
class QDockWidget;
class QMainWindow;
class QMenu;
class QSettings;
class QSize;
class QWidget;

namespace sluice::ui {

class Commands;
struct MadeView;
struct ViewSpec;
class Workspace;

/// Of a window that was never open: room for everything, as far as the screen has it.
QSize firstSize(const QWidget& window);

class Panels : public QObject {
  Q_OBJECT

 public:
  Panels(QMainWindow* window, Workspace* workspace, Commands* commands);

  /// Once the menus are filled. The command "panel.IDDock" shows and hides a dock, "panel.ID" brings a tab to
  /// the front.
  void place(const ViewSpec& view, const MadeView& made);
  /// The dock of a view, by the view's id; null: it has none.
  QDockWidget* dock(const QString& id) const;
  /// Shows a view and brings it in front of those it shares its place with.
  void raise(const QString& id);

  void restore(const QSettings& settings);
  void save(QSettings& settings) const;
  void reset();
  /// The panels get their sizes when the window is on the screen for the first time.
  void shown();

 signals:
  void wasReset();

 private:
  void placeDock(const ViewSpec& view, const MadeView& made);
  void placeTab(const ViewSpec& view, QWidget* widget);
  void addCommand(const ViewSpec& view, QAction* action, QMenu& menu);
  QMenu* tabMenu();

  QMainWindow* window_;
  Workspace* workspace_;
  Commands* commands_;
  std::vector<const ViewSpec*> docked_;
  QMenu* tabs_ = nullptr;  ///< of the View menu; once there is a tab
  bool arranged_ = false;
};

}  // namespace sluice::ui

#pragma once
// Panels: where the window's views stand - in docks, which move, float and close, and as tabs of its middle -
// with their commands in the View menu; the perspectives, which arrange them; and how they stood from one
// start to the next.

#include <QObject>
#include <QPointer>
#include <map>
#include <vector>

#include "app/window/shell/perspectives.h"

class QAction;
class QDockWidget;
class QMainWindow;
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

/// The submenu of View that has every panel.
inline constexpr const char* panels_menu = "Pa&nels";

class Panels : public QObject {
  Q_OBJECT

 public:
  Panels(QMainWindow* window, Workspace* workspace, Commands* commands);

  /// The commands of the perspectives; before the menus are filled.
  void addCommands();
  /// Once the menus are filled. The command "panel.IDDock" (of tabs, and of views that were tabs once,
  /// "panel.ID") opens a view and brings it to the front; of a view in front, it closes the dock.
  void place(const ViewSpec& view, const MadeView& made);
  /// A button for each perspective.
  QWidget* makeSwitch() const;
  /// The dock of a view, by the view's id; null: it has none.
  QDockWidget* dock(const QString& id) const;
  /// Opens a view and brings it in front of those it shares its place with.
  void raise(const QString& id);
  /// The keyboard goes to the next view that is to be seen, or to the one before.
  void walk(int by);
  /// The same of a view that is open; one that is closed stays so.
  void bringForward(const QString& id);
  /// What it covered is in front again, if it still covers it.
  void bringBack(const QString& id);
  /// The arrangement of a perspective, as it was left; nothing but where views stand changes.
  void choose(const Perspective& perspective);
  const Perspective& perspective() const { return *now_; }

  void restore(const QSettings& settings);
  void save(QSettings& settings) const;
  /// The perspective as it was at first.
  void reset();
  /// The panels get their sizes when the window is on the screen for the first time.
  void shown();

 signals:
  void wasReset();
  void raised(QDockWidget* dock);  ///< by a command, or as there is something to see
  void rearranged();               ///< panels were opened, closed, moved or put into another perspective

 private:
  struct Arranged;
  void placeDock(const ViewSpec& view, const MadeView& made);
  void placeTab(const ViewSpec& view, QWidget* widget);
  void addCommand(const ViewSpec& view, QAction* action);
  void toggle(const ViewSpec& view);
  QDockWidget* dock(const char* id) const;
  void arrange();
  void placeRest(const ViewSpec& view, Arranged& so_far);
  void size();
  void sizeSides(const QSize& room);
  void sizePlaces(Area side);
  void resize(const QList<QDockWidget*>& docks, const QList<int>& sizes, Qt::Orientation along);
  void giveRoom(QDockWidget* dock, int least);
  QSize room() const;
  bool eventFilter(QObject* watched, QEvent* event) override;

  QMainWindow* window_;
  Workspace* workspace_;
  Commands* commands_;
  std::vector<const ViewSpec*> docked_;
  const Perspective* now_;
  std::map<QString, QByteArray> kept_;                ///< how perspectives were left, by their ids
  std::map<QString, QPointer<QDockWidget>> covered_;  ///< by the view that was brought forward over it
  bool arranged_ = false;
};

}  // namespace sluice::ui

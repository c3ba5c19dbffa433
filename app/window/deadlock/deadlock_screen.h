#pragma once
// DeadlockScreen: the window's side of a deadlock. It takes each run's report to the layer over the canvas
// and to the panel, has the repair searched beside the event loop, and takes it into the document when asked.

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <memory>

#include "app/window/document/graph_correspondence.h"
#include "app/window/shell/background_work.h"
#include "app/window/shell/window_context.h"
#include "engine/fifo/unlock.h"
#include "widgets/deadlock/deadlock_layer.h"

class QDockWidget;

namespace sluice::ui {

class DeadlockPanel;
class FrontierDialog;
class NearMissSearch;

class DeadlockScreen : public QObject {
  Q_OBJECT

 public:
  explicit DeadlockScreen(const WindowContext& context);

  DeadlockPanel* panel() const { return panel_; }
  const DeadlockLayer& layer() const { return layer_; }
  QDockWidget* dock() const { return dock_; }
  /// The dock that panel() is in: it comes to the front when there is something to see.
  void setDock(QDockWidget* dock) { dock_ = dock; }
  /// The newest run deadlocked.
  bool isDeadlocked() const { return point_ != nullptr; }
  bool searching() const { return searching_; }
  NearMissSearch* nearMisses() const { return near_misses_; }
  /// Of the point that is shown, ended or not.
  FrontierDialog* showFrontier();

  /// What goes wrong stands in the panel.
  bool exportPicture(const QString& file);
  bool exportText(const QString& file);

 signals:
  /// The user wants to see this moment: a wait cycle closed then.
  void cycleRequested(qint64 cycle);
  void jumpRequested(const QString& place);

 private:
  struct Progress;

  void connectSession();
  void connectPanel();
  void addCommands();
  void raisePanel();
  void showPoint(const std::shared_ptr<const PointResult>& point);
  void forget(const QString& message);
  GraphCorrespondence matchOf(const PointResult& point) const;
  void search();
  void stopSearch();
  void showProgress();
  void show();
  void refreshLayer();
  void applyRepair();
  void applyWaitCycle();
  void apply(const QString& name, const Repair& repair);
  void updateCommands();
  void exportWithDialog(bool picture);

  const WindowContext context_;
  DeadlockPanel* panel_;
  QDockWidget* dock_ = nullptr;
  DeadlockLayer layer_;
  NearMissSearch* near_misses_;
  FrontierDialog* frontier_ = nullptr;
  std::shared_ptr<const PointResult> point_;  ///< a deadlock; null: there is none
  std::shared_ptr<const PointResult> shown_;  ///< the last run, ended or not
  std::shared_ptr<const Workload> workload_;  ///< of the last run
  std::optional<Unlock> unlocked_;
  GraphCorrespondence match_;
  bool searching_ = false, stale_ = false;
  std::shared_ptr<Progress> progress_;
  QTimer progress_timer_;
  QElapsedTimer spent_;
  BackgroundWork work_;  ///< last: its destructor waits
};

}  // namespace sluice::ui

#pragma once
// StatusPanel: the status bar. What is running, how far it is, how long it will take, and a button to stop
// it.

#include <QElapsedTimer>
#include <QStatusBar>
#include <QTimer>

#include "app/window/run/session_controller.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace sluice::ui {

class ElidedLabel;

class StatusPanel : public QStatusBar {
  Q_OBJECT

 public:
  /// Esc in `window` cancels as the button does.
  explicit StatusPanel(SessionController* session, QWidget* window = nullptr);
  /// Counts shown at the right; clicking them asks for the list.
  void setDiagnosticCounts(int errors, int warnings);
  /// How far the layout of the graph is, which is shown while nothing else runs; 1: none is under way.
  void showLayout(double share);
  /// Work of another kind that goes before simulations, as explorations do; up to endWork().
  void showWork(const QString& what, double share, double seconds_left);
  void endWork(const QString& what);
  /// Stops what is shown.
  void cancel();
  /// Stands where the last result stands, while nothing runs; empty: there is none.
  void setProblem(const QString& problem);

 signals:
  void cancelRequested();
  void layoutCancelRequested();
  void diagnosticsRequested();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void connectSession(SessionController* session);
  void showRunning(const QString& what, double fraction, double seconds_left);
  void showExploring();
  void showDone(const QString& what);
  void tell();
  void explored(const Exploration& result);

  ElidedLabel* message_;
  QProgressBar* bar_;
  QLabel* left_;
  QToolButton *cancel_, *counts_;
  QTimer patience_;  ///< a simulation shorter than this shows no progress bar: nothing flickers
  QString done_, problem_;
  ExploreProgress points_, runs_;  ///< of the exploration; runs only where a point takes several
  QElapsedTimer exploration_;      ///< since it began; else not valid
  QTimer second_;                  ///< in which it is told how long it has taken
  QElapsedTimer layout_;           ///< since the layout under way began; else not valid
  bool exploring_ = false, shows_layout_ = false;
};

}  // namespace sluice::ui

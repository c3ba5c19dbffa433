#pragma once
// Tour: two minutes through the window with a program that deadlocks, up to the fixed run and the
// depths that are worth having. Each stop says what to do and goes on when it is done; every one can also be
// done by its button.

#include <QFrame>
#include <functional>
#include <vector>

#include "engine/explorer/evaluate.h"

class QLabel;
class QPushButton;

namespace sluice::ui {

class MainWindow;

class Tour : public QFrame {
  Q_OBJECT

 public:
  /// `program`: the sample softmax_depths.
  Tour(MainWindow* window, const QString& program);

  /// Opens the program; false where it cannot be opened, or what is open is to be kept.
  bool start();
  int stop() const { return stop_; }
  int stops() const { return static_cast<int>(stops_.size()); }
  QPushButton* doButton() const { return do_; }

 signals:
  void finished();

 private:
  struct Stop {
    QString text, button;
    std::function<bool()> done;   ///< asked whenever something happens; null: only the button leads on
    std::function<void()> doing;  ///< what the button does; null: it only leads on
    std::function<void()> entering = {};  ///< brings into view what the text speaks of
  };
  void plan();
  void check();
  void go(int stop);
  void raiseInspector();
  void place();
  bool eventFilter(QObject* watched, QEvent* event) override;

  MainWindow* window_;
  const QString program_;
  std::vector<Stop> stops_;
  int stop_ = -1;
  std::shared_ptr<const PointResult> result_;  ///< the newest run
  bool explored_ = false;
  QLabel *text_, *count_;
  QPushButton *do_, *end_;
};

}  // namespace sluice::ui

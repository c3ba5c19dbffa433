#pragma once
// FrontierDialog: "what depth separates the two?" - the runs that end from those that deadlock, over the
// depths of two FIFOs that the user chooses. Computed beside the event loop.

#include <QDialog>
#include <QTimer>
#include <atomic>
#include <memory>

#include "app/window/shell/background_work.h"
#include "engine/fifo/depth_frontier.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace sluice::ui {

class FrontierPlot;

class FrontierDialog : public QDialog {
  Q_OBJECT

 public:
  explicit FrontierDialog(QWidget* parent);

  /// `pair`: origins of the FIFOs to begin with; fewer than two: the first ones there are.
  void setPoint(std::shared_ptr<const Workload> workload, std::shared_ptr<const PointResult> point,
                const std::vector<std::string>& pair);
  FrontierPlot* plot() const { return plot_; }
  bool computing() const { return computing_; }
  bool exportPlotTo(const QString& file);

 private:
  void build();
  void compute();
  void showFrontier(const Result<DepthFrontier>& frontier);
  void exportWithDialog();

  std::shared_ptr<const Workload> workload_;
  std::shared_ptr<const PointResult> point_;
  QComboBox *first_, *second_;
  QSpinBox* up_to_;
  FrontierPlot* plot_;
  QLabel* status_;
  QProgressBar* bar_;
  QPushButton *cancel_, *export_;
  bool computing_ = false, filling_ = false;
  std::shared_ptr<std::atomic<std::size_t>> runs_;
  QTimer progress_;
  BackgroundWork work_;  ///< last: its destructor waits
};

}  // namespace sluice::ui

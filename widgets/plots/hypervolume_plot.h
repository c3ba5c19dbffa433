#pragma once
// HypervolumePlot: how good the frontier was after each evaluated point of the last exploration, for the two
// metrics of the Pareto chart. 1 is the box from the best value of both metrics to the reference, which is a
// tenth beyond the worst.

#include <QTimer>

#include "engine/explorer/point.h"
#include "widgets/common/qt_text.h"
#include "widgets/plots/plot.h"

namespace sluice::ui {

class HypervolumePlot : public Plot {
  Q_OBJECT

 public:
  explicit HypervolumePlot(QWidget* parent = nullptr);

  void start();  ///< a new exploration
  /// Points in the order in which they were finished, `seconds` after the start.
  void add(const std::vector<DesignPoint>& points, double seconds);
  void setMetrics(const QString& x, const QString& y);
  /// After each point, 0..1.
  const std::vector<double>& history();
  QString csv() const override;

 protected:
  void restyle() override;

 private:
  void compute();
  void showHistory();

  struct Finished {
    Metrics metrics;
    bool counts;
    double seconds;
  };
  std::vector<Finished> finished_;
  QString x_ = qt(defaultObjectives()[0]), y_ = qt(defaultObjectives()[1]);
  std::vector<double> history_;
  bool stale_ = false;
  QCPGraph* line_;
  QTimer refresh_;
};

}  // namespace sluice::ui

#pragma once
// ParetoPlot: the Pareto chart with its axis choices and its figures of merit.

#include <QWidget>

#include "widgets/plots/pareto_chart.h"

class QCheckBox;
class QComboBox;
class QLabel;

namespace sluice::ui {

class ParetoPlot : public QWidget {
  Q_OBJECT

 public:
  explicit ParetoPlot(PointSelection* selection, QWidget* parent = nullptr);
  /// With a selection of its own.
  explicit ParetoPlot(PointsModel* points, QWidget* parent = nullptr);

  ParetoChart* chart() const { return chart_; }
  QString xMetric() const;
  QString yMetric() const;
  void setMetrics(const QString& x, const QString& y);
  void selectKnee();

 signals:
  void pointActivated(int index);
  void metricsChanged(const QString& x, const QString& y);

 private:
  explicit ParetoPlot(ParetoChart* chart, QWidget* parent);
  QComboBox* columnBox(const QString& object_name, const QString& label, const QString& initial);
  void offerKnobs();
  void applyAxes();
  void showFigures();

  ParetoChart* chart_;
  QComboBox *x_, *y_;
  QCheckBox *log_x_, *log_y_;
  QLabel* figures_;
};

}  // namespace sluice::ui

#pragma once
// ParetoPlot: the Pareto chart with its axis choices.

#include <QWidget>

#include "widgets/plots/pareto_chart.h"

class QCheckBox;
class QComboBox;

namespace sluice::ui {

class ParetoPlot : public QWidget {
  Q_OBJECT

 public:
  explicit ParetoPlot(PointsModel* points, QWidget* parent = nullptr);

  ParetoChart* chart() const { return chart_; }
  QString xMetric() const;
  QString yMetric() const;
  void setMetrics(const QString& x, const QString& y);

 signals:
  void pointActivated(int index);

 private:
  QComboBox* metricBox(const QString& object_name, const QString& label, const QString& initial);
  void applyAxes();

  ParetoChart* chart_;
  QComboBox *x_, *y_;
  QCheckBox *log_x_, *log_y_;
};

}  // namespace sluice::ui

#include "widgets/plots/pareto_plot.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>

#include "widgets/common/quantity.h"

namespace sluice::ui {

ParetoPlot::ParetoPlot(PointsModel* points, QWidget* parent)
    : QWidget(parent), chart_(new ParetoChart(points)) {
  setObjectName(QStringLiteral("paretoPlot"));
  x_ = metricBox(QStringLiteral("paretoX"), tr("Metric of the horizontal axis"), QStringLiteral("cycles"));
  y_ = metricBox(QStringLiteral("paretoY"), tr("Metric of the vertical axis"),
                 QStringLiteral("on_chip_bytes"));
  log_x_ = new QCheckBox(tr("log"));
  log_x_->setAccessibleName(tr("Logarithmic horizontal axis"));
  log_x_->setObjectName(QStringLiteral("paretoLogX"));
  log_y_ = new QCheckBox(tr("log"));
  log_y_->setAccessibleName(tr("Logarithmic vertical axis"));
  log_y_->setObjectName(QStringLiteral("paretoLogY"));

  auto* controls = new QHBoxLayout;
  controls->setContentsMargins(8, 6, 8, 0);
  controls->setSpacing(6);
  controls->addWidget(y_);
  controls->addWidget(log_y_);
  controls->addWidget(new QLabel(tr("over")));
  controls->addWidget(x_);
  controls->addWidget(log_x_);
  controls->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addLayout(controls);
  layout->addWidget(chart_, 1);

  for (QComboBox* box : {x_, y_}) connect(box, &QComboBox::currentIndexChanged, this, &ParetoPlot::applyAxes);
  for (QCheckBox* box : {log_x_, log_y_}) connect(box, &QCheckBox::toggled, this, &ParetoPlot::applyAxes);
  connect(chart_, &ParetoChart::pointActivated, this, &ParetoPlot::pointActivated);
}

QComboBox* ParetoPlot::metricBox(const QString& object_name, const QString& label, const QString& initial) {
  auto* box = new QComboBox;
  box->setObjectName(object_name);
  box->setAccessibleName(label);
  box->setToolTip(label);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(12);
  box->setMinimumWidth(84);
  for (const std::string& name : metricNames()) {
    const QString metric_name = QString::fromStdString(name);
    box->addItem(metricTitle(metric_name), metric_name);
  }
  box->setCurrentIndex(box->findData(initial));
  return box;
}

QString ParetoPlot::xMetric() const {
  return x_->currentData().toString();
}
QString ParetoPlot::yMetric() const {
  return y_->currentData().toString();
}

void ParetoPlot::setMetrics(const QString& x, const QString& y) {
  x_->setCurrentIndex(x_->findData(x));
  y_->setCurrentIndex(y_->findData(y));
}

void ParetoPlot::applyAxes() {
  chart_->setLogarithmic(log_x_->isChecked(), log_y_->isChecked());
  chart_->setMetrics(xMetric(), yMetric());
}

}  // namespace sluice::ui

#include "widgets/plots/pareto_plot.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>

#include "widgets/common/qt_text.h"

namespace sluice::ui {

ParetoPlot::ParetoPlot(PointSelection* selection, QWidget* parent)
    : ParetoPlot(new ParetoChart(selection), parent) {}

ParetoPlot::ParetoPlot(PointsModel* points, QWidget* parent) : ParetoPlot(new ParetoChart(points), parent) {}

ParetoPlot::ParetoPlot(ParetoChart* chart, QWidget* parent)
    : QWidget(parent), chart_(chart), figures_(new QLabel) {
  setObjectName(QStringLiteral("paretoPlot"));
  x_ = columnBox(QStringLiteral("paretoX"), tr("Metric or knob of the horizontal axis"),
                 qt(defaultObjectives()[0]));
  y_ = columnBox(QStringLiteral("paretoY"), tr("Metric or knob of the vertical axis"),
                 qt(defaultObjectives()[1]));
  log_x_ = new QCheckBox(tr("log"));
  log_x_->setAccessibleName(tr("Logarithmic horizontal axis"));
  log_x_->setObjectName(QStringLiteral("paretoLogX"));
  log_y_ = new QCheckBox(tr("log"));
  log_y_->setAccessibleName(tr("Logarithmic vertical axis"));
  log_y_->setObjectName(QStringLiteral("paretoLogY"));
  figures_->setObjectName(QStringLiteral("paretoFigures"));
  figures_->setEnabled(false);
  figures_->setContentsMargins(10, 0, 8, 0);
  figures_->hide();
  figures_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // never forces the window to grow

  auto* controls = new QHBoxLayout;
  controls->setContentsMargins(8, 6, 8, 0);
  controls->setSpacing(4);
  controls->addWidget(y_);
  controls->addWidget(log_y_);
  auto* over = new QLabel(tr("over"));
  over->setMaximumWidth(over->sizeHint().width());
  over->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // the first to go in a narrow dock
  controls->addWidget(over);
  controls->addWidget(x_);
  controls->addWidget(log_x_);
  controls->addStretch(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addLayout(controls);
  layout->addWidget(figures_);
  layout->addWidget(chart_, 1);

  for (QComboBox* box : {x_, y_}) connect(box, &QComboBox::currentIndexChanged, this, &ParetoPlot::applyAxes);
  for (QCheckBox* box : {log_x_, log_y_}) connect(box, &QCheckBox::toggled, this, &ParetoPlot::applyAxes);
  connect(chart_, &ParetoChart::pointClicked, this, &ParetoPlot::pointActivated);
  connect(chart_, &ParetoChart::pointActivated, this, &ParetoPlot::pointActivated);
  connect(chart_, &ParetoChart::figuresChanged, this, &ParetoPlot::showFigures);
  connect(chart_->selection(), &PointSelection::reset, this, &ParetoPlot::offerKnobs);
  offerKnobs();
}

QComboBox* ParetoPlot::columnBox(const QString& object_name, const QString& label, const QString& initial) {
  auto* box = new QComboBox;
  box->setObjectName(object_name);
  box->setAccessibleName(label);
  box->setToolTip(label);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(12);
  box->setMinimumWidth(40);
  for (const MetricSpec* metric : metricsWith(false)) box->addItem(qt(metric->title), qt(metric->name));
  box->setCurrentIndex(box->findData(initial));
  return box;
}

/// The knobs of the points stand below their metrics; an axis whose knob or metric is gone goes back to the
/// first metrics.
void ParetoPlot::offerKnobs() {
  if (chart_->selection()->points().empty()) return;  // an exploration begins: the axes wait for its points
  QStringList knobs;
  for (const PointColumn& column : chart_->selection()->columns()->columns())
    if (column.is_knob) knobs << column.name;
  const auto metrics = chart_->selection()->columns()->model()->metrics();
  const auto count = static_cast<int>(metrics.size());
  bool lost = false;
  for (QComboBox* box : {x_, y_}) {
    const QSignalBlocker quiet(box);
    const QString chosen = box->currentData().toString();
    box->clear();
    for (const MetricSpec* metric : metrics) box->addItem(qt(metric->title), qt(metric->name));
    if (!knobs.isEmpty()) box->insertSeparator(count);
    for (const QString& knob : knobs) box->addItem(knob, knob);
    const int again = box->findData(chosen);
    lost = lost || again < 0;
    box->setCurrentIndex(again >= 0 ? again : box->findData(qt(defaultObjectives()[box == x_ ? 0 : 1])));
  }
  if (lost) applyAxes();
}

QString ParetoPlot::xMetric() const {
  return x_->currentData().toString();
}
QString ParetoPlot::yMetric() const {
  return y_->currentData().toString();
}

void ParetoPlot::setMetrics(const QString& x, const QString& y) {
  {
    const QSignalBlocker quiet_x(x_), quiet_y(y_);
    for (const auto& [box, name] : {std::pair(x_, x), {y_, y}}) {
      // One of a technology stands there once points have it, or one asks for it.
      const MetricSpec* const metric = findMetric(name.toStdString());
      if (metric && box->findData(name) < 0) box->addItem(qt(metric->title), name);
      box->setCurrentIndex(box->findData(name));
    }
  }
  applyAxes();
}

void ParetoPlot::applyAxes() {
  chart_->setLogarithmic(log_x_->isChecked(), log_y_->isChecked());
  chart_->setMetrics(xMetric(), yMetric());
  emit metricsChanged(xMetric(), yMetric());
}

void ParetoPlot::selectKnee() {
  if (chart_->figures().knee) chart_->selection()->select({*chart_->figures().knee});
}

void ParetoPlot::showFigures() {
  const ParetoFigures& figures = chart_->figures();
  QStringList parts;
  if (figures.frontier > 0) {
    parts << tr("%n on the frontier", nullptr, static_cast<int>(figures.frontier))
          << tr("hypervolume %1").arg(QString::number(figures.hypervolume, 'f', 3));
  }
  if (figures.improvement)
    parts << tr("PID %1 over the baseline").arg(QString::number(*figures.improvement, 'f', 2));
  figures_->setText(parts.join(QStringLiteral(" \u00b7 ")));
  figures_->setVisible(!parts.isEmpty());
  figures_->setToolTip(
      tr("Hypervolume: the share of the box between the best values and a reference a tenth beyond the worst "
         "that the frontier dominates. Knee: the frontier's point furthest below the line between its ends. "
         "PID: Pareto improvement distance of the frontier's best point over the baseline. Reference: %1, "
         "%2.")
          .arg(QString::number(figures.reference[0], 'g', 6), QString::number(figures.reference[1], 'g', 6)));
}

}  // namespace sluice::ui

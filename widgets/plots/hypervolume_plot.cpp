#include "widgets/plots/hypervolume_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/csv.h"
#include "engine/explorer/pareto.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr int refresh_period = 200;  // ms: the whole history is computed anew

}  // namespace

HypervolumePlot::HypervolumePlot(QWidget* parent) : Plot(parent), line_(addGraph()) {
  setObjectName(QStringLiteral("hypervolumePlot"));
  setAccessibleName(tr("Hypervolume of the frontier over the evaluated points"));
  setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  axisRect()->setRangeDrag(Qt::Horizontal);
  axisRect()->setRangeZoom(Qt::Horizontal);
  xAxis->setLabel(tr("Evaluated points"));
  yAxis->setLabel(tr("Hypervolume (share of the best box)"));
  xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new IntegerTicker));
  line_->setName(tr("hypervolume"));
  line_->setLineStyle(QCPGraph::lsStepLeft);
  legend->setVisible(false);
  refresh_.setSingleShot(true);
  refresh_.setInterval(refresh_period);
  connect(&refresh_, &QTimer::timeout, this, &HypervolumePlot::showHistory);
  setTheme(theme());
  showHistory();
}

void HypervolumePlot::start() {
  finished_.clear();
  stale_ = true;
  showHistory();
}

void HypervolumePlot::add(const std::vector<DesignPoint>& points, double seconds) {
  for (const DesignPoint& point : points)
    if (point.state != PointState::Cancelled)
      finished_.push_back({point.metrics, point.state == PointState::Done, seconds});
  stale_ = true;
  if (!refresh_.isActive()) refresh_.start();
}

void HypervolumePlot::setMetrics(const QString& x, const QString& y) {
  x_ = x;
  y_ = y;
  stale_ = true;
  showHistory();
}

void HypervolumePlot::compute() {
  if (!std::exchange(stale_, false)) return;
  history_.clear();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 2> best = {infinity, infinity}, worst = {-infinity, -infinity};
  const std::array<const MetricSpec*, 2> metrics = {findMetric(x_.toStdString()),
                                                    findMetric(y_.toStdString())};
  if (!metrics[0] || !metrics[1]) return;  // a knob
  std::vector<double> values;
  values.reserve(finished_.size() * 2);
  for (const Finished& each : finished_)
    for (std::size_t k = 0; k < 2; ++k) {
      const double value =
          each.counts ? metrics[k]->minimised(metrics[k]->number(each.metrics)) : std::nan("");
      values.push_back(value);
      if (!each.counts) continue;
      best[k] = std::min(best[k], value);
      worst[k] = std::max(worst[k], value);
    }
  if (!(best[0] <= worst[0]) || !(best[1] <= worst[1])) return;  // nothing counts
  std::array<double, 2> reference{};
  for (std::size_t k = 0; k < 2; ++k)
    reference[k] = worst[k] + (worst[k] > best[k] ? 0.1 * (worst[k] - best[k]) : 1);
  const double box = (reference[0] - best[0]) * (reference[1] - best[1]);
  history_ = hypervolumeByVisit(values, 2, reference);
  for (double& value : history_) value /= box;
}

const std::vector<double>& HypervolumePlot::history() {
  compute();
  return history_;
}

void HypervolumePlot::showHistory() {
  QVector<QCPGraphData> steps;
  double count = 0;
  double last = -1;
  for (const double value : history()) {
    count += 1;
    // Only where it grows, and the last.
    if (value != last || count == static_cast<double>(history_.size()))
      steps.append(QCPGraphData(count, value));
    last = value;
  }
  line_->data()->set(steps, true);
  setNotice(finished_.empty() ? tr("No exploration yet.\nF5 starts one.")
            : steps.empty()   ? tr("Hypervolume needs\ntwo metrics as axes.")
                              : QString());
  xAxis->setRange(padded(1, std::max(2.0, count), false));
  yAxis->setRange(0, 1.05);
  replotLater();
}

void HypervolumePlot::restyle() {
  line_->setPen(QPen(theme().frontier, theme().line_width));
}

QString HypervolumePlot::csv() const {
  CsvTable table({"evaluated", "seconds", "hypervolume"});
  for (std::size_t i = 0; i < history_.size(); ++i)
    table.row({std::to_string(i + 1), csvNumber(finished_[i].seconds), csvNumber(history_[i])});
  return QString::fromStdString(table.text());
}

}  // namespace sluice::ui

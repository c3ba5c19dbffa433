#include "widgets/distributions/distribution_plot.h"

#include <algorithm>
#include <cmath>

#include "engine/core/csv.h"
#include "engine/distributions/percentile_text.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr double shown_quantiles[] = {0.05, 0.5, 0.95};

QString sentenceOf(const WorkloadSet& set, const PointSamples& samples, const MetricSpec& metric,
                   std::size_t chosen) {
  const double value = samples.value(chosen, metric);
  const QString place = qt(percentileText(samples, metric, chosen));
  QString told = qt(set.traces[chosen].name);
  if (std::isfinite(value)) told += QStringLiteral(": ") + text(metricQuantity(qt(metric.name), value));
  if (!place.isEmpty()) told += QStringLiteral(", ") + place;
  const std::size_t locked = samples.tracesIn(PointState::Deadlocked).size();
  if (locked > 0) told += QObject::tr("; deadlocks under %1 of %2").arg(locked).arg(samples.evaluated());
  return told;
}

}  // namespace

DistributionPlot::DistributionPlot(QWidget* parent)
    : Plot(parent),
      heading_(new QCPTextElement(this)),
      line_(addGraph()),
      marks_(addGraph()),
      chosen_(addGraph()) {
  setObjectName(QStringLiteral("distributionPlot"));
  setAccessibleName(tr("Distribution of a metric over the traces"));
  line_->setName(tr("traces"));
  line_->setLineStyle(QCPGraph::lsStepLeft);
  marks_->setName(tr("p5, median, p95"));
  marks_->setLineStyle(QCPGraph::lsNone);
  chosen_->setName(tr("chosen trace"));
  chosen_->setLineStyle(QCPGraph::lsNone);
  yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QuantityTicker(true)));
  yAxis->setLabel(tr("Share of the traces"));
  yAxis->setRange(0, 1.03);
  heading_->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
  addAbove(heading_);
  addLegendAbove();
  setTheme(theme());
  clear(tr("No input is a set of traces."));
}

void DistributionPlot::clear(const QString& notice) {
  sentence_.clear();
  values_.clear();
  for (QCPGraph* graph : {line_, marks_, chosen_}) graph->data()->clear();
  heading_->setVisible(false);
  setNotice(notice);
  replotLater();
}

void DistributionPlot::setSamples(const WorkloadSet& set, const PointSamples& samples,
                                  const MetricSpec& metric, std::size_t chosen) {
  clear({});
  metric_ = metric.name;
  values_ = orderedValues(samples, metric);
  const auto count = static_cast<double>(values_.size());
  const auto share = [&](double value) {
    return static_cast<double>(std::ranges::upper_bound(values_, value) - values_.begin()) / count;
  };
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values_) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value), high = std::max(high, value);
    line_->addData(value, share(value));
  }
  if (!(low <= high)) return setNotice(tr("Under no trace the design runs to its end."));
  const QCPRange range = padded(low, high, false);
  line_->addData(range.lower, 0);
  line_->addData(range.upper, share(high));
  for (const double quantile : shown_quantiles)
    if (const double value = quantileOf(values_, quantile); std::isfinite(value))
      marks_->addData(value, quantile);
  if (const double value = samples.value(chosen, metric); std::isfinite(value))
    chosen_->addData(value, share(value));
  sentence_ = sentenceOf(set, samples, metric, chosen);
  heading_->setText(sentence_);
  heading_->setVisible(true);
  xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QuantityTicker(metric.kind == MetricKind::Fraction)));
  xAxis->setRange(range);
  nameAxis(xAxis, metricTitle(qt(metric.name)), metricUnit(qt(metric.name)));
  restyle();
  replotLater();
}

void DistributionPlot::restyle() {
  const PlotTheme& look = theme();
  const double size = look.marker_size;
  line_->setPen(QPen(look.frontier, look.line_width * 1.5));
  marks_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(look.frontier, look.line_width),
                                          QBrush(look.background), size * 1.3));
  chosen_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(look.current, look.line_width),
                                           QBrush(look.current), size * 1.3));
  heading_->setFont(look.font);
  heading_->setTextColor(look.text);
  heading_->setMargins(look.on_paper ? QMargins(4, 3, 4, 1) : QMargins(8, 6, 8, 2));
  const QFontMetrics metrics(look.font);
  heading_->setText(metrics.elidedText(sentence_, Qt::ElideRight, drawingWidth() - 2 * metrics.height()));
  legend->setIconSize(static_cast<int>(size * 2.4), metrics.ascent());
  legend->setIconTextPadding(look.on_paper ? 3 : 6);
  fitLegend(3);
}

QString DistributionPlot::csv() const {
  CsvTable table({metric_, "share_of_traces"});
  for (std::size_t i = 0; i < values_.size(); ++i)
    table.row({std::isfinite(values_[i]) ? csvNumber(values_[i]) : "",
               csvNumber(static_cast<double>(i + 1) / static_cast<double>(values_.size()))});
  return QString::fromStdString(table.text());
}

Exportable exportable(DistributionPlot& plot) {
  return exportable(plot, QStringLiteral("distribution"), QObject::tr("Distribution over traces"));
}

}  // namespace sluice::ui

#include "widgets/distributions/box_plot.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/core/csv.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

constexpr std::size_t most_boxes = 24;
const std::vector<double> box_quantiles = {0.05, 0.25, 0.5, 0.75, 0.95};
constexpr std::size_t median = 2;

/// Knobs that do not have the same value in all designs.
std::vector<std::string> varied(const std::vector<SampledDesign>& designs) {
  std::map<std::string, std::set<std::int64_t>> values;
  for (const SampledDesign& design : designs)
    for (const auto& [knob, value] : design.knobs) values[knob].insert(value);
  std::vector<std::string> names;
  for (const auto& [knob, of] : values)
    if (of.size() > 1) names.push_back(knob);
  return names;
}

}  // namespace

BoxPlot::BoxPlot(QWidget* parent) : Plot(parent), boxes_(new QCPStatisticalBox(xAxis, yAxis)) {
  setObjectName(QStringLiteral("boxPlot"));
  setAccessibleName(tr("A metric of every explored design over the traces"));
  boxes_->setName(tr("quartiles, median; whiskers 5 to 95 %"));
  boxes_->setWidth(0.6);
  xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QCPAxisTickerText));
  xAxis->setSubTicks(false);
  xAxis->grid()->setVisible(false);
  addLegendAbove();
  setTheme(theme());
  clear(tr("No input is a set of traces."));
}

void BoxPlot::clear(const QString& notice) {
  names_.clear();
  all_.clear();
  boxes_->data()->clear();
  setNotice(notice);
  replotLater();
}

void BoxPlot::setDesigns(const std::vector<SampledDesign>& designs, const MetricSpec& metric) {
  clear({});
  metric_ = metric.name;
  const std::vector<std::string> knobs = varied(designs);
  for (const SampledDesign& design : designs) {
    if (!design.samples) continue;
    Summary summary = summaryOf(*design.samples, metric, box_quantiles);
    QStringList values;
    for (const std::string& knob : knobs) values << QString::number(design.knobs.at(knob));
    if (summary.values > 0) all_.emplace_back(values.join(QLatin1Char('/')), std::move(summary));
  }
  QStringList named;
  for (const std::string& knob : knobs) named << qt(knob);
  xAxis->setLabel(named.join(QStringLiteral(" / ")));
  std::vector<std::size_t> order(all_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (order.size() > most_boxes) {
    std::ranges::stable_sort(
        order, {}, [&](std::size_t i) { return metric.minimised(all_[i].second.quantiles[median]); });
    order.resize(most_boxes);
    std::ranges::sort(order);
  }
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const std::size_t i : order) {
    const Summary& of = all_[i].second;
    std::vector<double> at = of.quantiles;
    for (double& value : at)
      if (!std::isfinite(value)) value = of.maximum;  // some runs do not end
    boxes_->addData(static_cast<double>(names_.size()), at[0], at[1], at[2], at[3], at[4],
                    {of.minimum, of.maximum});
    low = std::min(low, of.minimum), high = std::max(high, of.maximum);
    names_.push_back(all_[i].first);
  }
  if (names_.empty()) return setNotice(tr("No design has a value."));
  yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QuantityTicker(metric.kind == MetricKind::Fraction)));
  yAxis->setRange(padded(low, high, false));
  xAxis->setRange(-0.6, static_cast<double>(names_.size()) - 0.4);
  nameAxis(yAxis, metricTitle(qt(metric.name)), metricUnit(qt(metric.name)));
  nameBoxes();
  replotLater();
}

void BoxPlot::nameBoxes() {
  const auto ticker = xAxis->ticker().dynamicCast<QCPAxisTickerText>();
  if (!ticker) return;
  const QFontMetrics metrics(theme().font);
  ticker->clear();
  int widest = 0;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const QString name = metrics.elidedText(names_[i], Qt::ElideRight, 16 * metrics.averageCharWidth());
    widest = std::max(widest, metrics.horizontalAdvance(name));
    ticker->addTick(static_cast<double>(i), name);
  }
  const int room = (drawingWidth() - 6 * metrics.height()) / std::max(1, static_cast<int>(names_.size()));
  xAxis->setTickLabelRotation(widest + metrics.averageCharWidth() > room ? 60 : 0);
}

void BoxPlot::restyle() {
  const PlotTheme& look = theme();
  const QPen pen(look.frontier, look.line_width);
  boxes_->setPen(pen);
  boxes_->setBrush(look.tinted(look.frontier, 0.25));
  boxes_->setMedianPen(QPen(look.text, look.line_width * 1.6));
  boxes_->setWhiskerPen(pen);
  boxes_->setWhiskerBarPen(pen);
  boxes_->setOutlierStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(look.muted, look.line_width),
                                          Qt::NoBrush, look.marker_size * 0.6));
  const int ascent = QFontMetrics(look.font).ascent();
  legend->setIconSize(ascent, ascent);
  nameBoxes();
  fitLegend(1);
}

void BoxPlot::resizeEvent(QResizeEvent* event) {
  nameBoxes();
  Plot::resizeEvent(event);
}

QString BoxPlot::csv() const {
  CsvTable table({xAxis->label().isEmpty() ? "design" : xAxis->label().toStdString(), "metric", "traces",
                  "mean", "min", "p5", "p25", "median", "p75", "p95", "max"});
  const auto cell = [](double value) { return std::isfinite(value) ? csvNumber(value) : std::string(); };
  for (const auto& [name, summary] : all_) {
    std::vector<std::string> row{name.toStdString(), metric_, std::to_string(summary.values),
                                 cell(summary.mean), cell(summary.minimum)};
    for (const double quantile : summary.quantiles) row.push_back(cell(quantile));
    row.push_back(cell(summary.maximum));
    table.row(row);
  }
  return QString::fromStdString(table.text());
}

Exportable exportable(BoxPlot& plot) {
  Exportable made = exportable(plot, QStringLiteral("boxes"), QObject::tr("Designs over traces"));
  made.pgf = nullptr;
  return made;
}

}  // namespace sluice::ui

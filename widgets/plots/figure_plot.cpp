#include "widgets/plots/figure_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "engine/core/csv.h"
#include "widgets/plots/point_labels.h"

namespace sluice::ui {
namespace {

constexpr double groupWidth = 0.8;  // of a category's room
constexpr int columnWidth = 240;    // points
constexpr int pageWidth = 504;

/// Curves of the same series are called "static" and "static, published"; of the only one, "ours" and
/// "published".
std::string seriesOf(const FigureChart::Curve& curve) {
  std::string name = curve.name;
  for (const char* suffix : {", published", " (published)", " published"}) {
    if (curve.published && name.ends_with(suffix)) name.resize(name.size() - std::string(suffix).size());
  }
  return name == "ours" || name == "published" ? "" : name;
}

/// The lowest and the highest of what is added.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

QSharedPointer<QCPAxisTicker> numbersOf(bool logarithmic) {
  if (logarithmic) return QSharedPointer<QCPAxisTicker>(new LogQuantityTicker);
  return QSharedPointer<QCPAxisTicker>(new QuantityTicker);
}

QString qt(const std::string& text) {
  return QString::fromStdString(text);
}

}  // namespace

QCPAbstractPlottable* FigurePlot::Drawn::plottable() const {
  return points ? static_cast<QCPAbstractPlottable*>(points) : bars;
}

FigurePlot::FigurePlot(QWidget* parent)
    : Plot(parent), heading_(new QCPTextElement(this)), labels_(new PointLabels(this, xAxis, yAxis)) {
  setObjectName(QStringLiteral("figurePlot"));
  setAutoAddPlottableToLegend(false);
  heading_->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
  // Title and legend stand above the axes: never over a point.
  plotLayout()->insertRow(0);
  plotLayout()->addElement(0, 0, heading_);
  plotLayout()->insertRow(1);
  legend->setVisible(true);
  legend->setFillOrder(QCPLegend::foColumnsFirst);
  legend->setMargins(QMargins(0, 0, 0, 0));
  plotLayout()->addElement(1, 0, legend);
  plotLayout()->setRowStretchFactor(0, 0.001);
  plotLayout()->setRowStretchFactor(1, 0.001);
  setTheme(theme());
  setChart({});
}

void FigurePlot::setChart(FigureChart chart) {
  chart_ = std::move(chart);
  setAccessibleName(tr("Chart: %1").arg(qt(chart_.title)));
  heading_->setText(qt(chart_.title));
  heading_->setVisible(!chart_.title.empty());
  xAxis->setLabel(qt(chart_.x_label));
  yAxis->setLabel(qt(chart_.y_label));
  xAxis->setScaleType(chart_.log_x && !chart_.bars ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  yAxis->setScaleType(chart_.log_y ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  createPlottables();
  rescale();
  setTickers();
  restyle();
  replotLater();
}

bool FigurePlot::usable(double x, double y) const {
  const bool positive = (!chart_.log_y || y > 0) && (chart_.bars || !chart_.log_x || x > 0);
  return std::isfinite(x) && std::isfinite(y) && positive;
}

void FigurePlot::createPlottables() {
  legend->clearItems();
  clearPlottables();
  drawn_.clear();
  identity_ = nullptr;
  if (chart_.identity_line) {
    identity_ = new QCPCurve(xAxis, yAxis);
    identity_->setName(tr("equal"));
  }
  std::vector<std::string> series;
  for (const FigureChart::Curve& curve : chart_.curves) {
    const std::string name = seriesOf(curve);
    const auto known = std::find(series.begin(), series.end(), name);
    drawn_.push_back({&curve, static_cast<std::size_t>(known - series.begin())});
    if (known == series.end()) series.push_back(name);
  }
  // Ours and published of a series side by side, in the legend and among bars.
  std::stable_sort(drawn_.begin(), drawn_.end(),
                   [](const Drawn& a, const Drawn& b) { return a.series < b.series; });
  group_ = std::make_unique<QCPBarsGroup>(this);
  for (Drawn& each : drawn_) {
    if (chart_.bars) {
      each.bars = barsOf(*each.curve);
    } else {
      each.points = pointsOf(*each.curve);
    }
    each.plottable()->setName(qt(each.curve->name));
  }
}

QCPCurve* FigurePlot::pointsOf(const FigureChart::Curve& curve) {
  auto* points = new QCPCurve(xAxis, yAxis);
  for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i)
    if (usable(curve.x[i], curve.y[i])) points->addData(curve.x[i], curve.y[i]);
  points->setLineStyle(chart_.identity_line ? QCPCurve::lsNone : QCPCurve::lsLine);
  return points;
}

QCPBars* FigurePlot::barsOf(const FigureChart::Curve& curve) {
  auto* bars = new QCPBars(xAxis, yAxis);
  for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i)
    if (usable(curve.x[i], curve.y[i])) bars->addData(curve.x[i], curve.y[i]);
  bars->setWidth(groupWidth / static_cast<double>(chart_.curves.size()));
  bars->setBarsGroup(group_.get());
  return bars;
}

void FigurePlot::rescale() {
  Extent x, y;
  for (const FigureChart::Curve& curve : chart_.curves) {
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
      if (!usable(curve.x[i], curve.y[i])) continue;
      x.add(curve.x[i]);
      y.add(curve.y[i]);
    }
  }
  setNotice(x.low <= x.high ? QString() : tr("There is nothing to draw."));
  if (chart_.identity_line) {
    x = y = {std::min(x.low, y.low), std::max(x.high, y.high)};
  }
  QCPRange values = padded(y.low, y.high, chart_.log_y);
  if (chart_.bars && !chart_.log_y) {  // the length of a bar is its value
    if (y.low >= 0) values.lower = 0;
    if (y.high <= 0) values.upper = 0;
  }
  yAxis->setRange(values);
  xAxis->setRange(chart_.bars
                      ? QCPRange(-0.6, std::max(1.0, static_cast<double>(chart_.categories.size())) - 0.4)
                      : padded(x.low, x.high, chart_.log_x));
  for (const Drawn& each : drawn_)
    if (each.bars) each.bars->setBaseValue(chart_.log_y ? values.lower : 0);
  if (identity_)
    identity_->setData({xAxis->range().lower, xAxis->range().upper},
                       {xAxis->range().lower, xAxis->range().upper});
}

void FigurePlot::setTickers() {
  yAxis->setTicker(numbersOf(chart_.log_y));
  if (chart_.bars) {
    xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QCPAxisTickerText));
  } else {
    xAxis->setTicker(numbersOf(chart_.log_x));
  }
  xAxis->grid()->setVisible(!chart_.bars);
  xAxis->setSubTicks(!chart_.bars);
}

void FigurePlot::nameCategories() {
  const auto ticker = xAxis->ticker().dynamicCast<QCPAxisTickerText>();
  if (!ticker) return;
  const QFontMetrics metrics(theme().font);
  int whole = 0, word = 0;
  for (const std::string& category : chart_.categories) {
    whole = std::max(whole, metrics.horizontalAdvance(qt(category)));
    for (const QString& part : qt(category).split(QLatin1Char(' ')))
      word = std::max(word, metrics.horizontalAdvance(part));
  }
  const int axes = drawingWidth() - 6 * metrics.height();  // without the room for the vertical axis
  const int room =
      axes / std::max(1, static_cast<int>(chart_.categories.size())) - metrics.averageCharWidth();
  ticker->clear();
  for (std::size_t i = 0; i < chart_.categories.size(); ++i) {
    QString text = qt(chart_.categories[i]);
    if (whole > room && word <= room) text.replace(QLatin1Char(' '), QLatin1Char('\n'));
    ticker->addTick(static_cast<double>(i), text);
  }
  xAxis->setTickLabelRotation(word > room ? 60 : 0);
}

void FigurePlot::restyle() {
  const PlotTheme& look = theme();
  QFont bold = look.font;
  bold.setBold(true);
  heading_->setFont(bold);
  heading_->setTextColor(look.text);
  heading_->setMargins(look.on_paper ? QMargins(4, 3, 4, 1) : QMargins(8, 8, 8, 2));
  for (const Drawn& each : drawn_) styleCurve(each);
  if (identity_) identity_->setPen(QPen(look.muted, look.line_width, Qt::DotLine));
  labels_->setLook(look.font, look.marker_size * 0.75);
  nameCategories();
  fillLegend();
  labelPoints();
}

void FigurePlot::styleCurve(const Drawn& drawn) {
  static constexpr std::array shapes = {QCPScatterStyle::ssCircle, QCPScatterStyle::ssSquare,
                                        QCPScatterStyle::ssTriangle, QCPScatterStyle::ssDiamond,
                                        QCPScatterStyle::ssTriangleInverted};
  const PlotTheme& look = theme();
  const QColor colour = look.series(static_cast<int>(drawn.series)).colour;
  const bool hollow = drawn.curve->published;
  const QPen outline(colour, look.line_width);
  if (drawn.bars) {
    drawn.bars->setPen(outline);
    drawn.bars->setBrush(hollow ? look.background : colour);
    group_->setSpacing(look.on_paper ? 0.8 : 1);
    return;
  }
  drawn.points->setPen(QPen(colour, look.line_width, hollow ? Qt::DashLine : Qt::SolidLine));
  // A hollow marker is larger: it shows around a filled one at the same place.
  drawn.points->setScatterStyle(QCPScatterStyle(shapes[drawn.series % shapes.size()], outline,
                                                hollow ? QBrush(Qt::NoBrush) : QBrush(colour),
                                                look.marker_size * (hollow ? 1.5 : 1)));
}

void FigurePlot::fillLegend() {
  std::vector<QCPAbstractPlottable*> entries;
  int widest = 0;
  const PlotTheme& look = theme();
  const QFontMetrics metrics(look.font);
  for (const Drawn& each : drawn_)
    if (each.points ? !each.points->data()->isEmpty() : !each.bars->data()->isEmpty())
      entries.push_back(each.plottable());
  if (identity_ && !entries.empty()) entries.push_back(identity_);
  if (entries.size() == 1 && entries.front()->name().isEmpty()) entries.clear();
  for (const QCPAbstractPlottable* entry : entries)
    widest = std::max(widest, metrics.horizontalAdvance(entry->name()));
  const bool lines = !chart_.bars;
  legend->setIconSize(static_cast<int>(look.marker_size * (lines ? 4 : 2)),
                      static_cast<int>(look.marker_size * 1.6));
  legend->setIconTextPadding(look.on_paper ? 3 : 6);
  const int entry = legend->iconSize().width() + widest + (look.on_paper ? 12 : 26);
  const int count = static_cast<int>(entries.size());
  int columns = std::clamp(drawingWidth() / std::max(1, entry), 1, std::max(1, count));
  if (columns < count && columns > 2) columns -= columns % 2;  // ours and published side by side
  legend->clearItems();
  legend->setWrap(columns);
  for (QCPAbstractPlottable* each : entries) each->addToLegend();
  padLegend();
}

void FigurePlot::labelPoints() {
  std::vector<PointLabel> labels;
  std::vector<QPointF> markers;
  std::vector<QLineF> lines;
  std::set<std::pair<std::size_t, std::string>> named;
  for (const bool published : {false, true}) {  // ours choose their places first
    for (const Drawn& each : drawn_) {
      if (!each.points || each.curve->published != published) continue;
      std::optional<QPointF> before;
      const FigureChart::Curve& curve = *each.curve;
      for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
        if (!usable(curve.x[i], curve.y[i])) continue;
        const QPointF at(curve.x[i], curve.y[i]);
        markers.push_back(at);
        if (before && !chart_.identity_line) lines.emplace_back(*before, at);
        before = at;
        if (i >= curve.labels.size() || curve.labels[i].empty()) continue;
        // One label is enough for a point and its published twin.
        if (!named.insert({each.series, curve.labels[i]}).second) continue;
        labels.push_back({at, qt(curve.labels[i]), theme().text});
      }
    }
  }
  labels_->setLabels(std::move(labels), std::move(markers), std::move(lines));
}

void FigurePlot::resizeEvent(QResizeEvent* event) {
  nameCategories();
  fillLegend();
  Plot::resizeEvent(event);
}

QSize FigurePlot::paperSize() const {
  const bool wide = chart_.bars && chart_.categories.size() * chart_.curves.size() > 14;
  return {wide ? pageWidth : columnWidth, 180};
}

const std::vector<QRectF>& FigurePlot::drawnLabels() const {
  return labels_->drawn();
}

QString FigurePlot::csv() const {
  CsvTable table({"curve", "published", chart_.bars ? "category" : "x", "y", "label"});
  for (const FigureChart::Curve& curve : chart_.curves) {
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
      const auto category = static_cast<std::size_t>(std::max(0.0, curve.x[i]));
      const bool named = chart_.bars && category < chart_.categories.size();
      table.row({curve.name, curve.published ? "1" : "0",
                 named ? chart_.categories[category] : csvNumber(curve.x[i]), csvNumber(curve.y[i]),
                 i < curve.labels.size() ? curve.labels[i] : ""});
    }
  }
  return QString::fromStdString(table.text());
}

}  // namespace sluice::ui

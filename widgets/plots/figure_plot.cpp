#include "widgets/plots/figure_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "engine/core/csv.h"
#include "widgets/common/qt_text.h"
#include "widgets/plots/figure_series.h"
#include "widgets/plots/point_labels.h"
#include "widgets/plots/spread_lines.h"

namespace sluice::ui {
namespace {

constexpr double group_width = 0.8;  // of a category's room
constexpr double hollow_size = 1.5;  // of a filled marker: it shows around one at the same place
constexpr int column_width = 240;    // points
constexpr int page_width = 504;
constexpr int ratio_height = 72;  // points
constexpr double ratio_stretch = 0.3;
constexpr double least_ratio_margin = 0.02;  // what is closer to 1 is as good as published
constexpr double widest_linear = 10;         // largest ratio over smallest

/// The lowest and the highest of what is added.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

QString ratioTitle() {
  return FigurePlot::tr("Ours / published");
}

QSharedPointer<QCPAxisTicker> numbersOf(bool logarithmic) {
  if (logarithmic) return QSharedPointer<QCPAxisTicker>(new LogQuantityTicker);
  return QSharedPointer<QCPAxisTicker>(new QuantityTicker);
}

}  // namespace

FigurePlot::FigurePlot(QWidget* parent)
    : Plot(parent),
      sides_(new QCPMarginGroup(this)),
      heading_(new QCPTextElement(this)),
      labels_(new PointLabels(this, xAxis, yAxis)) {
  setObjectName(QStringLiteral("figurePlot"));
  setAutoAddPlottableToLegend(false);
  heading_->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
  addAbove(heading_);
  addLegendAbove();
  setChart({});
}

FigurePlot::~FigurePlot() = default;

void FigurePlot::setChart(FigureChart chart) {
  chart_ = std::move(chart);
  setAccessibleName(tr("Chart: %1").arg(qt(chart_.title)));
  heading_->setText(qt(chart_.title));
  heading_->setVisible(!chart_.title.empty());
  yAxis->setLabel(qt(chart_.y_label));
  xAxis->setScaleType(chart_.log_x && !chart_.bars ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  yAxis->setScaleType(chart_.log_y ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  rescale();
  createPlottables();
  createSpreads();
  createRatios();
  setTickers();
  setTheme(theme());
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
  group_ = std::make_unique<QCPBarsGroup>(this);
  std::vector<std::string> series;
  for (const FigureChart::Curve& curve : chart_.curves) {
    const std::string name = seriesOf(curve);
    const auto known = std::find(series.begin(), series.end(), name);
    drawn_.push_back({&curve, static_cast<std::size_t>(known - series.begin())});
    if (known == series.end()) series.push_back(name);
  }
  // Ours and published of a series side by side.
  std::stable_sort(drawn_.begin(), drawn_.end(),
                   [](const Drawn& a, const Drawn& b) { return a.series < b.series; });
  for (Drawn& each : drawn_) {
    each.plottable =
        chart_.bars ? static_cast<QCPAbstractPlottable*>(barsOf(*each.curve)) : pointsOf(*each.curve);
    each.plottable->setName(qt(each.curve->name));
    if (auto* bars = qobject_cast<QCPBars*>(each.plottable)) bars->setBarsGroup(group_.get());
  }
  // What stands in the legend for every hollow curve.
  published_ = chart_.bars ? static_cast<QCPAbstractPlottable*>(barsOf({})) : pointsOf({});
  published_->setName(tr("published"));
  identity_ = new QCPCurve(xAxis, yAxis);
  identity_->setName(tr("equal"));
  const QCPRange range = xAxis->range();
  if (chart_.identity_line) identity_->setData({range.lower, range.upper}, {range.lower, range.upper});
}

void FigurePlot::createSpreads() {
  spreads_.reset();
  std::vector<Spread> spreads;
  for (const Drawn& each : drawn_) {
    const FigureChart::Curve& curve = *each.curve;
    for (std::size_t i = 0; i < std::min(curve.low.size(), curve.y.size()); ++i)
      if (usable(curve.x[i], curve.low[i]) && curve.low[i] < curve.high[i])
        spreads.push_back(
            {placeOf(each, curve.x[i]), curve.y[i], curve.x[i], curve.x[i], curve.low[i], curve.high[i]});
  }
  if (spreads.empty()) return;
  spreads_ = std::make_unique<SpreadLines>(this, tr("generated, 5 to 95 %"));
  spreads_->set(spreads);
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
  const double base = chart_.log_y ? yAxis->range().lower : 0;
  for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i)
    if (usable(curve.x[i], curve.y[i])) bars->addData(curve.x[i], curve.y[i] - base);
  bars->setBaseValue(base);
  bars->setWidth(group_width / static_cast<double>(chart_.curves.size()));
  return bars;
}

double FigurePlot::placeOf(const Drawn& drawn, double x) const {
  if (!chart_.bars) return x;
  double sum = 0;
  int bars = 0;  // of the series, beside each other
  for (std::size_t bar = 0; bar < drawn_.size(); ++bar) {
    if (drawn_[bar].series != drawn.series) continue;
    sum += (static_cast<double>(bar) + 0.5) / static_cast<double>(drawn_.size()) - 0.5;
    ++bars;
  }
  return x + group_width * sum / bars;
}

void FigurePlot::createRatios() {
  if (ratio_) plotLayout()->remove(ratio_);
  ratio_ = nullptr;
  plotLayout()->simplify();
  for (Drawn& each : drawn_) {
    const std::vector<double> ratios = ratiosOf(chart_, *each.curve);
    if (ratios.empty()) continue;
    if (!ratio_) {
      ratio_ = new QCPAxisRect(this);
      for (QCPAxis* axis : ratio_->axes()) {
        axis->setLayer(QStringLiteral("axes"));
        axis->grid()->setLayer(QStringLiteral("grid"));
      }
      plotLayout()->addElement(plotLayout()->rowCount(), 0, ratio_);
      plotLayout()->setRowStretchFactor(plotLayout()->rowCount() - 1, ratio_stretch);
      as_published_ = new QCPCurve(ratio_->axis(QCPAxis::atBottom), ratio_->axis(QCPAxis::atLeft));
    }
    each.ratio = new QCPCurve(ratio_->axis(QCPAxis::atBottom), ratio_->axis(QCPAxis::atLeft));
    each.ratio->setName(tr("%1, ours / published").arg(qt(each.curve->name)));
    each.ratio->setLineStyle(chart_.bars || chart_.identity_line ? QCPCurve::lsNone : QCPCurve::lsLine);
    for (std::size_t i = 0; i < std::min(each.curve->x.size(), ratios.size()); ++i)
      if (usable(each.curve->x[i], each.curve->y[i]) && std::isfinite(ratios[i]))
        each.ratio->addData(placeOf(each, each.curve->x[i]), ratios[i]);
  }
  axisRect()->setMarginGroup(QCP::msLeft | QCP::msRight, ratio_ ? sides_ : nullptr);
  xAxis->setTickLabels(!ratio_);
  xAxis->setLabel(QString());
  lowestAxis()->setLabel(qt(chart_.x_label));
  if (!ratio_) return;
  ratio_->setMarginGroup(QCP::msLeft | QCP::msRight, sides_);
  QCPAxis* x = ratio_->axis(QCPAxis::atBottom);
  x->setScaleType(xAxis->scaleType());
  x->setRange(xAxis->range());
  ratio_->axis(QCPAxis::atLeft)->setLabel(ratioTitle());
  as_published_->setName(tr("as published"));
  as_published_->setData({x->range().lower, x->range().upper}, {1, 1});
  rescaleRatios();
}

void FigurePlot::rescaleRatios() {
  Extent ratios;
  for (const Drawn& each : drawn_) {
    if (!each.ratio) continue;
    for (const QCPCurveData& at : *each.ratio->data()) ratios.add(at.value);
  }
  QCPAxis* y = ratio_->axis(QCPAxis::atLeft);
  const bool logarithmic = ratios.low > 0 && ratios.high / ratios.low > widest_linear;
  ratios.add(1 - least_ratio_margin);
  ratios.add(1 + least_ratio_margin);
  y->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  y->setTicker(numbersOf(logarithmic));
  y->ticker()->setTickOrigin(1);  // so that 1 is one of them
  y->setRange(padded(ratios.low, ratios.high, logarithmic));
}

void FigurePlot::rescale() {
  Extent x, y;
  for (const FigureChart::Curve& curve : chart_.curves) {
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
      if (!usable(curve.x[i], curve.y[i])) continue;
      x.add(curve.x[i]);
      y.add(curve.y[i]);
    }
    for (const std::vector<double>* ends : {&curve.low, &curve.high})
      for (const double end : *ends)
        if (usable(1, end)) y.add(end);
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
}

void FigurePlot::setTickers() {
  yAxis->setTicker(numbersOf(chart_.log_y));
  if (chart_.bars) {
    xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QCPAxisTickerText));
  } else {
    xAxis->setTicker(numbersOf(chart_.log_x));
  }
  for (QCPAxisRect* rect : axisRects()) {
    QCPAxis* x = rect->axis(QCPAxis::atBottom);
    x->setTicker(xAxis->ticker());
    x->grid()->setVisible(!chart_.bars);
    x->setSubTicks(!chart_.bars);
  }
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
  lowestAxis()->setTickLabelRotation(word > room ? 60 : 0);
}

void FigurePlot::restyle() {
  const PlotTheme& look = theme();
  QFont bold = look.font;
  bold.setBold(true);
  heading_->setFont(bold);
  heading_->setTextColor(look.text);
  heading_->setMargins(look.on_paper ? QMargins(4, 3, 4, 1) : QMargins(8, 8, 8, 2));
  for (const Drawn& each : drawn_)
    style(*each.plottable, look.series(static_cast<int>(each.series)).colour, each.series,
          each.curve->published);
  const bool one =
      std::all_of(drawn_.begin(), drawn_.end(), [](const Drawn& each) { return each.series == 0; });
  style(*published_, one ? look.series(0).colour : look.text, 0, true);
  if (spreads_) spreads_->setLook(QPen(look.text, look.line_width));
  identity_->setPen(QPen(look.muted, look.line_width, Qt::DotLine));
  if (ratio_) styleRatios();
  group_->setSpacing(look.on_paper ? 0.8 : 1);
  labels_->setLook(look.font, look.marker_size * 0.75);
  nameCategories();
  fillLegend();
  labelPoints();
}

void FigurePlot::styleRatios() {
  const PlotTheme& look = theme();
  for (const Drawn& each : drawn_)
    if (each.ratio) style(*each.ratio, look.series(static_cast<int>(each.series)).colour, each.series, false);
  as_published_->setPen(identity_->pen());
  const QFontMetrics metrics(look.font);
  // The lowest number of the upper axis and the highest of the lower one stand half outside of their axes.
  QMargins upper = axisRect()->minimumMargins(), lower = ratio_->minimumMargins();
  upper.setBottom(metrics.height() / 2);
  lower.setTop(metrics.height() / 2);
  axisRect()->setMinimumMargins(upper);
  ratio_->setMinimumMargins(lower);
  // The title of the axis has to fit; a small screen may leave it out.
  const int title = metrics.horizontalAdvance(ratioTitle());
  ratio_->setMinimumSize(0, look.on_paper ? title : std::min(title, height() / 3));
}

void FigurePlot::style(QCPAbstractPlottable& plottable, const QColor& colour, std::size_t series,
                       bool hollow) {
  static constexpr std::array shapes = {QCPScatterStyle::ssCircle, QCPScatterStyle::ssSquare,
                                        QCPScatterStyle::ssTriangle, QCPScatterStyle::ssDiamond,
                                        QCPScatterStyle::ssTriangleInverted};
  const PlotTheme& look = theme();
  const QPen outline(colour, look.line_width);
  auto* points = qobject_cast<QCPCurve*>(&plottable);
  if (!points) {
    plottable.setPen(outline);
    plottable.setBrush(hollow ? look.background : colour);
    return;
  }
  points->setPen(QPen(colour, look.line_width, hollow ? Qt::DashLine : Qt::SolidLine));
  points->setScatterStyle(QCPScatterStyle(shapes[series % shapes.size()], outline,
                                          hollow ? QBrush(Qt::NoBrush) : QBrush(colour),
                                          look.marker_size * (hollow ? hollow_size : 1)));
}

std::vector<QCPAbstractPlottable*> FigurePlot::legendEntries() const {
  std::vector<QCPAbstractPlottable*> entries;
  std::set<std::size_t> ours;
  bool twins = false;
  for (const Drawn& each : drawn_)
    if (!each.curve->published) ours.insert(each.series);
  for (const Drawn& each : drawn_) {
    const bool twin = each.curve->published && ours.contains(each.series);
    if (!twin) entries.push_back(each.plottable);
    twins = twins || (twin && !each.curve->y.empty());
  }
  if (twins) entries.push_back(published_);
  if ((chart_.identity_line || ratio_) && !entries.empty()) entries.push_back(identity_);
  return entries;
}

void FigurePlot::fillLegend() {
  const std::vector<QCPAbstractPlottable*> entries = legendEntries();
  const PlotTheme& look = theme();
  const QFontMetrics metrics(look.font);
  int widest = 0;
  for (const QCPAbstractPlottable* entry : entries)
    widest = std::max(widest, metrics.horizontalAdvance(entry->name()));
  if (spreads_) widest = std::max(widest, metrics.horizontalAdvance(spreads_->name()));
  const int ring = static_cast<int>(std::ceil(look.marker_size * hollow_size)) + 3;
  legend->setIconSize(static_cast<int>(look.marker_size * (chart_.bars ? 2 : 4)),
                      std::max(metrics.ascent(), ring));
  legend->setIconTextPadding(look.on_paper ? 3 : 6);
  legend->clearItems();
  legend->simplify();
  legend->setWrap(std::clamp(legendColumns(widest), 1, std::max(1, static_cast<int>(entries.size()))));
  for (QCPAbstractPlottable* each : entries) each->addToLegend();
  if (spreads_) spreads_->mention();
  for (int column = 0; column < legend->columnCount(); ++column)  // packed to the left
    legend->setColumnStretchFactor(column, column + 1 < legend->columnCount() ? 0.001 : 1);
  padLegend();
  QMargins around = legend->margins();
  around.setBottom(metrics.height() / 2);  // half of the uppermost tick's label stands above the axes
  legend->setMargins(around);
}

void FigurePlot::labelPoints() {
  std::vector<PointLabel> labels;
  std::vector<QPointF> markers;
  std::vector<QLineF> lines;
  std::set<std::pair<std::size_t, std::string>> named;
  for (const bool published : {false, true}) {  // ours choose their places first
    for (const Drawn& each : drawn_) {
      if (chart_.bars || each.curve->published != published) continue;
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
  const QCPRange range = xAxis->range();
  if (chart_.identity_line) lines.emplace_back(range.lower, range.lower, range.upper, range.upper);
  labels_->setLabels(std::move(labels), std::move(markers), std::move(lines));
}

void FigurePlot::resizeEvent(QResizeEvent* event) {
  nameCategories();
  if (ratio_) styleRatios();
  fillLegend();
  Plot::resizeEvent(event);
}

QSize FigurePlot::paperSize() {
  const std::size_t bars = chart_.categories.size() * chart_.curves.size();
  const bool wide = chart_.bars && (bars > 20 || chart_.categories.size() > 6);
  QSize size(wide ? page_width : column_width,
             (chart_.identity_line ? column_width : 180) + (ratio_ ? ratio_height : 0));
  for (int round = 0; round < 3; ++round) {  // what is added is shared out among the axes
    double missing = 0;
    asPrinted(size, PrintStyle{.width = size.width()}, [&] {
      for (QCPAxisRect* rect : axisRects()) {
        const QCPAxis* left = rect->axis(QCPAxis::atLeft);
        missing +=
            std::max(0.0, QFontMetricsF(left->labelFont()).horizontalAdvance(left->label()) - rect->height());
      }
    });
    if (missing <= 0) break;
    size.rheight() += static_cast<int>(std::ceil(missing));
  }
  return size;
}

const std::vector<QRectF>& FigurePlot::drawnLabels() const {
  return labels_->drawn();
}

QString FigurePlot::csv() const {
  std::vector<std::string> header{"curve", "published", chart_.bars ? "category" : "x",
                                  "y",     "label",     "ours_over_published"};
  if (spreads_) header.insert(header.end(), {"p5", "p95"});
  CsvTable table(header);
  for (const FigureChart::Curve& curve : chart_.curves) {
    const std::vector<double> ratios = ratiosOf(chart_, curve);
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
      if (curve.published && !std::isfinite(curve.y[i])) continue;
      const auto category = static_cast<std::size_t>(std::max(0.0, curve.x[i]));
      const bool named = chart_.bars && category < chart_.categories.size();
      std::vector<std::string> row{curve.name,
                                   curve.published ? "1" : "0",
                                   named ? chart_.categories[category] : csvNumber(curve.x[i]),
                                   csvNumber(curve.y[i]),
                                   i < curve.labels.size() ? curve.labels[i] : "",
                                   i < ratios.size() && std::isfinite(ratios[i]) ? csvNumber(ratios[i]) : ""};
      for (const std::vector<double>* ends : {&curve.low, &curve.high})
        if (spreads_) row.push_back(i < ends->size() ? csvNumber((*ends)[i]) : "");
      table.row(row);
    }
  }
  return QString::fromStdString(table.text());
}

}  // namespace sluice::ui

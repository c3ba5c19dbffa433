#include "widgets/plots/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "widgets/common/quantity.h"
#include "widgets/common/svg_groups.h"

namespace sluice::ui {
namespace {

constexpr double notice_margin = 16;  ///< pixels beside a message, both sides together

void styleAxis(QCPAxis& axis, const PlotTheme& theme) {
  const QPen pen(theme.axis, theme.axis_width);
  axis.setBasePen(pen);
  axis.setTickPen(pen);
  axis.setSubTickPen(pen);
  axis.setLabelColor(theme.text);
  axis.setTickLabelColor(theme.text);
  axis.setLabelFont(theme.font);
  axis.setTickLabelFont(theme.font);
  const QPen grid = theme.with_grid ? QPen(theme.grid, theme.axis_width) : QPen(Qt::NoPen);
  axis.grid()->setPen(grid);
  axis.grid()->setZeroLinePen(grid);
  axis.setTickLength(0, theme.on_paper ? 3 : 4);
  axis.setSubTickLength(0, theme.on_paper ? 1 : 2);
  axis.setLabelPadding(theme.on_paper ? 2 : 5);
  // The first labels of two axes meet in their corner: the larger they are, the farther they keep.
  axis.setTickLabelPadding(theme.on_paper ? std::max(2, theme.font.pixelSize() * 3 / 10) : 5);
}

/// The label of an axis that would run into what stands beside it gives way: first its unit, then, unless it
/// has to stay, all of it.
void fitLabel(QCPAxis& axis, double room, bool stays) {
  constexpr const char *shown = "shownLabel", *whole = "wholeLabel";
  if (axis.label() != axis.property(shown).toString()) axis.setProperty(whole, axis.label());
  QString text = axis.property(whole).toString();
  const QFontMetricsF metrics(axis.labelFont());
  if (metrics.horizontalAdvance(text) > room) text = text.section(QStringLiteral(" ("), 0, 0);
  // Half a name tells nothing; a blank keeps its place.
  if (!stays && metrics.horizontalAdvance(text) > room) text = QStringLiteral(" ");
  axis.setProperty(shown, text);
  if (text != axis.label()) axis.setLabel(text);
}

// Properties of an axis with a name.
constexpr const char *axis_title = "axisTitle", *axis_unit = "axisUnit", *unit_title = "unitTitle",
                     *unit_divisor = "unitDivisor", *asked_unit = "askedUnit";
constexpr double widest_unit = 1000;  // largest over smallest value of a logarithmic axis with one prefix

/// Labels are in the unit of the title while it shows. True if they change.
bool followTitle(QCPAxis& axis) {
  auto* ticker = dynamic_cast<ScaledTicker*>(axis.ticker().data());
  if (!ticker || !axis.property(axis_title).isValid()) return false;
  const bool whole = axis.label() == axis.property(unit_title).toString();
  const double divisor = whole ? axis.property(unit_divisor).toDouble() : 0;
  if (divisor == ticker->divisor()) return false;
  ticker->setDivisor(divisor);
  return true;
}

/// The unit that fits what the axis shows now. True if its label or its ticks change.
bool fitUnit(QCPAxis& axis) {
  if (!axis.property(axis_title).isValid()) return false;
  const QCPRange range = axis.range();
  const QString title = axis.property(axis_title).toString(), unit = axis.property(axis_unit).toString();
  const double asked = axis.property(asked_unit).toDouble();
  const bool wide =
      asked == 0 && axis.scaleType() == QCPAxis::stLogarithmic && !(range.upper / range.lower <= widest_unit);
  const double most = asked > 0 ? asked : wide ? 1 : std::max(std::abs(range.lower), std::abs(range.upper));
  const QString whole = axisTitle(title, unit, most);
  axis.setProperty(unit_divisor, wide ? 0 : axisUnit(most, unit).divisor);
  const bool renamed = axis.property(unit_title).toString() != whole;
  if (renamed) {
    axis.setProperty(unit_title, whole);
    axis.setLabel(whole);
  }
  return followTitle(axis) || renamed;
}

/// As many decimals as numbers in such steps need.
QString inSteps(double value, double step) {
  constexpr int most_decimals = 6;
  int decimals = 0;
  for (double scaled = std::abs(step); decimals < most_decimals; scaled *= 10, ++decimals)
    if (std::round(scaled) != 0 && std::abs(scaled - std::round(scaled)) < 1e-6 * scaled) break;
  return QString::number(value, 'f', decimals);
}

/// Whether the labels that the ticker would make now keep their distance.
bool labelsKeepApart(const QCPAxis& axis) {
  QVector<double> ticks;
  QVector<QString> labels;
  axis.ticker()->generate(axis.range(), axis.parentPlot()->locale(), QLatin1Char('g'), axis.numberPrecision(),
                          ticks, nullptr, &labels);
  const QFontMetricsF metrics(axis.tickLabelFont());
  for (qsizetype i = 1; i < ticks.size(); ++i) {
    const double beside =
        (metrics.horizontalAdvance(labels[i - 1]) + metrics.horizontalAdvance(labels[i])) / 2;
    const double needed = axis.orientation() == Qt::Horizontal ? beside + metrics.averageCharWidth() * 1.5
                                                               : metrics.height() * 1.2;
    if (std::abs(axis.coordToPixel(ticks[i]) - axis.coordToPixel(ticks[i - 1])) < needed) return false;
  }
  return true;
}

/// Fewer ticks where their labels would lie on each other. True if that changes how many there are.
bool fitTicks(QCPAxis& axis) {
  constexpr int usual = 5, fewest = 2;
  if (axis.tickLabelRotation() != 0) return false;  // names, which have been turned to fit
  QCPAxisTicker& ticker = *axis.ticker();
  const int before = ticker.tickCount();
  int count = usual;
  ticker.setTickCount(count);
  while (count > fewest && !labelsKeepApart(axis)) ticker.setTickCount(--count);
  return count != before;
}

/// What an entry of the legend takes besides its name.
int legendEntryFrame(const QCPLegend& legend, int side) {
  constexpr int slack = 5;
  return legend.iconSize().width() + legend.iconTextPadding() + 2 * side + slack;
}

/// Stands before or behind a series in its layer, and begins or ends its group.
class GroupMark : public QCPLayerable {
 public:
  GroupMark(QCPLayer* layer, const QString& name)
      : QCPLayerable(layer->parentPlot(), layer->name()), name_(name) {}

 protected:
  void applyDefaultAntialiasingHint(QCPPainter*) const override {}
  void draw(QCPPainter* painter) override {
    if (name_.isEmpty()) {
      endGroup(*painter);
    } else {
      startGroup(*painter, name_);
    }
  }

 private:
  const QString name_;
};

/// One pair of marks for each series; all else keeps its place in its layer.
std::vector<std::unique_ptr<GroupMark>> markSeries(QCustomPlot& plot) {
  std::vector<std::unique_ptr<GroupMark>> marks;
  for (int number = 0; number < plot.layerCount(); ++number) {
    QCPLayer* layer = plot.layer(number);
    const QList<QCPLayerable*> children = layer->children();
    for (QCPLayerable* child : children) {
      const auto* series = qobject_cast<QCPAbstractPlottable*>(child);
      const bool named = series && series->visible() && !series->name().isEmpty();
      if (named) marks.push_back(std::make_unique<GroupMark>(layer, series->name()));
      child->setLayer(layer);
      if (named) marks.push_back(std::make_unique<GroupMark>(layer, QString()));
    }
  }
  return marks;
}

}  // namespace

Plot::Plot(QWidget* parent) : QCustomPlot(parent), theme_(PlotTheme::screen(palette(), font())) {
  // Cursors, rings and other things that follow the mouse live on a layer with a buffer of its own.
  layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmBuffered);
  setPlottingHint(QCP::phImmediateRefresh, false);  // the window paints what has changed once a frame
  notice_ = new QCPItemText(this);
  notice_->position->setType(QCPItemPosition::ptAxisRectRatio);
  notice_->position->setCoords(0.5, 0.5);
  notice_->setTextAlignment(Qt::AlignCenter);
  notice_->setVisible(false);
  connect(this, &QCustomPlot::afterLayout, this, &Plot::fitAxes);
  applyTheme();
}

void Plot::fitAxes() {
  fitNotice();
  bool refit = false;
  for (QCPAxisRect* rect : axisRects())
    for (const QCPAxis::AxisType side : {QCPAxis::atLeft, QCPAxis::atBottom})
      if (QCPAxis* axis = rect->axis(side)) {
        refit = fitUnit(*axis) || refit;
        refit = fitTicks(*axis) || refit;
      }
  if (refit && !refitting_) {  // the ticks of this layout were chosen before
    refitting_ = true;
    updateLayout();
    refitting_ = false;
    return;
  }
  fitLabels();
  bool relabelled = false;
  for (QCPAxisRect* rect : axisRects())
    for (const QCPAxis::AxisType side : {QCPAxis::atLeft, QCPAxis::atBottom})
      if (QCPAxis* axis = rect->axis(side)) relabelled = followTitle(*axis) || relabelled;
  if (!relabelled || relabelling_) return;
  relabelling_ = true;
  updateLayout();
  relabelling_ = false;
}

void Plot::fitLabels() {
  for (QCPAxisRect* rect : axisRects()) {
    // A label stands in the middle of its axis.
    const QRectF cell = rect->outerRect();
    const QPointF middle = QRectF(rect->rect()).center();
    const double high = 2 * std::min(middle.y() - cell.top(), cell.bottom() - middle.y());
    const double wide = 2 * std::min(middle.x() - cell.left(), cell.right() - middle.x());
    if (QCPAxis* left = rect->axis(QCPAxis::atLeft))
      fitLabel(*left, theme_.on_paper ? std::numeric_limits<double>::max() : high, false);
    if (QCPAxis* bottom = rect->axis(QCPAxis::atBottom)) fitLabel(*bottom, wide, true);
  }
}

void Plot::nameAxis(QCPAxis* axis, const QString& title, const QString& unit) {
  if (unit.isNull()) {
    axis->setProperty(axis_title, QVariant());
    return axis->setLabel(title);
  }
  axis->setProperty(axis_title, title);
  axis->setProperty(axis_unit, unit);
  axis->setProperty(unit_title, QString());
  fitUnit(*axis);
}

void Plot::setTheme(const PlotTheme& theme) {
  theme_ = theme;
  applyTheme();
  restyle();
}

void Plot::applyTheme() {
  setBackground(theme_.background);
  plotLayout()->setRowSpacing(theme_.on_paper ? 1 : 3);
  for (QCPAxisRect* rect : axisRects()) {
    rect->setMinimumMargins(theme_.on_paper ? QMargins(2, 3, 6, 2) : QMargins(8, 8, 12, 6));
    for (QCPAxis* axis : rect->axes()) styleAxis(*axis, theme_);
  }
  if (legend) {
    legend->setFont(theme_.font);
    legend->setTextColor(theme_.text);
    legend->setBorderPen(Qt::NoPen);
    legend->setBrush(Qt::NoBrush);
    // An empty legend would otherwise make its column, and with it the plot, as narrow as itself.
    legend->setMaximumSize(100000, 100000);
  }
  notice_->setColor(theme_.muted);
  notice_->setFont(theme_.font);
}

void Plot::setNotice(const QString& notice) {
  notice_text_ = notice;
  notice_->setVisible(!notice.isEmpty());
  fitNotice();
}

/// Its lines are broken between words where the plot is narrower than they are.
void Plot::fitNotice() {
  const double middle = axisRect() ? axisRect()->rect().center().x() : viewport().center().x();
  const double room = 2 * std::min(middle, viewport().width() - middle) - notice_margin;
  const QFontMetricsF metrics(notice_->font());
  QStringList lines;
  for (const QString& line : notice_text_.split(QLatin1Char('\n'))) {
    lines << QString();
    for (const QString& word : line.split(QLatin1Char(' '))) {
      const QString longer = lines.back().isEmpty() ? word : lines.back() + QLatin1Char(' ') + word;
      if (lines.back().isEmpty() || metrics.horizontalAdvance(longer) <= room) {
        lines.back() = longer;
      } else {
        lines << word;
      }
    }
  }
  notice_->setText(lines.join(QLatin1Char('\n')));
}

void Plot::setLegendColumns(int columns) {
  if (legend->wrap() == columns) return;
  legend->setWrap(columns);
  legend->setFillOrder(legend->fillOrder(), true);
}

double Plot::printHeight(const PrintStyle& style, double aspect) {
  constexpr double least = 0.3;  // of the width, for the axes
  const double width = style.width;
  double height = std::round(width * aspect);
  // More than once: an axis that has next to no room claims some, and what is missing seems less.
  for (int turn = 0; turn < 3; ++turn) {
    double missing = 0;
    asPrinted(QSizeF(width, height).toSize(), style, [&] {
      for (QCPAxisRect* rect : axisRects()) {
        const QCPAxis* left = rect->axis(QCPAxis::atLeft);
        const double label = left ? QFontMetricsF(left->labelFont()).horizontalAdvance(left->label()) : 0;
        missing += std::max(0.0, std::max(least * width, label) - rect->height());
      }
    });
    if (missing <= 0) break;
    height += std::ceil(missing);
  }
  return height;
}

void Plot::addAbove(QCPLayoutElement* element) {
  int row = 0;
  while (plotLayout()->element(row, 0) != axisRect()) ++row;
  plotLayout()->insertRow(row);
  plotLayout()->addElement(row, 0, element);
  plotLayout()->setRowStretchFactor(row, 0.001);
}

void Plot::addLegendAbove(const QMargins& margins) {
  legend->setVisible(true);
  legend->setFillOrder(QCPLegend::foColumnsFirst);
  legend->setMargins(margins);
  addAbove(legend);
  legend_above_ = true;
}

int Plot::legendColumns(int widest_name) const {
  return std::max(1, drawingWidth() / (legendEntryFrame(*legend, legendSide()) + widest_name));
}

void Plot::fitLegend(int most) {
  most_columns_ = most;
  const QFontMetrics metrics(theme_.font);
  int widest = 0, together = 0;
  for (const QString& name : seriesNames()) {
    widest = std::max(widest, metrics.horizontalAdvance(name));
    together += legendEntryFrame(*legend, legendSide()) + metrics.horizontalAdvance(name);
  }
  const int names = std::max(1, static_cast<int>(seriesNames().size()));
  // One row has room for shorter names than its widest.
  setLegendColumns(std::min(most, together <= drawingWidth() ? names : legendColumns(widest)));
  padLegend();
}

void Plot::padLegend() {
  const int side = legendSide();
  for (int item = 0; item < legend->itemCount(); ++item) {
    QCPAbstractLegendItem* entry = legend->item(item);
    if (!entry) continue;  // a cell of the last row with nothing in it
    entry->setMargins(QMargins(side, 1, side, 2));
    entry->setTextColor(legend->textColor());
  }
  legend->setRowSpacing(0);
  legend->setColumnSpacing(0);
  makeWay();
}

/// In a low plot the axes need the height more than the legend, which would lie on itself and on them.
void Plot::makeWay() {
  constexpr int least_axes = 100;  // px, with ticks and label
  if (!legend_above_) return;
  const int line = QFontMetrics(theme_.font).height() + 3;
  const bool sized = testAttribute(Qt::WA_Resized);  // else its height means nothing
  const bool fits = theme_.on_paper || !sized || height() - legend->rowCount() * line >= least_axes;
  const bool stands = legend->layout() == plotLayout();
  if (fits == stands || (!stands && legend->layout())) return;
  legend->setVisible(fits);
  if (fits) return addAbove(legend);
  plotLayout()->take(legend);
  plotLayout()->simplify();
}

void Plot::resizeEvent(QResizeEvent* event) {
  if (most_columns_ > 0) fitLegend(most_columns_);
  makeWay();
  QCustomPlot::resizeEvent(event);
}

QStringList Plot::seriesNames() const {
  QStringList names;
  for (int item = 0; legend && item < legend->itemCount(); ++item)
    if (auto* entry = qobject_cast<QCPPlottableLegendItem*>(legend->item(item)))
      names << entry->plottable()->name();
  return names;
}

void Plot::setPaperFrame(const PaperFrame& frame) {
  frame_ = frame;
  if (frame.legend == PaperFrame::Legend::Above || legend->layout() != plotLayout()) return;
  plotLayout()->take(legend);
  plotLayout()->simplify();
  axisRect()->insetLayout()->addElement(legend, Qt::AlignTop | Qt::AlignRight);
}

/// After the plot has styled itself, which may bring series back into the legend.
void Plot::applyFrame() {
  if (frame_->x) xAxis->setRange(*frame_->x);
  if (frame_->y) yAxis->setRange(*frame_->y);
  for (const auto& [axis, unit] : {std::pair(xAxis, frame_->x_unit), {yAxis, frame_->y_unit}}) {
    axis->setProperty(asked_unit, unit);
    fitUnit(*axis);
  }
  if (!frame_->x_label.isEmpty()) xAxis->setLabel(frame_->x_label);
  if (!frame_->y_label.isEmpty()) yAxis->setLabel(frame_->y_label);
  for (int index = 0; index < plottableCount(); ++index) {
    QCPAbstractPlottable* series = plottable(index);
    if (!frame_->hidden.contains(series->name())) continue;
    series->setVisible(false);
    series->removeFromLegend();
  }
  legend->setVisible(frame_->legend != PaperFrame::Legend::None);
  if (frame_->legend != PaperFrame::Legend::Inside) return;
  setLegendColumns(1);  // over the grid, not under it
  legend->setBrush(theme_.background);
}

/// How much of the series lies in an area of the plot: points, and places on the lines between them.
int Plot::coveredBy(const QRectF& area) const {
  constexpr int steps = 8, most = 20000;
  int covered = 0;
  for (int index = 0; index < graphCount(); ++index) {
    const QCPGraph* series = graph(index);
    if (!series->visible()) continue;
    const bool line = series->lineStyle() != QCPGraph::lsNone;
    QPointF before;
    for (int at = 0; at < std::min(series->dataCount(), most); ++at) {
      const QPointF point = series->dataPixelPosition(at);
      covered += area.contains(point);
      for (int step = 1; line && at > 0 && step < steps; ++step)
        covered += area.contains(before + (point - before) * step / steps);
      before = point;
    }
  }
  return covered;
}

/// In the corner where it covers least.
void Plot::placeLegendInside() {
  QCPLayoutInset* inset = axisRect()->insetLayout();
  const QRectF axes(axisRect()->rect());
  const QSizeF size = legend->outerRect().size();
  std::optional<int> least;
  for (const Qt::Alignment corner : {Qt::AlignTop | Qt::AlignRight, Qt::AlignTop | Qt::AlignLeft,
                                     Qt::AlignBottom | Qt::AlignRight, Qt::AlignBottom | Qt::AlignLeft}) {
    QRectF area(axes.topLeft(), size);
    if (corner & Qt::AlignRight) area.moveRight(axes.right());
    if (corner & Qt::AlignBottom) area.moveBottom(axes.bottom());
    const int covered = coveredBy(area);
    if (least && covered >= *least) continue;
    least = covered;
    for (int element = 0; element < inset->elementCount(); ++element)
      if (inset->elementAt(element) == legend) inset->setInsetAlignment(element, corner);
  }
}

void Plot::paintForPrint(QCPPainter& painter, QSize size, const PrintStyle& style) {
  asPrinted(size, style, [&] {
    std::vector<std::unique_ptr<GroupMark>> marks;
    if (paintsSvg(painter)) marks = markSeries(*this);
    toPainter(&painter, size.width(), size.height());
  });
}

void Plot::asPrinted(QSize size, const PrintStyle& style, const std::function<void()>& look) {
  const PlotTheme before = theme_;
  const QRect screen = viewport();
  const bool notice_visible = notice_->visible();
  paper_width_ = size.width();
  setTheme(PlotTheme::print(style));
  setViewport(QRect(QPoint(), size));
  if (frame_) applyFrame();
  updateLayout();
  if (frame_ && frame_->legend == PaperFrame::Legend::Inside) {
    placeLegendInside();
    updateLayout();
  }
  look();
  paper_width_ = 0;
  setViewport(screen);
  setTheme(before);
  notice_->setVisible(notice_visible);
  replotLater();
}

void Plot::changeEvent(QEvent* event) {
  QCustomPlot::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
    setTheme(PlotTheme::screen(palette(), font()));
    replotLater();
  }
}

QCPRange padded(double low, double high, bool logarithmic) {
  if (!(low <= high) || (low == 0 && high == 0)) return logarithmic ? QCPRange(1, 10) : QCPRange(0, 1);
  if (logarithmic) {
    const double factor = std::max(1.05, std::pow(high / low, 0.08));
    return {low / factor, high * factor};
  }
  const double margin = high > low ? (high - low) * 0.08 : std::max(std::abs(high) * 0.1, 0.5);
  return {low - margin, high + margin};
}

QString plainAxisLabel(const QCPAxis& axis) {
  if (!axis.property(axis_title).isValid()) return axis.label();
  return axisTitle(axis.property(axis_title).toString(), axis.property(axis_unit).toString(), 1);
}

double QuantityTicker::getTickStep(const QCPRange& range) {
  step_ = QCPAxisTicker::getTickStep(range);
  return step_;
}

QString QuantityTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  // Steps such as 0.1 leave dust like 5.6e-17 where zero is meant.
  if (std::abs(tick) < 1e-12) tick = 0;
  if (divisor() != 0) return inSteps(tick / divisor(), step_ / divisor());
  return percent_ ? tickLabel(tick * 100) + QLatin1Char('%') : tickLabel(tick);
}

QVector<double> LogQuantityTicker::createTickVector(double step, const QCPRange& range) {
  if (!(range.lower > 0) || range.upper / range.lower < 1.5) {  // as good as linear
    // Past the logarithmic parent on purpose. NOLINTNEXTLINE(bugprone-parent-virtual-call)
    return QCPAxisTicker::createTickVector(QCPAxisTicker::getTickStep(range), range);
  }
  // The densest of these whose labels keep their distance.
  static const std::array<std::vector<double>, 4> steps = {
      {{1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9}, {1, 1.5, 2, 3, 4, 5, 7}, {1, 2, 3, 5}, {1, 3}}};
  const double nearest = 0.75 / tickCount() * std::log10(range.upper / range.lower);
  for (const std::vector<double>& mantissas : steps) {
    double least = std::log10(10 / mantissas.back());
    for (std::size_t i = 1; i < mantissas.size(); ++i)
      least = std::min(least, std::log10(mantissas[i] / mantissas[i - 1]));
    if (least < nearest) continue;
    QVector<double> ticks;
    for (double decade = std::pow(10, std::floor(std::log10(range.lower))); decade <= range.upper;
         decade *= 10)
      for (const double mantissa : mantissas)
        if (range.contains(decade * mantissa)) ticks.append(decade * mantissa);
    return ticks;
  }
  return QCPAxisTickerLog::createTickVector(step, range);
}

QVector<double> LogQuantityTicker::createSubTickVector(int count, const QVector<double>& ticks) {
  Q_UNUSED(count);
  QVector<double> marks;
  if (ticks.isEmpty() || !(ticks.first() > 0)) return marks;
  for (double decade = std::pow(10, std::floor(std::log10(ticks.first())) - 1); decade <= ticks.last() * 10;
       decade *= 10)
    for (int mantissa = 1; mantissa < 10; ++mantissa) marks.append(decade * mantissa);
  return marks;
}

QString LogQuantityTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  if (divisor() != 0) return QString::number(tick / divisor(), 'g', 4);
  return tickLabel(tick);
}

double IntegerTicker::getTickStep(const QCPRange& range) {
  return std::max(1.0, std::ceil(QuantityTicker::getTickStep(range)));
}

}  // namespace sluice::ui

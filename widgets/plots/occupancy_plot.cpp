#include "widgets/plots/occupancy_plot.h"

#include <algorithm>

#include "engine/core/csv.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

QVector<QCPGraphData> steps(const OccupancyTrace& trace, Cycles end,
                            std::uint32_t OccupancySeries::Sample::*value) {
  QVector<QCPGraphData> data;
  data.reserve(static_cast<int>(trace.series.samples.size()) + 2);
  if (trace.series.samples.empty() || trace.series.samples.front().time > 0) data.append(QCPGraphData(0, 0));
  for (const OccupancySeries::Sample& sample : trace.series.samples) {
    data.append(QCPGraphData(static_cast<double>(sample.time), sample.*value));
  }
  const auto last = static_cast<double>(end);
  if (data.last().key < last) data.append(QCPGraphData(last, data.last().value));
  return data;
}

constexpr int least_height = 230;   // pixels; below it the legend gives way
constexpr std::size_t dense = 500;  // samples; dashes between more are noise
constexpr int patience = 150;       // ms

/// Their lines would lie on each other.
bool coincide(const OccupancyTrace& a, const OccupancyTrace& b) {
  const auto same = [](const OccupancySeries::Sample& x, const OccupancySeries::Sample& y) {
    return x.time == y.time && x.low == y.low && x.high == y.high && x.last == y.last;
  };
  return a.depth == b.depth && a.series.interval == b.series.interval &&
         std::equal(a.series.samples.begin(), a.series.samples.end(), b.series.samples.begin(),
                    b.series.samples.end(), same);
}

/// Samples come in the order of time.
void plotSteps(QCPGraph& graph, const QVector<QCPGraphData>& data) {
  graph.data()->set(data, true);
}

}  // namespace

std::uint32_t occupancyAt(const OccupancySeries& series, Cycles cycle) {
  const auto after =
      std::upper_bound(series.samples.begin(), series.samples.end(), cycle,
                       [](Cycles time, const OccupancySeries::Sample& sample) { return time < sample.time; });
  return after == series.samples.begin() ? 0 : std::prev(after)->last;
}

OccupancyPlot::OccupancyPlot(QWidget* parent) : Plot(parent) {
  setObjectName(QStringLiteral("occupancyPlot"));
  setAccessibleName(tr("FIFO occupancy over time"));
  setMouseTracking(true);
  setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  axisRect()->setRangeDrag(Qt::Horizontal);
  axisRect()->setRangeZoom(Qt::Horizontal);
  yAxis->setLabel(tr("Tokens in FIFO"));
  xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QuantityTicker));
  nameAxis(xAxis, tr("Time"), QStringLiteral("cycles"));
  yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new IntegerTicker));
  heading_ = new QCPTextElement(this);
  heading_->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
  addAbove(heading_);
  addLegendAbove();
  cursor_ = new QCPItemStraightLine(this);
  cursor_label_ = new QCPItemText(this);
  cursor_label_->position->setTypeX(QCPItemPosition::ptPlotCoords);
  cursor_label_->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
  for (QCPAbstractItem* item :
       {static_cast<QCPAbstractItem*>(cursor_), static_cast<QCPAbstractItem*>(cursor_label_)}) {
    item->setLayer(QStringLiteral("overlay"));
    item->setVisible(false);
  }
  patience_.setSingleShot(true);
  patience_.setInterval(patience);
  connect(&patience_, &QTimer::timeout, this, [this] { fade(true); });
  setTheme(theme());
  clear(tr("No simulation yet."));
}

void OccupancyPlot::clear(const QString& notice) {
  setTraces({}, 0, {});
  setNotice(notice);
}

OccupancyPlot::Lines OccupancyPlot::linesOf(const OccupancyTrace& trace) {
  const auto line = [this](QCPGraph::LineStyle style) {
    QCPGraph* graph = addGraph();
    graph->setLineStyle(style);
    graph->removeFromLegend();
    return graph;
  };
  Lines lines{nullptr, nullptr, nullptr, nullptr, 0, 0};
  if (trace.series.interval > 1) {
    lines.high = line(QCPGraph::lsStepLeft);
    lines.low = line(QCPGraph::lsStepLeft);
    plotSteps(*lines.high, steps(trace, end_, &OccupancySeries::Sample::high));
    plotSteps(*lines.low, steps(trace, end_, &OccupancySeries::Sample::low));
    lines.high->setChannelFillGraph(lines.low);
  }
  lines.depth = line(QCPGraph::lsLine);
  const auto depth = static_cast<double>(trace.depth);
  plotSteps(*lines.depth, {QCPGraphData(0, depth), QCPGraphData(static_cast<double>(end_), depth)});
  lines.last = line(QCPGraph::lsStepLeft);
  lines.last->addToLegend();
  plotSteps(*lines.last, steps(trace, end_, &OccupancySeries::Sample::last));
  return lines;
}

void OccupancyPlot::setTraces(std::vector<OccupancyTrace> traces, Cycles end, const QString& title) {
  const auto name = [](const OccupancyTrace& trace) { return trace.name; };
  if (!std::ranges::equal(traces, traces_, {}, name, name)) zoomed_ = false;
  traces_ = std::move(traces);
  bands_.clear();
  end_ = end;
  title_ = title;
  createLines();
  setNotice({});
  putCursorBack();
  if (!zoomed_) rescale();
  replotLater();
}

void OccupancyPlot::setBands(std::vector<OccupancyBand> bands) {
  bands_ = std::move(bands);
  createLines();
  if (!zoomed_) rescale();
  replotLater();
}

/// Low, high and middle of each: the first two bound the area between them.
void OccupancyPlot::createBands() {
  band_graphs_.clear();
  for (const OccupancyBand& band : bands_) {
    for (const std::vector<double>* values : {&band.low, &band.high, &band.middle}) {
      QCPGraph* graph = addGraph();
      graph->setLineStyle(QCPGraph::lsStepLeft);
      graph->setData(QVector<double>(band.cycles.begin(), band.cycles.end()),
                     QVector<double>(values->begin(), values->end()), true);
      graph->removeFromLegend();
      band_graphs_.push_back(graph);
    }
    QCPGraph* high = band_graphs_[band_graphs_.size() - 2];
    high->setChannelFillGraph(band_graphs_[band_graphs_.size() - 3]);
    high->setName(tr("5 to 95 % of the traces, median dotted"));
  }
  if (!bands_.empty()) band_graphs_[1]->addToLegend();
}

void OccupancyPlot::styleBands() {
  const PlotTheme& look = theme();
  for (std::size_t i = 0; i + 2 < band_graphs_.size(); i += 3) {
    const auto trace = std::ranges::find(traces_, qt(bands_[i / 3].stream), &OccupancyTrace::name);
    const auto number = static_cast<int>(trace - traces_.begin());
    const QColor colour = look.series(trace == traces_.end() ? number : trace->style.value_or(number)).colour;
    band_graphs_[i]->setPen(Qt::NoPen);
    band_graphs_[i + 1]->setPen(Qt::NoPen);
    band_graphs_[i + 1]->setBrush(look.tinted(colour, 0.18));
    band_graphs_[i + 2]->setPen(QPen(look.tinted(colour, 0.7), look.line_width, Qt::DotLine));
  }
}

void OccupancyPlot::createLines() {
  clearGraphs();
  lines_.clear();
  createBands();
  for (std::size_t index = 0; index < traces_.size(); ++index) {
    const auto twin = std::find_if(lines_.begin(), lines_.end(), [&](const Lines& lines) {
      return coincide(traces_[lines.trace], traces_[index]);
    });
    if (twin != lines_.end()) {
      ++twin->alike;
      continue;
    }
    lines_.push_back(linesOf(traces_[index]));
    lines_.back().trace = index;
  }
  heading_->setMargins(title_.isEmpty() ? QMargins() : QMargins(8, 6, 8, 0));
  heading_->setMaximumSize(QWIDGETSIZE_MAX, title_.isEmpty() ? 0 : QWIDGETSIZE_MAX);
  restyle();
}

void OccupancyPlot::rescale() {
  std::uint64_t top = 1;
  for (const OccupancyTrace& trace : traces_) {
    top = std::max(top, trace.depth);
    for (const OccupancySeries::Sample& sample : trace.series.samples)
      top = std::max<std::uint64_t>(top, sample.high);
  }
  double end = std::max(1.0, static_cast<double>(end_)), high = static_cast<double>(top);
  for (const OccupancyBand& band : bands_) {
    if (!band.cycles.empty()) end = std::max(end, band.cycles.back());
    for (const double value : band.high) high = std::max(high, value);
  }
  xAxis->setRange(0, end);
  yAxis->setRange(0, high * 1.08 + 0.1);
}

/// Nothing fades for the moment until the next run, which is short: that would be a flicker.
void OccupancyPlot::setStale(bool stale) {
  if (!stale) patience_.stop();
  if (stale && !stale_ && !patience_.isActive()) patience_.start();
  if (!stale && stale_) fade(false);
}

void OccupancyPlot::fade(bool stale) {
  stale_ = stale;
  restyle();
  replotLater();
}

void OccupancyPlot::restyle() {
  const PlotTheme& look = theme();
  const bool faint = stale_ && !look.on_paper;
  for (std::size_t index = 0; index < lines_.size(); ++index) {
    const SeriesStyle style = look.series(traces_[index].style.value_or(static_cast<int>(index)));
    const QColor colour = faint ? look.tinted(style.colour, 0.45) : style.colour;
    const Lines& lines = lines_[index];
    const bool dashed = traces_[lines.trace].series.samples.size() < dense;
    lines.last->setPen(QPen(colour, look.line_width, dashed ? style.dash : Qt::SolidLine));
    lines.depth->setPen(QPen(look.tinted(colour, 0.6), look.line_width, Qt::DotLine));
    if (!lines.high) continue;
    // An opaque tint: a translucent fill under a dense line costs a hundred times as much.
    lines.high->setPen(Qt::NoPen);
    lines.low->setPen(Qt::NoPen);
    lines.high->setBrush(look.tinted(colour, 0.25));
  }
  styleBands();
  heading_->setTextColor(faint ? look.muted : look.text);
  QFont bold = look.font;
  bold.setBold(true);
  heading_->setFont(bold);
  legend->setIconSize(static_cast<int>(look.marker_size * 3), static_cast<int>(look.marker_size * 1.5));
  legend->setTextColor(faint ? look.muted : look.text);
  nameLines();
  cursor_->setPen(QPen(look.muted, look.line_width));
  cursor_label_->setColor(look.text);
  cursor_label_->setFont(look.font);
  cursor_label_->setBrush(look.background);
  cursor_label_->setPadding(QMargins(4, 2, 4, 2));
  if (look.on_paper) hideCursor();
}

void OccupancyPlot::nameLines() {
  const QFontMetrics metrics(theme().font);
  // In a low plot shorter names are better than no room for the lines.
  const bool low = !theme().on_paper && height() < least_height && drawingWidth() >= 400 && lines_.size() > 2;
  const int columns = drawingWidth() < 560 && !low ? 1 : 2;
  const int room = drawingWidth() / columns - 3 * legend->iconSize().width();
  setLegendColumns(columns);
  const QMargins around = heading_->margins();
  heading_->setText(
      QFontMetrics(heading_->font())
          .elidedText(title_, Qt::ElideMiddle, drawingWidth() - around.left() - around.right()));
  for (const Lines& lines : lines_) {
    const OccupancyTrace& trace = traces_[lines.trace];
    const QString name = QString::fromStdString(shortStreamName(trace.name.toStdString()));
    const QString depth = lines.alike == 0 ? tr(" (depth %1)").arg(trace.depth)
                          : low            ? tr(" \u00D7%1 (depth %2)").arg(lines.alike + 1).arg(trace.depth)
                                : tr(" (depth %1; %2 more alike)").arg(trace.depth).arg(lines.alike);
    const int left = std::max(40, room - metrics.horizontalAdvance(depth));
    lines.last->setName(metrics.elidedText(name, Qt::ElideMiddle, left) + depth);
  }
  padLegend();
}

void OccupancyPlot::resizeEvent(QResizeEvent* event) {
  nameLines();
  Plot::resizeEvent(event);
}

void OccupancyPlot::placeCursor(double x) {
  cursor_->point1->setCoords(x, 0);
  cursor_->point2->setCoords(x, 1);
  const auto cycle = static_cast<Cycles>(std::max(0.0, x));
  const QStringList lines = levelsAt(cycle);
  const bool left_half = x < xAxis->range().center();
  cursor_label_->setText(lines.join(QLatin1Char('\n')));
  cursor_label_->setPositionAlignment(Qt::AlignTop | (left_half ? Qt::AlignLeft : Qt::AlignRight));
  cursor_label_->setTextAlignment(left_half ? Qt::AlignLeft : Qt::AlignRight);
  cursor_label_->position->setCoords(x, 0.02);
  cursor_->setVisible(true);
  cursor_label_->setVisible(true);
  emit cursorMoved(cycle);
}

void OccupancyPlot::showCursor(double x) {
  placeCursor(x);
  drawCursor();
}

void OccupancyPlot::drawCursor() {
  if (isVisible()) layer(QStringLiteral("overlay"))->replot();
}

QStringList OccupancyPlot::levelsAt(Cycles cycle) const {
  QStringList lines{tr("cycle %1").arg(exactNumber(cycle))};
  for (const OccupancyTrace& trace : traces_) {
    const std::uint32_t level = trace.level ? trace.level(cycle) : occupancyAt(trace.series, cycle);
    const QString levels = tr("%1 of %2").arg(level).arg(trace.depth);
    // Without a legend, nothing else says whose it is.
    lines << (isWithoutLegend() ? trace.name + QStringLiteral(": ") + levels : levels);
  }
  return lines;
}

void OccupancyPlot::setTime(std::optional<Cycles> cycle) {
  time_ = cycle;
  const bool was_drawn = cursor_->visible();
  putCursorBack();
  if (was_drawn || cursor_->visible()) drawCursor();
}

/// Without the mouse, the line stands at the shared time.
void OccupancyPlot::putCursorBack() {
  hideCursor();
  if (time_ && !traces_.empty() && *time_ <= end_) placeCursor(static_cast<double>(*time_));
}

void OccupancyPlot::hideHover() {
  putCursorBack();
  drawCursor();
}

void OccupancyPlot::mousePressEvent(QMouseEvent* event) {
  pressed_ = event->position();
  Plot::mousePressEvent(event);
}

void OccupancyPlot::mouseReleaseEvent(QMouseEvent* event) {
  Plot::mouseReleaseEvent(event);
  const QPointF at = event->position();
  const double x = xAxis->pixelToCoord(at.x());
  const bool inside = axisRect()->rect().contains(at.toPoint()) && x >= 0 && x <= static_cast<double>(end_);
  if (event->button() == Qt::LeftButton && (at - pressed_).manhattanLength() < 4 && inside &&
      !traces_.empty())
    emit cycleChosen(static_cast<qint64>(x));
}

void OccupancyPlot::hideCursor() {
  cursor_->setVisible(false);
  cursor_label_->setVisible(false);
}

void OccupancyPlot::mouseMoveEvent(QMouseEvent* event) {
  Plot::mouseMoveEvent(event);
  if (event->buttons() != Qt::NoButton) zoomed_ = true;
  const double x = xAxis->pixelToCoord(event->position().x());
  const bool inside = axisRect()->rect().contains(event->position().toPoint());
  if (!traces_.empty() && inside && x >= 0 && x <= static_cast<double>(end_)) {
    showCursor(x);
  } else if (cursor_->visible()) {
    hideHover();
  }
}

void OccupancyPlot::mouseDoubleClickEvent(QMouseEvent* event) {
  Plot::mouseDoubleClickEvent(event);
  zoomed_ = false;
  rescale();
  replotLater();
}

void OccupancyPlot::wheelEvent(QWheelEvent* event) {
  zoomed_ = true;
  Plot::wheelEvent(event);
}

void OccupancyPlot::leaveEvent(QEvent* event) {
  hideHover();
  Plot::leaveEvent(event);
}

QString OccupancyPlot::csv() const {
  CsvTable table({"stream", "depth", "cycle", "low", "high", "last"});
  for (const OccupancyTrace& trace : traces_) {
    for (const OccupancySeries::Sample& sample : trace.series.samples) {
      table.row({trace.name.toStdString(), std::to_string(trace.depth), std::to_string(sample.time),
                 std::to_string(sample.low), std::to_string(sample.high), std::to_string(sample.last)});
    }
  }
  for (const OccupancyBand& band : bands_)  // last: the median
    for (std::size_t i = 0; i < band.cycles.size(); ++i)
      table.row({band.stream + " (5 to 95 % of the traces)", "", csvNumber(band.cycles[i]),
                 csvNumber(band.low[i]), csvNumber(band.high[i]), csvNumber(band.middle[i])});
  return QString::fromStdString(table.text());
}

}  // namespace sluice::ui

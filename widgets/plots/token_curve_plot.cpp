#include "widgets/plots/token_curve_plot.h"

#include <algorithm>
#include <cmath>

#include "engine/core/csv.h"

namespace sluice::ui {
namespace {

constexpr std::int64_t most_steps = 10'000;
constexpr double grab_distance = 6;  // pixels

QVector<QCPGraphData> line(const std::vector<TokenCurvePlot::Sample>& samples,
                           std::int64_t TokenCurvePlot::Sample::*value) {
  QVector<QCPGraphData> data;
  data.reserve(static_cast<int>(samples.size()));
  for (const auto& sample : samples)
    data.append(QCPGraphData(static_cast<double>(sample.time), static_cast<double>(sample.*value)));
  return data;
}

}  // namespace

TokenCurvePlot::TokenCurvePlot(QWidget* parent) : Plot(parent) {
  setObjectName(QStringLiteral("tokenCurvePlot"));
  setAccessibleName(tr("Token curves"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  build();
  setTheme(theme());
  clear({});
}

void TokenCurvePlot::build() {
  addLegendAbove({0, 6, 0, 0});
  waiting_rect_ = new QCPAxisRect(this);
  plotLayout()->addElement(2, 0, waiting_rect_);
  plotLayout()->setRowStretchFactor(2, 0.75);
  auto* aligned = new QCPMarginGroup(this);
  QCPAxis *below_x = waiting_rect_->axis(QCPAxis::atBottom), *below_y = waiting_rect_->axis(QCPAxis::atLeft);
  for (QCPAxisRect* rect : {axisRect(), waiting_rect_})
    rect->setMarginGroup(QCP::msLeft | QCP::msRight, aligned);
  for (QCPAxis* axis : {below_x, below_y, xAxis, yAxis}) axis->setLayer(QStringLiteral("axes"));
  for (QCPAxis* axis : {xAxis, below_x, yAxis, below_y})
    axis->setTicker(QSharedPointer<QCPAxisTicker>(new IntegerTicker));
  yAxis->setLabel(tr("Tokens"));
  below_y->setLabel(tr("Tokens in FIFO"));
  below_x->setLabel(tr("Time since the producer's start (cycles)"));
  const auto graph = [this](QCPAxis* x, QCPAxis* y, const QString& name) {
    QCPGraph* made = addGraph(x, y);
    made->setLineStyle(QCPGraph::lsStepLeft);
    made->setName(name);
    return made;
  };
  produced_ = graph(xAxis, yAxis, tr("produced"));
  taken_ = graph(xAxis, yAxis, tr("consumed"));
  waiting_ = graph(below_x, below_y, tr("waiting"));
  depth_ = graph(below_x, below_y, tr("recommended depth"));
  estimate_ = graph(below_x, below_y, tr("published maximum"));
  produced_->setChannelFillGraph(taken_);
  const auto start = [this](QCPAxisRect* rect) {
    auto* made = new QCPItemStraightLine(this);
    for (QCPItemPosition* point : {made->point1, made->point2})
      point->setAxes(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft));
    made->setClipAxisRect(rect);
    return made;
  };
  start_above_ = start(axisRect());
  start_below_ = start(waiting_rect_);
  start_label_ = new QCPItemText(this);
  start_label_->position->setTypeX(QCPItemPosition::ptPlotCoords);
  start_label_->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
  peak_label_ = new QCPItemText(this);
  peak_label_->position->setAxes(below_x, below_y);
  peak_label_->setClipAxisRect(waiting_rect_);
}

void TokenCurvePlot::clear(const QString& notice) {
  shown_ = false;
  samples_.clear();
  for (QCPGraph* graph : {produced_, taken_, waiting_, depth_, estimate_}) graph->data()->clear();
  for (QCPAbstractItem* item :
       {static_cast<QCPAbstractItem*>(start_above_), static_cast<QCPAbstractItem*>(start_below_),
        static_cast<QCPAbstractItem*>(start_label_), static_cast<QCPAbstractItem*>(peak_label_)})
    item->setVisible(false);
  setNotice(notice);
  replotLater();
}

void TokenCurvePlot::setStream(const StreamTiming& stream, const FifoBehaviour& fifo) {
  stream_ = stream;
  fifo_ = fifo;
  shown_ = true;
  setNotice({});
  sample();
  drawCurves();
  if (!dragging_) rescale();
  setAccessibleDescription(
      tr("delay %1 cycles, at most %2 tokens waiting").arg(stream_.delay).arg(peakOccupancy(stream_, fifo_)));
  replotLater();
}

/// When the last slot is free again.
std::int64_t TokenCurvePlot::end() const {
  const TokenCurve& production = stream_.production;
  const std::int64_t first = std::max(stream_.delay, leastDelay());
  const std::int64_t last = latency(production) + fifo_.hop_latency + cyclesOf(1, stream_.consumption);
  return std::max(first + cyclesOf(production.tokens, stream_.consumption), last) + 1;
}

std::int64_t TokenCurvePlot::mostDelay() const {
  return std::max(leastDelay(), latency(stream_.production) + cyclesOf(1, stream_.production.interval) + 1);
}

void TokenCurvePlot::sample() {
  samples_.clear();
  const std::int64_t last = end(), stride = std::max<std::int64_t>(1, last / most_steps);
  const auto add = [this](std::int64_t time) {
    const std::int64_t produced = tokensAt(stream_.production, time);
    const std::int64_t waiting = occupancyAt(stream_, fifo_, time);
    samples_.push_back({time, produced, produced - waiting, waiting});
  };
  add(0);
  for (std::int64_t time = 1; time < last; time += stride) {
    const Sample before = samples_.back();
    add(time);
    const Sample& now = samples_.back();
    if (now.produced == before.produced && now.waiting == before.waiting) samples_.pop_back();
  }
  add(last);
}

void TokenCurvePlot::drawCurves() {
  produced_->data()->set(line(samples_, &Sample::produced), true);
  taken_->data()->set(line(samples_, &Sample::taken), true);
  waiting_->data()->set(line(samples_, &Sample::waiting), true);
  const auto level = [this](QCPGraph* graph, std::int64_t tokens) {
    const auto y = static_cast<double>(tokens);
    graph->data()->set({QCPGraphData(0, y), QCPGraphData(static_cast<double>(end()), y)}, true);
  };
  level(depth_, recommendedDepth(stream_, fifo_));
  level(estimate_, maximumOccupancy(stream_).tokens);
  const auto x = static_cast<double>(stream_.delay);
  for (QCPItemStraightLine* start : {start_above_, start_below_}) {
    start->point1->setCoords(x, 0);
    start->point2->setCoords(x, 1);
    start->setVisible(true);
  }
  start_label_->setText(tr("\u25c2 delay %1 \u25b8").arg(stream_.delay));
  start_label_->position->setCoords(x, 0.02);
  const bool left_half = x < xAxis->range().center();
  start_label_->setPositionAlignment(Qt::AlignTop | (left_half ? Qt::AlignLeft : Qt::AlignRight));
  start_label_->setVisible(true);
  const auto peak = std::ranges::max_element(samples_, {}, &Sample::waiting);
  peak_label_->setText(tr("peak %1").arg(peakOccupancy(stream_, fifo_)));
  peak_label_->position->setCoords(static_cast<double>(peak->time), static_cast<double>(peak->waiting));
  const bool peak_left = static_cast<double>(peak->time) < xAxis->range().center();
  peak_label_->setPositionAlignment(Qt::AlignTop | (peak_left ? Qt::AlignLeft : Qt::AlignRight));
  peak_label_->setVisible(true);
}

void TokenCurvePlot::rescale() {
  const double last = static_cast<double>(end()) * 1.02;
  const auto most = static_cast<double>(stream_.production.tokens);
  const auto depth =
      static_cast<double>(std::max(recommendedDepth(stream_, fifo_), maximumOccupancy(stream_).tokens));
  xAxis->setRange(0, last);
  waiting_rect_->axis(QCPAxis::atBottom)->setRange(0, last);
  yAxis->setRange(0, most * 1.08 + 0.1);
  waiting_rect_->axis(QCPAxis::atLeft)->setRange(0, depth * 1.1 + 0.2);
  drawCurves();  // the labels' sides depend on the range
}

void TokenCurvePlot::restyle() {
  const PlotTheme& look = theme();
  const SeriesStyle production = look.series(0), consumption = look.series(1), waiting = look.series(2);
  produced_->setPen(QPen(production.colour, look.line_width));
  taken_->setPen(QPen(consumption.colour, look.line_width, Qt::DashLine));
  produced_->setBrush(look.tinted(waiting.colour, 0.18));
  waiting_->setPen(QPen(waiting.colour, look.line_width));
  waiting_->setBrush(look.tinted(waiting.colour, 0.25));
  depth_->setPen(QPen(look.text, look.line_width, Qt::DashLine));
  estimate_->setPen(QPen(look.series(3).colour, look.line_width, Qt::DashDotLine));
  const bool held = (dragging_ || hasFocus()) && !look.on_paper;
  for (QCPItemStraightLine* start : {start_above_, start_below_})
    start->setPen(QPen(held ? look.current : look.muted, held ? 2 : look.line_width));
  for (QCPItemText* label : {start_label_, peak_label_}) {
    label->setColor(look.text);
    label->setFont(look.font);
    label->setPadding(look.on_paper ? QMargins(2, 1, 2, 1) : QMargins(5, 3, 5, 3));
  }
  QFont bold = look.font;
  bold.setBold(true);
  start_label_->setFont(bold);
  start_label_->setBrush(look.background);
  start_label_->setPen(look.on_paper ? QPen(Qt::NoPen) : QPen(held ? look.current : look.muted, 1));
  legend->setIconSize(static_cast<int>(look.marker_size * 3), static_cast<int>(look.marker_size * 1.5));
  fitLegend(5);
}

bool TokenCurvePlot::nearHandle(const QPointF& point) const {
  if (!shown_) return false;
  const double x = xAxis->coordToPixel(static_cast<double>(stream_.delay));
  const double from_label = start_label_->selectTest(point, false);
  return std::abs(point.x() - x) <= grab_distance || (from_label >= 0 && from_label <= grab_distance);
}

QPoint TokenCurvePlot::handle() const {
  return {static_cast<int>(std::lround(xAxis->coordToPixel(static_cast<double>(stream_.delay)))),
          axisRect()->center().y()};
}

void TokenCurvePlot::moveDelay(std::int64_t delay) {
  if (!shown_) return;
  const std::int64_t moved = std::clamp(delay, leastDelay(), mostDelay());
  if (moved == stream_.delay) return;
  StreamTiming stream = stream_;
  stream.delay = moved;
  setStream(stream, fifo_);
  emit delayChanged(moved);
}

void TokenCurvePlot::mousePressEvent(QMouseEvent* event) {
  Plot::mousePressEvent(event);
  if (event->button() != Qt::LeftButton || !nearHandle(event->position())) return;
  dragging_ = true;
  restyle();
  replotLater();
}

void TokenCurvePlot::mouseMoveEvent(QMouseEvent* event) {
  Plot::mouseMoveEvent(event);
  if (dragging_)
    moveDelay(std::llround(xAxis->pixelToCoord(event->position().x())));
  else
    setCursor(nearHandle(event->position()) ? Qt::SizeHorCursor : Qt::ArrowCursor);
}

void TokenCurvePlot::mouseReleaseEvent(QMouseEvent* event) {
  Plot::mouseReleaseEvent(event);
  if (!dragging_) return;
  dragging_ = false;
  rescale();
  restyle();
  replotLater();
}

void TokenCurvePlot::keyPressEvent(QKeyEvent* event) {
  const std::int64_t step = event->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1;
  switch (event->key()) {
    case Qt::Key_Left:
      return moveDelay(stream_.delay - step);
    case Qt::Key_Right:
      return moveDelay(stream_.delay + step);
    case Qt::Key_PageDown:
      return moveDelay(stream_.delay - 10);
    case Qt::Key_PageUp:
      return moveDelay(stream_.delay + 10);
    case Qt::Key_Home:
      return moveDelay(leastDelay());
    case Qt::Key_End:
      return moveDelay(mostDelay());
    default:
      Plot::keyPressEvent(event);
  }
}

void TokenCurvePlot::focusInEvent(QFocusEvent* event) {
  Plot::focusInEvent(event);
  restyle();
  replotLater();
}

void TokenCurvePlot::focusOutEvent(QFocusEvent* event) {
  Plot::focusOutEvent(event);
  restyle();
  replotLater();
}

QString TokenCurvePlot::csv() const {
  CsvTable table({"cycle", "produced", "consumed", "waiting"});
  for (const Sample& sample : samples_)
    table.row({std::to_string(sample.time), std::to_string(sample.produced), std::to_string(sample.taken),
               std::to_string(sample.waiting)});
  return QString::fromStdString(table.text());
}

}  // namespace sluice::ui

#include "widgets/fifos/timed_graph_view.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/canvas/layered_layout.h"
#include "widgets/fifos/kernel_fields.h"
#include "widgets/plots/plot_theme.h"

namespace sluice::ui {
namespace {

constexpr double box_width = 108, box_height = 42, margin = 14, legend_height = 24, most_scale = 1.25;
constexpr std::int64_t shallowest = 2;  // of the depths that sizings give

/// Ports spread over the side of a box.
std::vector<double> ports(std::size_t count) {
  std::vector<double> at;
  for (std::size_t i = 0; i < count; ++i)
    at.push_back(box_height * (static_cast<double>(i) + 1) / (static_cast<double>(count) + 1));
  return at;
}

LayoutGraph boxesOf(const TimedGraph& graph) {
  std::vector<std::size_t> inputs(graph.kernels.size(), 0), outputs(graph.kernels.size(), 0);
  LayoutGraph boxes;
  boxes.rank_gap = 70;
  boxes.node_gap = 30;
  for (const TimedStream& stream : graph.streams)
    boxes.edges.push_back(
        {stream.producer, outputs[stream.producer]++, stream.consumer, inputs[stream.consumer]++});
  for (std::size_t kernel = 0; kernel < graph.kernels.size(); ++kernel) {
    LayoutNode node;
    node.width = box_width;
    node.height = box_height;
    node.inputs = ports(inputs[kernel]);
    node.outputs = ports(outputs[kernel]);
    boxes.nodes.push_back(node);
  }
  return boxes;
}

bool onPaths(const std::vector<std::vector<std::size_t>>& paths, std::size_t stream) {
  return std::ranges::any_of(paths, [stream](const std::vector<std::size_t>& path) {
    return std::ranges::find(path, stream) != path.end();
  });
}

QPointF bezier(const std::vector<LayoutPoint>& points, std::size_t piece, double t) {
  const double s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
  const LayoutPoint* p = &points[3 * piece];
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
          a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

QFont smaller(QFont font, double factor) {
  font.setPointSizeF(std::max(6.0, font.pointSizeF() * factor));
  return font;
}

}  // namespace

TimedGraphView::TimedGraphView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("timedGraphView"));
  setAccessibleName(tr("Kernels and FIFOs"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
}

void TimedGraphView::setGraph(const TimedGraph& graph) {
  graph_ = graph;
  boxes_ = boxesOf(graph);
  layout_ = layeredLayout(boxes_);
  selected_.reset();
  setDepths({}, {});
}

void TimedGraphView::setDepths(std::vector<std::int64_t> depths, std::optional<FifoConflict> conflict) {
  depths_ = std::move(depths);
  conflict_ = std::move(conflict);
  setAccessibleDescription(conflict_ ? QString::fromStdString(describe(*conflict_, graph_).cause)
                                     : QString());
  update();
}

void TimedGraphView::setSelected(std::optional<std::size_t> stream) {
  selected_ = stream;
  update();
}

QTransform TimedGraphView::toPixels() const {
  const double wide = std::max(1.0, layout_.width), high = std::max(1.0, layout_.height);
  const double across = width() - 2 * margin, down = height() - 2 * margin - legend_height;
  const double scale = std::max(0.05, std::min({across / wide, down / high, most_scale}));
  return QTransform()
      .translate(margin + (across - wide * scale) / 2, margin + (down - high * scale) / 2)
      .scale(scale, scale);
}

QRectF TimedGraphView::kernelRect(std::size_t kernel) const {
  const LayoutPoint& at = layout_.nodes[kernel];
  return toPixels().mapRect(QRectF(at.x, at.y, box_width, box_height));
}

QPolygonF TimedGraphView::curveOf(std::size_t stream) const {
  const std::vector<LayoutPoint>& points = layout_.edges[stream];
  QPolygonF line;
  for (std::size_t piece = 0; 3 * piece + 3 < points.size(); ++piece)
    for (int step = 0; step <= 16; ++step) line << bezier(points, piece, step / 16.0);
  return toPixels().map(line);
}

QPointF TimedGraphView::labelPoint(std::size_t stream) const {
  const QPolygonF line = curveOf(stream);
  return line.isEmpty() ? QPointF() : line[line.size() / 2];
}

TimedGraphView::Role TimedGraphView::roleOf(std::size_t stream) const {
  if (!conflict_) return Role::Plain;
  if (onPaths(conflict_->fifo_paths, stream)) return Role::FifoPath;
  return onPaths(conflict_->slow_paths, stream) ? Role::SlowPath : Role::Plain;
}

void TimedGraphView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  for (std::size_t stream = 0; stream < graph_.streams.size(); ++stream) paintStream(painter, stream);
  for (std::size_t kernel = 0; kernel < graph_.kernels.size(); ++kernel) paintKernel(painter, kernel);
  if (conflict_) paintLegend(painter);
}

void TimedGraphView::paintStream(QPainter& painter, std::size_t stream) const {
  const PlotTheme theme = PlotTheme::screen(palette(), font());
  const Role role = roleOf(stream);
  const QColor colour = role == Role::FifoPath   ? theme.series(1).colour
                        : role == Role::SlowPath ? theme.series(0).colour
                                                 : theme.axis;
  const double weight = (role == Role::Plain ? 1.4 : 3) + (selected_ == stream ? 1.2 : 0);
  const QPolygonF line = curveOf(stream);
  if (line.size() < 2) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(colour, weight, role == Role::FifoPath ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap));
  painter.drawPolyline(line);
  QLineF last(line[line.size() - 2], line.last());
  for (int i = static_cast<int>(line.size()) - 3; i >= 0 && last.length() < 4; --i) last.setP1(line[i]);
  const QPointF along = (last.p2() - last.p1()) / std::max(1e-6, last.length()),
                across(-along.y(), along.x());
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawPolygon(
      QPolygonF{last.p2(), last.p2() - along * 9 + across * 4.5, last.p2() - along * 9 - across * 4.5});
  if (!hasLabel(stream)) return;
  painter.setFont(smaller(font(), 0.9));
  const QString text = QString::number(depths_[stream]);
  const QFontMetricsF metrics(painter.font());
  QRectF label(0, 0, std::max(18.0, metrics.horizontalAdvance(text) + 10), metrics.height() + 3);
  label.moveCenter(labelPoint(stream));
  painter.setPen(QPen(selected_ == stream ? theme.current : colour, selected_ == stream ? 2 : 1));
  painter.setBrush(theme.background);
  painter.drawRoundedRect(label, 4, 4);
  painter.setPen(theme.text);
  painter.drawText(label, Qt::AlignCenter, text);
}

void TimedGraphView::paintKernel(QPainter& painter, std::size_t kernel) const {
  const PlotTheme theme = PlotTheme::screen(palette(), font());
  const TimedKernel& timed = graph_.kernels[kernel];
  const QRectF box = kernelRect(kernel);
  painter.setPen(
      QPen(theme.axis, timed.flushable ? 1.2 : 2, timed.flushable ? Qt::SolidLine : Qt::DashDotLine));
  painter.setBrush(theme.tinted(theme.text, 0.07));
  painter.drawRoundedRect(box, 5, 5);
  const double scale = std::min(1.0, box.height() / box_height);
  if (scale < 0.35) return;
  QFont name = smaller(font(), scale);
  name.setBold(true);
  painter.setFont(name);
  painter.setPen(theme.text);
  const QRectF inside = box.adjusted(4, 3, -4, -3);
  painter.drawText(
      inside, static_cast<int>(Qt::AlignHCenter | Qt::AlignTop),
      QFontMetricsF(name).elidedText(QString::fromStdString(timed.name), Qt::ElideMiddle, inside.width()));
  painter.setFont(smaller(font(), 0.85 * scale));
  painter.setPen(theme.muted);
  painter.drawText(inside, static_cast<int>(Qt::AlignHCenter | Qt::AlignBottom),
                   tr("D %1   II %2").arg(timed.curve.initial_delay).arg(intervalText(timed.curve.interval)));
}

void TimedGraphView::paintLegend(QPainter& painter) const {
  const PlotTheme theme = PlotTheme::screen(palette(), font());
  painter.setFont(smaller(font(), 0.9));
  const QString unit = conflict_->kind == FifoConflictKind::Stall ? tr("cycles") : tr("tokens");
  double x = margin;
  const double y = height() - legend_height / 2;
  const auto entry = [&](const QColor& colour, Qt::PenStyle dash, const QString& text) {
    painter.setPen(QPen(colour, 3, dash, Qt::FlatCap));
    painter.drawLine(QLineF(x, y, x + 28, y));
    painter.setPen(theme.text);
    const double wide = QFontMetricsF(painter.font()).horizontalAdvance(text);
    painter.drawText(QRectF(x + 34, y - 10, wide + 4, 20), Qt::AlignVCenter, text);
    x += wide + 56;
  };
  entry(theme.series(1).colour, Qt::DashLine, tr("FIFOs: room for %1 %2").arg(conflict_->offered).arg(unit));
  entry(theme.series(0).colour, Qt::SolidLine, tr("kernels beside: %1 %2").arg(conflict_->needed).arg(unit));
}

/// In a graph with little room only where there is something to say.
bool TimedGraphView::hasLabel(std::size_t stream) const {
  if (stream >= depths_.size()) return false;
  return toPixels().m11() > 0.6 || depths_[stream] > shallowest || roleOf(stream) != Role::Plain ||
         selected_ == stream;
}

std::optional<std::size_t> TimedGraphView::streamAt(const QPointF& point) const {
  std::optional<std::size_t> nearest;
  double least = 12;  // pixels
  for (std::size_t stream = 0; stream < graph_.streams.size(); ++stream) {
    for (const QPointF& on_curve : curveOf(stream)) {
      const double distance = QLineF(on_curve, point).length();
      if (distance >= least) continue;
      least = distance;
      nearest = stream;
    }
  }
  return nearest;
}

void TimedGraphView::mousePressEvent(QMouseEvent* event) {
  if (const auto stream = streamAt(event->position())) emit streamChosen(static_cast<int>(*stream));
}

QString TimedGraphView::tipAt(const QPointF& point) const {
  for (std::size_t kernel = 0; kernel < graph_.kernels.size(); ++kernel) {
    if (!kernelRect(kernel).contains(point)) continue;
    const TimedKernel& timed = graph_.kernels[kernel];
    return tr("%1\nD %2, II %3, %4 tokens%5")
        .arg(QString::fromStdString(timed.name))
        .arg(timed.curve.initial_delay)
        .arg(intervalText(timed.curve.interval))
        .arg(timed.curve.tokens)
        .arg(timed.flushable ? QString() : tr("\nstands still without input"));
  }
  const auto stream = streamAt(point);
  if (!stream) return {};
  const QString name = QString::fromStdString(nameOf(graph_, graph_.streams[*stream]));
  return *stream < depths_.size() ? tr("%1\ndepth %2").arg(name).arg(depths_[*stream]) : name;
}

bool TimedGraphView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), tipAt(help->pos()), this);  // hides it where there is none
  return true;
}

}  // namespace sluice::ui

#include "widgets/canvas/time_overlay.h"

#include <QPainter>

#include "widgets/canvas/picture.h"
#include "widgets/timeline/state_look.h"

namespace sluice::ui {

namespace {

constexpr double bar_height = 8, gauge_width = 46, gauge_height = 15;

QString textOf(const StateCounts& counts) {
  std::uint32_t all = 0;
  std::size_t most = 0;
  for (std::size_t state = 0; state < counts.size(); ++state) {
    all += counts[state];
    if (counts[state] > counts[most]) most = state;
  }
  const QString name = stateName(static_cast<ProcessState>(most));
  return all == 1 ? name : QStringLiteral("%1 of %2 %3").arg(counts[most]).arg(all).arg(name);
}

/// A bar at the foot of the box, divided by how many are in each state, and the word below it.
void paintStates(QPainter& painter, const QRectF& box, const StateCounts& counts, const CanvasTheme& theme,
                 double zoom) {
  const QRectF bar(box.left(), box.bottom() - bar_height / 2, box.width(), bar_height);
  std::uint32_t all = 0;
  for (const std::uint32_t count : counts) all += count;
  if (all == 0) return;
  double left = bar.left();
  for (const ProcessState state : all_states) {
    const double width = bar.width() * counts[static_cast<std::size_t>(state)] / all;
    if (width > 0) fillState(painter, QRectF(left, bar.top(), width, bar_height), state, theme.is_dark);
    left += width;
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.box_border, 1));
  painter.drawRect(bar);
  if (zoom < names_zoom) return;
  painter.setPen(theme.text);
  const QString word =
      painter.fontMetrics().elidedText(textOf(counts), Qt::ElideRight, static_cast<int>(box.width()) + 40);
  const QRectF place(box.left() - 20, bar.bottom() + 1, box.width() + 40, 14);
  QRectF ground = painter.boundingRect(place, Qt::AlignHCenter | Qt::AlignTop, word).adjusted(-3, 0, 3, 0);
  painter.fillRect(ground, theme.canvas);
  painter.drawText(place, Qt::AlignHCenter | Qt::AlignTop, word);
}

/// A gauge on the line: full is marked by a thick frame, too.
void paintFill(QPainter& painter, const QPointF& middle, const StreamFill& fill, const CanvasTheme& theme,
               double zoom) {
  const QRectF gauge(middle.x() - gauge_width / 2, middle.y() - gauge_height / 2, gauge_width, gauge_height);
  const double share =
      fill.depth == 0 ? 0 : static_cast<double>(fill.tokens) / static_cast<double>(fill.depth);
  const bool full = fill.tokens >= fill.depth;
  painter.fillRect(gauge, theme.canvas);
  QRectF filled = gauge;
  filled.setWidth(gauge.width() * std::min(1.0, share));
  painter.fillRect(filled, blend(theme.canvas, theme.selection, 0.45));
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(full ? theme.error : theme.edge, full ? 2.5 : 1));
  painter.drawRect(gauge);
  if (zoom < names_zoom) return;
  painter.setPen(theme.text);
  painter.drawText(gauge, Qt::AlignCenter, QStringLiteral("%1/%2").arg(fill.tokens).arg(fill.depth));
}

}  // namespace

void TimeLayer::paint(QPainter& painter, const Picture& picture) const {
  const double zoom = zoomOf(painter);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, zoom >= names_zoom);
  painter.setFont(canvasFont(picture.theme.family, TextRole::Port));
  for (std::size_t link = 0; link < picture.links.size(); ++link) {
    const auto fill = overlay.streams.constFind(QString::fromStdString(picture.model.links[link].origin));
    if (fill == overlay.streams.constEnd()) continue;
    paintFill(painter, picture.links[link].middle, *fill, picture.theme, zoom);
  }
  for (std::size_t box = 0; box < picture.boxes.size(); ++box) {
    if (picture.model.boxes[box].kind == SceneBox::Kind::Frame) continue;
    const auto counts = overlay.nodes.constFind(QString::fromStdString(picture.model.boxes[box].path));
    if (counts != overlay.nodes.constEnd())
      paintStates(painter, picture.rect(box), *counts, picture.theme, zoom);
  }
  painter.restore();
}

}  // namespace sluice::ui

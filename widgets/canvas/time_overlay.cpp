#include "widgets/canvas/time_overlay.h"

#include <QPainter>

#include "widgets/canvas/picture.h"
#include "widgets/timeline/state_look.h"

namespace sluice::ui {

namespace {

constexpr double bar_height = 6, gauge_width = 28, gauge_height = 9;

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

/// A bar at the foot of the box, divided by how many are in each state.
void paintStates(QPainter& painter, const QRectF& box, const StateCounts& counts, const CanvasTheme& theme) {
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
}

double shareOf(const StreamFill& fill) {
  return fill.depth == 0 ? 0 : static_cast<double>(fill.tokens) / static_cast<double>(fill.depth);
}

QColor plateOf(const CanvasTheme& theme) {
  return blend(theme.canvas, theme.selection, 0.45);
}

/// A gauge on the line, where its note has no room; full is marked by a thick frame, too.
void paintFill(QPainter& painter, const QPointF& middle, const StreamFill& fill, const CanvasTheme& theme) {
  const QRectF gauge(middle.x() - gauge_width / 2, middle.y() - gauge_height / 2, gauge_width, gauge_height);
  const bool full = fill.tokens >= fill.depth;
  painter.fillRect(gauge, theme.canvas);
  QRectF filled = gauge;
  filled.setWidth(gauge.width() * std::min(1.0, shareOf(fill)));
  painter.fillRect(filled, plateOf(theme));
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(full ? theme.error : theme.edge, full ? 2.5 : 1));
  painter.drawRect(gauge);
}

}  // namespace

Notes TimeLayer::notes(const CanvasTheme& theme) const {
  Notes notes;
  for (auto fill = overlay.streams.begin(); fill != overlay.streams.end(); ++fill) {
    const QString depth = QString::number(fill->depth);
    notes[fill.key()] = {
        QString::number(fill->tokens) + QLatin1Char('/') + depth, plateOf(theme),
        std::min(1.0, shareOf(*fill)), fill->tokens >= fill->depth,
        QString(std::max<qsizetype>(2, depth.size()), QLatin1Char('0')) + QLatin1Char('/') + depth};
  }
  for (auto counts = overlay.nodes.begin(); counts != overlay.nodes.end(); ++counts)
    notes[counts.key()] = {textOf(*counts), theme.canvas};
  return notes;
}

void TimeLayer::paint(QPainter& painter, const Picture& picture) const {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, picture.detail >= Detail::Names);
  for (auto fill = overlay.streams.begin(); fill != overlay.streams.end(); ++fill) {
    const std::size_t link = picture.model.findLink(fill.key().toStdString());
    if (link != nowhere && picture.labelRect(link).isEmpty())
      paintFill(painter, picture.links[link].middle, *fill, picture.theme);
  }
  for (auto counts = overlay.nodes.begin(); counts != overlay.nodes.end(); ++counts) {
    const std::size_t box = picture.model.findBox(counts.key().toStdString());
    if (box != nowhere && picture.model.boxes[box].kind != SceneBox::Kind::Frame)
      paintStates(painter, picture.rect(box), *counts, picture.theme);
  }
  painter.restore();
}

}  // namespace sluice::ui

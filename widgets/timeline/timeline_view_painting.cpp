// TimelineView: what it paints.

#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/common/quantity.h"
#include "widgets/plots/plot_theme.h"
#include "widgets/timeline/state_look.h"
#include "widgets/timeline/time_cursor.h"
#include "widgets/timeline/timeline_view.h"

namespace sluice::ui {

namespace {

QColor muted(const QPalette& palette) {
  QColor colour = palette.color(QPalette::Text);
  colour.setAlphaF(0.7f);
  return colour;
}

}  // namespace

const QImage& TimelineView::strip(int row) {
  const auto found = strips_.constFind(row);
  if (found != strips_.constEnd()) return *found;
  const TimelineRow& of = rows_.shown()[static_cast<std::size_t>(row)];
  const double scale = devicePixelRatioF();
  const int columns = std::max(1, static_cast<int>(tracksWidth() * scale));
  const int height = static_cast<int>((rowRect(row).height() - 3) * scale);
  QImage image =
      of.kind == TimelineRow::Kind::Stream
          ? fillStrip(fillColumns(*run_.timeline, of.streams.front(), range_, columns), of.capacity, height,
                      dark())
          : stateStrip(stateColumns(*run_.timeline, of.processes, range_, columns), height, dark());
  image.setDevicePixelRatio(scale);
  return *strips_.insert(row, std::move(image));
}

void TimelineView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), palette().base());
  if (!run_) {
    painter.setPen(muted(palette()));
    painter.drawText(viewport()->rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
                     notice_);
    return;
  }
  painter.save();
  painter.setClipRect(0, ruler_height, viewport()->width(), viewport()->height() - ruler_height);
  for (int row = std::max(0, rowAt(ruler_height)); row < static_cast<int>(rows_.shown().size()); ++row) {
    if (rowRect(row).top() > viewport()->height()) break;
    paintRow(painter, row);
  }
  if (stale_) {
    QColor veil = palette().color(QPalette::Base);
    veil.setAlphaF(0.55f);
    painter.fillRect(viewport()->rect(), veil);
  }
  painter.restore();
  paintRuler(painter);
  paintCursor(painter);
  if (rows_.shown().empty()) {
    painter.setPen(muted(palette()));
    painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("No row has that in its name."));
  }
}

void TimelineView::paintRow(QPainter& painter, int row) {
  const QRect rect = rowRect(row);
  const TimelineRow& of = rows_.shown()[static_cast<std::size_t>(row)];
  if (row == current_row_) {
    QColor light = palette().color(QPalette::Highlight);
    light.setAlphaF(0.25f);
    painter.fillRect(rect, light);
  }
  paintName(painter, row, QRect(rect.left(), rect.top(), name_width_, rect.height()));
  painter.drawImage(QPoint(name_width_, rect.top() + 1), strip(row));
  if (intervals_.empty() || of.kind == TimelineRow::Kind::Stream || rows_.rowOf(marked_) != row) return;
  painter.setPen(QPen(palette().color(QPalette::Text), 1));
  double last = -1;
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    const double from = pixelOf(static_cast<double>(intervals_[i].begin));
    const double to = pixelOf(static_cast<double>(intervals_[i].end));
    if (to < name_width_ || from > viewport()->width() || (to - last < 1 && i != interval_)) continue;
    last = to;
    const QRectF mark(QPointF(std::max<double>(from, name_width_), rect.top() + 0.5),
                      QPointF(std::max(from + 1, to), rect.bottom() - 0.5));
    painter.setPen(QPen(palette().color(QPalette::Text), i == interval_ ? 2 : 1));
    painter.drawRect(mark);
  }
}

void TimelineView::paintName(QPainter& painter, int row, const QRect& rect) const {
  const TimelineRow& of = rows_.shown()[static_cast<std::size_t>(row)];
  const bool region = of.kind == TimelineRow::Kind::Region;
  const int left = rect.left() + 6 + 12 * of.depth;
  QFont font = painter.font();
  font.setBold(region);
  if (of.kind == TimelineRow::Kind::Stream) font.setPointSizeF(font.pointSizeF() * 0.85);
  painter.save();
  painter.setFont(font);
  if (region) {  // a triangle: right is folded
    const double x = left + 4, y = rect.center().y() + 0.5;
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette().text());
    painter.setRenderHint(QPainter::Antialiasing);
    const QPolygonF folded{QPointF(x - 2, y - 4), QPointF(x + 3, y), QPointF(x - 2, y + 4)};
    const QPolygonF open{QPointF(x - 4, y - 2), QPointF(x + 4, y - 2), QPointF(x, y + 3)};
    painter.drawPolygon(of.collapsed ? folded : open);
  }
  const QString now = cursorText(of);
  const int now_width = now.isEmpty() ? 0 : painter.fontMetrics().horizontalAdvance(now) + 8;
  painter.setPen(of.kind == TimelineRow::Kind::Stream ? muted(palette()) : palette().color(QPalette::Text));
  const QRect room(left + 12, rect.top(), rect.right() - left - 18 - now_width, rect.height());
  painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft,
                   painter.fontMetrics().elidedText(of.name, Qt::ElideMiddle, room.width()));
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(rect.adjusted(0, 0, -6, 0), Qt::AlignVCenter | Qt::AlignRight, now);
  painter.restore();
}

/// What the row is at the cursor: "starved", "3 of 16", "96 of 128 running".
QString TimelineView::cursorText(const TimelineRow& row) const {
  if (!cursor_->cycle()) return {};
  const auto cycle = static_cast<Cycles>(*cursor_->cycle());
  if (row.kind == TimelineRow::Kind::Stream)
    return tr("%1 of %2").arg(run_.timeline->occupancyAt(row.streams.front(), cycle)).arg(row.capacity);
  if (row.processes.size() == 1) return stateName(run_.timeline->stateAt(row.processes.front(), cycle).state);
  int running = 0;
  for (const OperatorId process : row.processes)
    running += run_.timeline->stateAt(process, cycle).state == ProcessState::Running ? 1 : 0;
  return tr("%1 of %2 run").arg(running).arg(row.processes.size());
}

void TimelineView::paintRuler(QPainter& painter) const {
  const QRect ruler(0, 0, viewport()->width(), ruler_height);
  painter.fillRect(ruler, palette().window());
  painter.setPen(muted(palette()));
  painter.drawLine(0, ruler_height - 1, viewport()->width(), ruler_height - 1);
  painter.drawLine(name_width_ - 1, 0, name_width_ - 1, viewport()->height());
  painter.drawText(QRect(6, 0, name_width_ - 12, ruler_height), Qt::AlignVCenter | Qt::AlignLeft,
                   painter.fontMetrics().elidedText(
                       run_.timeline->exact() ? tr("cycles") : tr("cycles; neighbouring events joined"),
                       Qt::ElideRight, name_width_ - 12));
  const double step = cycleTickStep(range_.length(), tracksWidth() / 110);
  for (double tick = std::ceil(range_.from / step) * step; tick <= range_.to; tick += step) {
    const double x = pixelOf(tick);
    painter.drawLine(QPointF(x, ruler_height - 6), QPointF(x, ruler_height - 1));
    painter.drawText(QPointF(x + 3, ruler_height - 8), exactNumber(static_cast<std::uint64_t>(tick)));
  }
}

void TimelineView::paintCursor(QPainter& painter) const {
  if (!cursor_->cycle()) return;
  const auto cycle = static_cast<double>(*cursor_->cycle());
  // Where a cycle is wide, the line stands at its middle.
  const double x = pixelOf(cycle) + std::min(8.0, tracksWidth() / range_.length()) / 2;
  if (x < name_width_ || x > viewport()->width()) return;
  const QColor colour = palette().color(QPalette::Highlight);
  painter.setPen(QPen(colour, 2));
  painter.drawLine(QPointF(x, 0), QPointF(x, viewport()->height()));
  const QString label = exactNumber(static_cast<std::uint64_t>(cycle));
  const double width = painter.fontMetrics().horizontalAdvance(label) + 10;
  const double left =
      std::clamp(x - width / 2, static_cast<double>(name_width_), viewport()->width() - width);
  const QRectF box(left, 2, width, ruler_height - 5);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawRoundedRect(box, 3, 3);
  painter.setPen(palette().color(QPalette::HighlightedText));
  painter.drawText(box, Qt::AlignCenter, label);
}

}  // namespace sluice::ui

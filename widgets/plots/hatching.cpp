#include "widgets/plots/hatching.h"

#include <algorithm>

namespace sluice::ui {

// Scatter glyphs are six units wide.

QPainterPath hatchedSquare() {
  QPainterPath path;
  path.addRect(-3, -3, 6, 6);
  path.addPath(hatchStrokes(QRectF(-3, -3, 6, 6), 3));
  return path;
}

QPainterPath hatchedDiamond() {
  QPainterPath path;
  path.addPolygon(QPolygonF({QPointF(0, -3.6), QPointF(3.6, 0), QPointF(0, 3.6), QPointF(-3.6, 0)}));
  path.closeSubpath();
  path.moveTo(-2.4, 1.2);
  path.lineTo(1.2, -2.4);
  path.moveTo(-1.2, 2.4);
  path.lineTo(2.4, -1.2);
  return path;
}

QPainterPath hatchStrokes(const QRectF& area, double distance) {
  QPainterPath path;
  // Strokes x + y = sum, cut to the area.
  for (double sum = area.left() + area.top() + distance; sum < area.right() + area.bottom();
       sum += distance) {
    const double right = std::min(area.right(), sum - area.top());
    const double left = std::max(area.left(), sum - area.bottom());
    if (left >= right) continue;
    path.moveTo(left, sum - left);
    path.lineTo(right, sum - right);
  }
  return path;
}

HatchBand::HatchBand(QCustomPlot* plot, double thickness) : QCPAbstractItem(plot), thickness_(thickness) {
  setSelectable(false);
  setLayer(QStringLiteral("grid"));
}

void HatchBand::setEdges(bool top, bool right) {
  top_ = top;
  right_ = right;
}

void HatchBand::setLook(const QPen& pen, double distance) {
  pen_ = pen;
  distance_ = distance;
}

void HatchBand::draw(QCPPainter* painter) {
  const QRectF all = parentPlot()->axisRect()->rect();
  painter->setPen(pen_);
  painter->setBrush(Qt::NoBrush);
  if (top_)
    painter->drawPath(
        hatchStrokes(QRectF(all.left(), all.top(), all.width(), all.height() * thickness_), distance_));
  if (right_) {
    const double width = all.width() * thickness_;
    painter->drawPath(hatchStrokes(QRectF(all.right() - width, all.top(), width, all.height()), distance_));
  }
}

}  // namespace sluice::ui

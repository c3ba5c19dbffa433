#include "widgets/canvas/pin_layer.h"

#include <QPainterPath>

#include "widgets/canvas/picture.h"

namespace sluice::ui {
namespace {

constexpr double size = 14;  // points

}  // namespace

bool PinLayer::setPinned(const std::set<std::string>& nodes) {
  if (nodes == pinned_) return false;
  pinned_ = nodes;
  return true;
}

QRectF PinLayer::pinRect(const Picture& picture, const std::string& node) {
  const std::size_t box = picture.model.visibleBox(node);
  // A collapsed region shows itself, not what it hides.
  if (box == nowhere || picture.model.boxes[box].path != node) return {};
  const QPointF corner = picture.rect(box).topLeft();
  return {corner.x() - size / 2, corner.y() - size / 2, size, size};
}

void PinLayer::paint(QPainter& painter, const Picture& picture) const {
  if (zoomOf(painter) < names_zoom) return;
  painter.save();
  for (const std::string& node : pinned_) {
    const QRectF rect = pinRect(picture, node);
    if (rect.isEmpty()) continue;
    painter.setPen(QPen(picture.theme.text, 1.2, Qt::SolidLine, Qt::RoundCap));
    painter.setBrush(picture.theme.canvas);
    painter.drawEllipse(rect);
    // A head, a collar and a needle.
    const auto at = [&rect](double x, double y) {
      return QPointF(rect.left() + x * rect.width(), rect.top() + y * rect.height());
    };
    painter.drawLine(at(0.5, 0.58), at(0.5, 0.82));
    painter.setBrush(picture.theme.text);
    painter.drawRect(QRectF(at(0.4, 0.22), at(0.6, 0.5)));
    painter.drawLine(at(0.3, 0.56), at(0.7, 0.56));
  }
  painter.restore();
}

}  // namespace sluice::ui

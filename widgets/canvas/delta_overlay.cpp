#include "widgets/canvas/delta_overlay.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/canvas/picture.h"

namespace sluice::ui {

QColor deltaColour(double change, const CanvasTheme& theme) {
  const QColor less(0x0072b2), more(0xd55e00);  // Okabe and Ito
  return blend(theme.box, change < 0 ? less : more, std::clamp(std::abs(change), 0.0, 1.0) * 0.85);
}

void DeltaLayer::paint(QPainter& painter, const Picture& picture) const {
  const double zoom = zoomOf(painter);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, zoom >= names_zoom);
  painter.setFont(canvasFont(picture.theme.family, TextRole::Title));
  const auto tag = [&](const QRectF& around, const Delta& delta) {
    const QColor ground = deltaColour(delta.change, picture.theme);
    if (zoom < names_zoom) return painter.fillRect(around, ground);
    const double width = painter.fontMetrics().horizontalAdvance(delta.text) + 12;
    const QRectF box(around.center().x() - width / 2, around.center().y() - 9, width, 18);
    painter.setPen(QPen(picture.theme.box_border, 1));
    painter.setBrush(ground);
    painter.drawRoundedRect(box, 3, 3);
    const bool on_dark = contrast(ground, Qt::white) > contrast(ground, Qt::black);
    painter.setPen(on_dark ? Qt::white : Qt::black);
    painter.drawText(box, Qt::AlignCenter, delta.text);
  };
  for (std::size_t link = 0; link < picture.links.size(); ++link) {
    const auto delta = overlay.constFind(QString::fromStdString(picture.model.links[link].origin));
    const QPointF at = picture.links[link].middle;
    if (delta != overlay.constEnd()) tag(QRectF(at.x() - 12, at.y() - 6, 24, 12), *delta);
  }
  for (std::size_t box = 0; box < picture.boxes.size(); ++box) {
    if (picture.model.boxes[box].kind == SceneBox::Kind::Frame) continue;
    const auto delta = overlay.constFind(QString::fromStdString(picture.model.boxes[box].path));
    if (delta == overlay.constEnd()) continue;
    const QRectF rect = picture.rect(box);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(deltaColour(delta->change, picture.theme), 4));
    painter.drawRoundedRect(rect.adjusted(-3, -3, 3, 3), 6, 6);
    tag(QRectF(rect.left(), rect.top() - 20, rect.width(), 18), *delta);
  }
  painter.restore();
}

}  // namespace sluice::ui

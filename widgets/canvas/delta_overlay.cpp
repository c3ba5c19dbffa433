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

namespace {

/// "+12%" of "\u25b2 +12.3 %"; nothing of other texts.
QString briefOf(const QString& text) {
  const auto is_sign = [](QChar letter) { return letter == QLatin1Char('+') || letter == QChar(0x2212); };
  const auto sign = std::find_if(text.begin(), text.end(), is_sign);
  if (sign == text.end() || !text.endsWith(QLatin1Char('%'))) return {};
  const auto end = std::find_if_not(sign + 1, text.end(), [](QChar letter) { return letter.isDigit(); });
  return QString(sign, static_cast<qsizetype>(end - sign)) + QLatin1Char('%');
}

}  // namespace

Notes DeltaLayer::notes(const CanvasTheme& theme) const {
  Notes notes;
  for (auto delta = overlay.begin(); delta != overlay.end(); ++delta)
    notes[delta.key()] = {
        .text = delta->text, .plate = deltaColour(delta->change, theme), .brief = briefOf(delta->text)};
  return notes;
}

/// An outline around every node, and a spot on the streams whose note has no room.
void DeltaLayer::paint(QPainter& painter, const Picture& picture) const {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, picture.detail >= Detail::Names);
  for (auto delta = overlay.begin(); delta != overlay.end(); ++delta) {
    const QColor colour = deltaColour(delta->change, picture.theme);
    const std::string name = delta.key().toStdString();
    const std::size_t link = picture.model.findLink(name), box = picture.model.findBox(name);
    if (link != nowhere && picture.labelRect(link).isEmpty()) {
      painter.setPen(QPen(picture.theme.box_border, 1));
      painter.setBrush(colour);
      painter.drawEllipse(picture.links[link].middle, 7, 7);
    }
    if (box == nowhere || picture.model.boxes[box].kind == SceneBox::Kind::Frame) continue;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, 4));
    painter.drawRoundedRect(picture.rect(box).adjusted(-3, -3, 3, 3), 6, 6);
  }
  painter.restore();
}

}  // namespace sluice::ui

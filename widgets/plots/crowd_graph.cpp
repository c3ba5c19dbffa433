#include "widgets/plots/crowd_graph.h"

#include <algorithm>
#include <cmath>

namespace sluice::ui {
namespace {

struct Ink {
  QPoint at;  ///< from the pixel that the middle of the mark lies in, of the device
  QRgb colour = 0;
};

/// What a mark leaves, by where in its pixel the middle lies.
class Stamps {
 public:
  Stamps(const QCPScatterStyle& style, const QPen& pen, double ratio) {
    for (int y = 0; y < phases; ++y)
      for (int x = 0; x < phases; ++x)
        ink_.push_back(inkOf(style, pen, ratio, QPointF(x + 0.5, y + 0.5) / phases));
  }

  const std::vector<Ink>& at(double x, double y) const {
    const auto phase = [](double place) {
      return std::min(phases - 1, static_cast<int>((place - std::floor(place)) * phases));
    };
    return ink_[static_cast<std::size_t>(phase(y) * phases + phase(x))];
  }

 private:
  static constexpr int phases = 4;

  static std::vector<Ink> inkOf(const QCPScatterStyle& style, const QPen& pen, double ratio, QPointF middle) {
    const int reach = static_cast<int>(std::ceil(style.size() * ratio)) + 2;
    QImage image(2 * reach + 1, 2 * reach + 1, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(ratio);
    image.fill(Qt::transparent);
    QCPPainter painter(&image);
    style.applyTo(&painter, pen);
    style.drawShape(&painter, (QPointF(reach, reach) + middle) / ratio);
    painter.end();
    std::vector<Ink> ink;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        if (const QRgb colour = image.pixel(x, y); qAlpha(colour) > 0)
          ink.push_back({QPoint(x - reach, y - reach), qPremultiply(colour)});
    return ink;
  }

  std::vector<std::vector<Ink>> ink_;
};

}  // namespace

QRect CrowdGraph::clipRect() const {
  const int beyond = whole_at_edges_ ? static_cast<int>(scatterStyle().size() / 2) + 3 : 0;
  return QCPGraph::clipRect().adjusted(-beyond, -beyond, beyond, beyond);
}

void CrowdGraph::draw(QCPPainter* painter) {
  const bool plain = crowded_ && !painter->modes().testFlag(QCPPainter::pmVectorized) &&
                     painter->transform().type() <= QTransform::TxTranslate;
  if (!plain) return QCPGraph::draw(painter);
  const QRect area = clipRect().adjusted(0, -1, 0, 0);  // a layer is clipped one pixel higher
  if (area.isEmpty() || data()->isEmpty()) return;
  applyScattersAntialiasingHint(painter);  // which may shift the painter by half a pixel
  const double ratio = painter->device()->devicePixelRatioF();
  QImage image((QSizeF(area.size()) * ratio).toSize(), QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(ratio);
  image.fill(Qt::transparent);
  stamp(image, area.topLeft());
  painter->drawImage(area.topLeft(), image);
}

void CrowdGraph::stamp(QImage& image, const QPoint& corner) const {
  const double ratio = image.devicePixelRatio();
  const Stamps stamps(scatterStyle(), pen(), ratio);
  const QRect inside = image.rect();
  const auto row_length = image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
  auto* pixels = reinterpret_cast<QRgb*>(image.bits());
  QCPGraphDataContainer::const_iterator point, end;
  getVisibleDataBounds(point, end, QCPDataRange(0, dataCount()));
  for (; point != end; ++point) {
    const QPointF at = (coordsToPixels(point->key, point->value) - corner) * ratio;
    if (!QRectF(inside).adjusted(-16, -16, 16, 16).contains(at)) continue;  // and what is no number
    const QPoint middle(static_cast<int>(std::floor(at.x())), static_cast<int>(std::floor(at.y())));
    for (const Ink& each : stamps.at(at.x(), at.y())) {
      const QPoint pixel = middle + each.at;
      if (inside.contains(pixel)) pixels[pixel.y() * row_length + pixel.x()] = each.colour;
    }
  }
}

}  // namespace sluice::ui

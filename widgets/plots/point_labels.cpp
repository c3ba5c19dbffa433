#include "widgets/plots/point_labels.h"

#include <algorithm>
#include <array>

namespace sluice::ui {
namespace {

bool touches(const QLineF& line, const QRectF& box) {
  if (box.contains(line.p1()) || box.contains(line.p2())) return true;
  const std::array<QLineF, 2> diagonals = {QLineF(box.topLeft(), box.bottomRight()),
                                           QLineF(box.topRight(), box.bottomLeft())};
  return std::any_of(diagonals.begin(), diagonals.end(), [&](const QLineF& diagonal) {
    return line.intersects(diagonal, nullptr) == QLineF::BoundedIntersection;
  });
}

/// Eight places around the point, the most usual first.
std::array<QRectF, 8> placesAround(QPointF point, QSizeF size, double gap) {
  const double w = size.width(), h = size.height(), near = gap * 0.6;
  const std::array<QPointF, 8> corners = {QPointF(near, -h - near), QPointF(-w / 2, -h - gap),
                                          QPointF(gap, -h / 2),     QPointF(near, near),
                                          QPointF(-w / 2, gap),     QPointF(-w - near, -h - near),
                                          QPointF(-w - near, near), QPointF(-w - gap, -h / 2)};
  std::array<QRectF, 8> places;
  for (std::size_t i = 0; i < corners.size(); ++i) places[i] = QRectF(point + corners[i], size);
  return places;
}

}  // namespace

std::vector<QRectF> placeLabels(std::span<const QPointF> points, std::span<const QSizeF> sizes,
                                std::span<const QPointF> markers, double radius,
                                std::span<const QLineF> lines, const QRectF& bounds) {
  std::vector<QRectF> chosen(points.size());
  const auto is_free = [&](const QRectF& box) {
    const auto overlaps = [&](const QRectF& other) { return other.intersects(box); };
    const auto covers = [&](const QPointF& marker) {
      return box.adjusted(-radius, -radius, radius, radius).contains(marker);
    };
    return bounds.contains(box) && std::none_of(chosen.begin(), chosen.end(), overlaps) &&
           std::none_of(markers.begin(), markers.end(), covers) &&
           std::none_of(lines.begin(), lines.end(), [&](const QLineF& line) { return touches(line, box); });
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (sizes[i].isEmpty()) continue;
    const std::array<QRectF, 8> places = placesAround(points[i], sizes[i], radius * 1.7);
    const auto place = std::find_if(places.begin(), places.end(), is_free);
    if (place != places.end()) chosen[i] = *place;
  }
  return chosen;
}

PointLabels::PointLabels(QCustomPlot* plot, QCPAxis* x, QCPAxis* y) : QCPAbstractItem(plot), x_(x), y_(y) {
  setSelectable(false);
}

void PointLabels::setLabels(std::vector<PointLabel> labels, std::vector<QPointF> markers,
                            std::vector<QLineF> lines) {
  labels_ = std::move(labels);
  markers_ = std::move(markers);
  lines_ = std::move(lines);
}

void PointLabels::setLook(const QFont& font, double marker_radius) {
  font_ = font;
  radius_ = marker_radius;
}

void PointLabels::draw(QCPPainter* painter) {
  painter->setFont(font_);
  const QFontMetricsF metrics(font_);
  std::vector<QPointF> points, markers;
  std::vector<QSizeF> sizes;
  std::vector<QLineF> lines;
  for (const PointLabel& label : labels_) {
    points.push_back(pixel(label.at));
    sizes.emplace_back(metrics.horizontalAdvance(label.text), metrics.ascent());
  }
  for (const QPointF& marker : markers_) markers.push_back(pixel(marker));
  for (const QLineF& line : lines_) lines.emplace_back(pixel(line.p1()), pixel(line.p2()));
  drawn_.clear();
  const std::vector<QRectF> places =
      placeLabels(points, sizes, markers, radius_, lines, x_->axisRect()->rect());
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    if (places[i].isNull()) continue;
    painter->setPen(labels_[i].colour);
    painter->drawText(QPointF(places[i].left(), places[i].bottom()), labels_[i].text);
    drawn_.push_back(places[i]);
  }
}

}  // namespace sluice::ui

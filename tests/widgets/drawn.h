#pragma once
// What is drawn in a picture of a widget, in pixels.

#include <QColor>
#include <QHash>
#include <QImage>
#include <algorithm>

namespace sluice::test {

/// Pixels of the area that are not the area's most frequent colour.
inline int ink(const QImage& image, const QRect& area) {
  QHash<QRgb, int> counts;
  const QRect inside = area & image.rect();
  for (int y = inside.top(); y <= inside.bottom(); ++y) {
    for (int x = inside.left(); x <= inside.right(); ++x) ++counts[image.pixel(x, y)];
  }
  int most = 0;
  for (const int count : counts) most = std::max(most, count);
  return inside.width() * inside.height() - most;
}

/// Pixels from top to bottom of the tallest line of text.
inline int tallest(const QImage& image, const QRect& area) {
  int most = 0, rows = 0;
  for (int y = area.top(); y <= area.bottom(); ++y) {
    rows = ink(image, QRect(area.left(), y, area.width(), 1)) > 0 ? rows + 1 : 0;
    most = std::max(most, rows);
  }
  return most;
}

inline int countOf(const QImage& image, const QColor& color) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) count += image.pixel(x, y) == color.rgb() ? 1 : 0;
  }
  return count;
}

}  // namespace sluice::test

#include "widgets/parallel/line_image.h"

#include <QtConcurrent>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace sluice::ui {
namespace {

constexpr std::size_t crowd = 4000;  // points; above it places are gathered
constexpr int crowd_bins = 64;
constexpr int exact_bins = 512;

/// How much of a colour lies on each pixel, column by column: lines are drawn from left to right.
class Density {
 public:
  Density(int width, int height)
      : width_(width),
        height_(height),
        values_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

  /// Lines from x0 to x1, column by column, so that the column at work stays in the cache. Those of other
  /// axes are in other columns.
  void lines(double x0, double x1, std::span<const Segment> segments) {
    std::vector<Line> made;
    made.reserve(segments.size());
    for (const Segment& each : segments)
      made.push_back({static_cast<float>(each.from), static_cast<float>((each.to - each.from) / (x1 - x0)),
                      static_cast<float>(each.count)});
    const auto steep =
        std::partition(made.begin(), made.end(), [](const Line& line) { return std::abs(line.slope) <= 1; });
    const std::span<const Line> level(made.begin(), steep), others(steep, made.end());
    const int first = std::max(0, static_cast<int>(std::floor(x0)));
    const int last = std::min(width_, static_cast<int>(std::floor(x1))) - 1;
    for (int x = first; x <= last; ++x) {
      const auto along = static_cast<float>(x + 0.5 - x0);
      for (const Line& line : level) point(x, line.y + line.slope * along, line.weight);
      for (const Line& line : others) {
        const float middle = line.y + line.slope * along;
        column(x, middle - line.slope / 2, middle + line.slope / 2, line.weight);
      }
    }
  }

  float at(int x, int y) const { return values_[index(x, y)]; }

 private:
  struct Line {
    float y, slope, weight;  ///< at its left end; pixels a column
  };

  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(height_) + static_cast<std::size_t>(y);
  }

  /// One pixel's width of a nearly level line: shared by the two pixels that it lies between.
  void point(int x, float y, float weight) {
    const float at = std::clamp(y - 0.5F, 0.0F, static_cast<float>(height_ - 2));
    const auto upper = static_cast<int>(at);
    const float share = weight * (at - static_cast<float>(upper));
    float* const pixel = &values_[index(x, upper)];
    pixel[0] += weight - share;
    pixel[1] += share;
  }

  /// One pixel's width of ink between two heights that are apart.
  void column(int x, float from, float to, float weight) {
    const float low = std::min(from, to) - 0.5F, high = std::max(from, to) + 0.5F;
    const int first = std::max(0, static_cast<int>(std::floor(low)));
    const int last = std::min(height_ - 1, static_cast<int>(std::floor(high)));
    if (first > last) return;
    float* pixel = &values_[index(x, first)];
    const float share = weight / (high - low) * 1.4F;
    for (int y = first; y <= last; ++y) *pixel++ += share;
  }

  int width_, height_;
  std::vector<float> values_;
};

/// Puts `colour` over the image where there is any of it.
void blendOver(QImage& image, const Density& density, const QColor& colour, std::size_t points) {
  constexpr int steps = 256;
  constexpr float most = 24;  // lines on a pixel that make the colour full
  constexpr int strip = 16;   // columns at a time: densities lie column by column, pixels row by row
  std::vector<std::uint32_t> alphas(steps);
  for (int step = 0; step < steps; ++step) {
    const double lines = static_cast<double>(most) * step / (steps - 1);
    alphas[static_cast<std::size_t>(step)] =
        static_cast<std::uint32_t>(std::lround(255 * std::min(1.0, 0.32 * lines / (1 + 0.28 * lines))));
  }
  const auto red = static_cast<std::uint32_t>(colour.red()),
             green = static_cast<std::uint32_t>(colour.green()),
             blue = static_cast<std::uint32_t>(colour.blue());
  const auto mix = [](std::uint32_t a, std::uint32_t over, int below) {
    return static_cast<int>((over * a + static_cast<std::uint32_t>(below) * (255 - a)) / 255);
  };
  const float weight = std::max(1.0F, 12 / std::sqrt(static_cast<float>(points)));  // few are seen, too
  const int width = image.width(), height = image.height();
  for (int from = 0; from < width; from += strip)
    for (int y = 0; y < height; ++y) {
      auto* row = reinterpret_cast<QRgb*>(image.scanLine(y));
      for (int x = from; x < std::min(from + strip, width); ++x) {
        const float lines = weight * density.at(x, y);
        if (lines <= 0.01F) continue;
        const auto step = static_cast<std::size_t>(std::min(1.0F, lines / most) * (steps - 1));
        const std::uint32_t a = alphas[std::max<std::size_t>(step, 1)];
        // Premultiplied, as the image is.
        row[x] = qRgba(mix(a, red, qRed(row[x])), mix(a, green, qGreen(row[x])), mix(a, blue, qBlue(row[x])),
                       mix(a, 255, qAlpha(row[x])));
      }
    }
}

}  // namespace

std::vector<Segment> segmentsOf(const LineFrame& frame, std::span<const std::vector<float>> places,
                                std::size_t axis, const LineGroup& group, int bins) {
  const int rows = bins + 1;  // the last one: no value
  const auto row = [bins](float place) {
    return std::isnan(place) ? bins
                             : std::clamp(static_cast<int>(place * static_cast<float>(bins)), 0, bins - 1);
  };
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows));
  for (const std::uint32_t point : group.points) {
    const auto cell = row(places[axis][point]) * rows + row(places[axis + 1][point]);
    ++counts[static_cast<std::size_t>(cell)];
  }
  // A bin's ends reach the axis's ends.
  const auto height = [&](int bin) {
    return bin == bins ? frame.missing : frame.bottom + (frame.top - frame.bottom) * bin / (bins - 1);
  };
  std::vector<Segment> segments;
  for (int from = 0; from < rows; ++from)
    for (int to = 0; to < rows; ++to) {
      const std::uint32_t count = counts[static_cast<std::size_t>(from * rows + to)];
      if (count > 0) segments.push_back({height(from), height(to), count});
    }
  return segments;
}

QImage lineImage(QSize size, const LineFrame& frame, std::span<const std::vector<float>> places,
                 std::span<const LineGroup> groups) {
  QImage image(size, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  if (image.isNull() || size.height() < 2) return image;
  for (const LineGroup& group : groups) {
    if (group.points.empty()) continue;
    Density density(size.width(), size.height());
    const int bins = group.points.size() > crowd ? crowd_bins : exact_bins;
    std::vector<std::size_t> axes(frame.x.empty() ? 0 : frame.x.size() - 1);
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    QtConcurrent::blockingMap(axes, [&](std::size_t axis) {
      density.lines(frame.x[axis], frame.x[axis + 1], segmentsOf(frame, places, axis, group, bins));
    });
    blendOver(image, density, group.colour, group.points.size());
  }
  return image;
}

}  // namespace sluice::ui

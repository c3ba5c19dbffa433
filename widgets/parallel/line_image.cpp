#include "widgets/parallel/line_image.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sluice::ui {
namespace {

constexpr std::size_t crowd = 4000;  // points; above it places are gathered
constexpr int crowdBins = 100;
constexpr int exactBins = 512;

/// How much of a colour lies on each pixel, column by column: lines are drawn from left to right.
class Density {
 public:
  Density(int width, int height)
      : width_(width),
        height_(height),
        values_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

  void line(double x0, double y0, double x1, double y1, float weight) {
    const int first = std::max(0, static_cast<int>(std::floor(x0)));
    const int last = std::min(width_ - 1, static_cast<int>(std::ceil(x1)) - 1);
    const double slope = (y1 - y0) / (x1 - x0);
    double y = y0 + slope * (first - x0);
    for (int x = first; x <= last; ++x, y += slope) column(x, y, y + slope, weight);
  }

  float at(int x, int y) const { return values_[index(x, y)]; }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(height_) + static_cast<std::size_t>(y);
  }

  /// One pixel's width of ink between two heights.
  void column(int x, double from, double to, float weight) {
    const double low = std::min(from, to) - 0.5, high = std::max(from, to) + 0.5;
    const int first = std::max(0, static_cast<int>(std::floor(low)));
    const int last = std::min(height_ - 1, static_cast<int>(std::floor(high)));
    if (first > last) return;
    float* pixel = &values_[index(x, first)];
    if (last <= first + 1) {  // nearly level: most lines, most of the time
      const auto upper = static_cast<float>(std::min<double>(first + 1, high) - std::max<double>(first, low));
      pixel[0] += weight * upper;
      if (last > first) pixel[1] += weight * static_cast<float>(high - (first + 1));
      return;
    }
    const auto share = weight / static_cast<float>(high - low) * 1.4F;
    for (int y = first; y <= last; ++y) *pixel++ += share;
  }

  int width_, height_;
  std::vector<float> values_;
};

/// Puts `colour` over the image where there is any of it.
void blendOver(QImage& image, const Density& density, const QColor& colour) {
  constexpr int steps = 256;
  constexpr float most = 24;  // lines on a pixel that make the colour full
  std::vector<std::uint32_t> alphas(steps);
  for (int step = 0; step < steps; ++step) {
    const double lines = static_cast<double>(most) * step / (steps - 1);
    alphas[static_cast<std::size_t>(step)] =
        static_cast<std::uint32_t>(std::lround(255 * std::min(1.0, 0.32 * lines / (1 + 0.28 * lines))));
  }
  const auto red = static_cast<std::uint32_t>(colour.red()),
             green = static_cast<std::uint32_t>(colour.green()),
             blue = static_cast<std::uint32_t>(colour.blue());
  for (int y = 0; y < image.height(); ++y) {
    auto* row = reinterpret_cast<QRgb*>(image.scanLine(y));
    for (int x = 0; x < image.width(); ++x) {
      const float lines = density.at(x, y);
      if (lines <= 0.01F) continue;
      const auto step = static_cast<std::size_t>(std::min(1.0F, lines / most) * (steps - 1));
      const std::uint32_t a = alphas[std::max<std::size_t>(step, 1)], under = 255 - a;
      const auto mix = [a, under](std::uint32_t over, int below) {
        return static_cast<int>((over * a + static_cast<std::uint32_t>(below) * under) / 255);
      };
      // Premultiplied, as the image is.
      row[x] = qRgba(mix(red, qRed(row[x])), mix(green, qGreen(row[x])), mix(blue, qBlue(row[x])),
                     static_cast<int>(a + static_cast<std::uint32_t>(qAlpha(row[x])) * under / 255));
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
  if (image.isNull()) return image;
  for (const LineGroup& group : groups) {
    if (group.points.empty()) continue;
    Density density(size.width(), size.height());
    const int bins = group.points.size() > crowd ? crowdBins : exactBins;
    for (std::size_t axis = 0; axis + 1 < frame.x.size(); ++axis)
      for (const Segment& each : segmentsOf(frame, places, axis, group, bins))
        density.line(frame.x[axis], each.from, frame.x[axis + 1], each.to, static_cast<float>(each.count));
    blendOver(image, density, group.colour);
  }
  return image;
}

}  // namespace sluice::ui

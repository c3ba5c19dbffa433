#pragma once
// LineImage: a hundred thousand polylines between parallel axes as one picture, fast enough to be made again
// while a brush is dragged. Equal segments are drawn once with their number; how many lie on a pixel decides
// how strong it is, and a single one can always be seen.

#include <QColor>
#include <QImage>
#include <span>
#include <vector>

namespace sluice::ui {

/// Polylines of one look: which rows of `places`.
struct LineGroup {
  QColor colour;
  std::vector<std::uint32_t> points;
};

/// Where the axes stand.
struct LineFrame {
  std::vector<double> x;       ///< of the axes, in pixels
  double top = 0, bottom = 0;  ///< places 1 and 0
  double missing = 0;          ///< where a point without a value goes
};

/// A segment of several points between two neighbouring axes.
struct Segment {
  double from, to;  ///< y
  std::uint32_t count;
};

/// `places[axis][point]`: 0..1, NaN for no value. The groups in the order in which they are painted.
QImage lineImage(QSize size, const LineFrame& frame, std::span<const std::vector<float>> places,
                 std::span<const LineGroup> groups);

/// The segments of a group behind axis `axis`, values falling into `bins` steps of the axis.
std::vector<Segment> segmentsOf(const LineFrame& frame, std::span<const std::vector<float>> places,
                                std::size_t axis, const LineGroup& group, int bins);

}  // namespace sluice::ui

#pragma once
// WrappedPicture: a graph whose boxes were placed by hand, and that is too wide for a column, cut between its
// boxes into rows that stand below each other. A stream that goes on in another row ends in a number there,
// and begins with it here. (What the layout has placed is laid out for the column instead: GraphCanvas.)

#include <vector>

#include "widgets/canvas/picture.h"

namespace sluice::ui {

/// Where a stream crosses a cut.
struct CutMark {
  QPointF at;
  int number;
};

struct PictureRow {
  Picture picture;  ///< what of the graph is in this row
  QRectF area;      ///< of the scene
  std::vector<CutMark> marks;
};

struct WrappedPicture {
  std::vector<PictureRow> rows;
  double scale = 1;
  double height = 0;  ///< on paper
};

constexpr std::size_t most_boxes_in_rows = 400;  ///< a larger graph would be as hard to read in rows
constexpr double highest_page = 620;             ///< points
/// How high a graph of that width may be so that its text is larger, in points.
double pageHeight(double width);

/// As few rows as let the text grow by `least_scale`, as far as they fit on a page of that width; one where
/// that is enough, or nothing helps.
WrappedPicture wrapped(const Picture& picture, double width, double least_scale);
void paintWrapped(QPainter& painter, const WrappedPicture& wrapped);

}  // namespace sluice::ui

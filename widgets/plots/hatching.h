#pragma once
// Hatching: what does not count - infeasible and deadlocked points, and where they stand - is hatched, with
// strokes of its own, so that it stays so in vector files and without colour.

#include "widgets/plots/plot.h"

namespace sluice::ui {

/// Glyphs for QCPScatterStyle.
QPainterPath hatchedSquare();
QPainterPath hatchedDiamond();
/// Diagonal strokes through a rectangle.
QPainterPath hatchStrokes(const QRectF& area, double distance);

/// A hatched band along the upper or the right edge of the axis rect.
class HatchBand : public QCPAbstractItem {
 public:
  HatchBand(QCustomPlot* plot, double thickness);
  void setEdges(bool top, bool right);
  void setLook(const QPen& pen, double distance);
  double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

 protected:
  void draw(QCPPainter* painter) override;

 private:
  double thickness_;  ///< of the axis rect, 0..1
  bool top_ = false, right_ = false;
  QPen pen_;
  double distance_ = 8;
};

}  // namespace sluice::ui

#pragma once
// PointLabels: short texts beside points, each where it hides nothing - no other text, no marker, no line. A
// label for which there is no such place is left out: a pile of texts says nothing at all.

#include <QLineF>
#include <QString>
#include <span>
#include <vector>

#include "widgets/plots/plot.h"

namespace sluice::ui {

struct PointLabel {
  QPointF at;  ///< in the coordinates of the axes
  QString text;
  QColor colour;
};

/// Where texts of these sizes go beside these points so that none touches another, a marker (`radius` around
/// each of `markers`) or a line, all inside `bounds`; a null rectangle where there is no room. Earlier ones
/// choose first.
std::vector<QRectF> placeLabels(std::span<const QPointF> points, std::span<const QSizeF> sizes,
                                std::span<const QPointF> markers, double radius,
                                std::span<const QLineF> lines, const QRectF& bounds);

class PointLabels : public QCPAbstractItem {
 public:
  PointLabels(QCustomPlot* plot, QCPAxis* x, QCPAxis* y);

  /// `markers` and `lines` in the coordinates of the axes.
  void setLabels(std::vector<PointLabel> labels, std::vector<QPointF> markers, std::vector<QLineF> lines);
  void setLook(const QFont& font, double marker_radius);
  /// As drawn last.
  const std::vector<QRectF>& drawn() const { return drawn_; }

  double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

 protected:
  void draw(QCPPainter* painter) override;

 private:
  QPointF pixel(QPointF at) const { return {x_->coordToPixel(at.x()), y_->coordToPixel(at.y())}; }

  QCPAxis *x_, *y_;
  std::vector<PointLabel> labels_;
  std::vector<QPointF> markers_;
  std::vector<QLineF> lines_;
  QFont font_;
  double radius_ = 3;
  std::vector<QRectF> drawn_;
};

}  // namespace sluice::ui

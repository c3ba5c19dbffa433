#pragma once
// CrowdGraph: a graph without lines that can have very many points. A crowd is stamped into an image, pixel
// by pixel: its marks are of one colour, small and not smoothed, so no order of painting can be seen.

#include "widgets/plots/plot.h"

namespace sluice::ui {

class CrowdGraph : public QCPGraph {
  Q_OBJECT

 public:
  using QCPGraph::QCPGraph;
  /// Points are too many to be painted one by one. On paper they are, as vectors.
  void setCrowded(bool crowded) { crowded_ = crowded; }
  /// A mark at the edge of a low plot is not cut by it.
  void setWholeAtEdges(bool whole) { whole_at_edges_ = whole; }

 protected:
  QRect clipRect() const override;
  void draw(QCPPainter* painter) override;

 private:
  void stamp(QImage& image, const QPoint& corner) const;

  bool crowded_ = false, whole_at_edges_ = false;
};

}  // namespace sluice::ui

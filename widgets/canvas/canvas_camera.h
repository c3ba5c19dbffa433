#pragma once
// CanvasCamera: what part of the canvas is in view. It zooms, scrolls and fits; the view itself places
// nothing.

#include <QMargins>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <optional>
#include <utility>

#include "widgets/canvas/row_layout.h"

class QWidget;

namespace sluice::ui {

class GraphCanvas;

class CanvasCamera {
 public:
  explicit CanvasCamera(GraphCanvas& canvas) : canvas_(canvas) {}

  QPointF toScene(const QPointF& viewport_point) const;
  void zoomAbout(double factor, const QPointF& viewport_point);
  /// `kept`: pixels that stay free at the edges.
  void fit(const QRectF& rect, const QMargins& kept = {});
  void fitAll();
  void refit();                            ///< all, where it fits()
  bool fits() const { return keep_fit_; }  ///< nothing was zoomed or moved since the last time
  void reveal(const QRectF& rect);         ///< scrolls by no more than it takes to see it
  void pan(const QPoint& by);              ///< pixels
  void stay();
  /// What a fitted program has, in pixels.
  LayoutRoom room() const;

  void updateScrollRange();
  void resized();
  void shown();  ///< for the first time: before, the viewport had no real size

  /// A node stays where it is on the screen until the layout has settled.
  void hold(const QString& node);
  /// The same, and then all of it comes into view, as far as there is room.
  void holdAndShow(const QString& node);
  /// The view stays where it is until then, whatever moves in it.
  void holdStill();
  /// A widget that stands over the view.
  bool coversABox(const QWidget& corner) const;
  bool holds() const { return anchor_.has_value(); }
  void release() {
    anchor_.reset();
    show_anchor_ = false;
  }
  /// The boxes are about to be others: what was well in view before is not lost out of it.
  void remember();
  /// There are other boxes. Those of a new program are fitted into the view.
  void follow(bool new_program);
  void settle();  ///< the final layout is there

 private:
  double shareSeen() const;  ///< of what could be seen of the content, in 0..1
  void fillRoom();           ///< everything, in as many rows as are best now
  void scrollSo(const QPointF& scene_point, const QPointF& viewport_point);
  QPointF middle() const;  ///< of the viewport
  QRectF fitRoom(const QMargins& kept) const;
  double fitZoom(const QRectF& rect, const QMargins& kept) const;
  /// At the top and at the bottom, so that what stands in the corners of the view covers no box.
  QMargins keptForCorners() const;

  GraphCanvas& canvas_;
  std::optional<std::pair<QString, QPointF>> anchor_;
  bool show_anchor_ = false;           ///< when the layout has settled
  std::optional<double> seen_before_;  ///< shareSeen(), while a layout is on its way
  bool fit_when_shown_ = true;
  /// Not zoomed, panned or dragged since the first fit: layouts and resizes fit again.
  bool keep_fit_ = false;
};

}  // namespace sluice::ui

#pragma once
// CanvasLayer: something drawn over the graph, on the screen and in exports - a deadlock's circles, say. It
// knows nodes by path and streams by origin and finds their places in the picture.

#include <QRectF>

class QPainter;

namespace sluice::ui {

struct Picture;

class CanvasLayer {
 public:
  virtual ~CanvasLayer() = default;
  /// In the scene's units.
  virtual void paint(QPainter& painter, const Picture& picture) const = 0;
  /// What is painted, so that exports have room for it.
  virtual QRectF bounds(const Picture& picture) const = 0;
};

}  // namespace sluice::ui

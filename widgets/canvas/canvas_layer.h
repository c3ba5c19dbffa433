#pragma once
// CanvasLayer: something drawn below or over the graph - the wait cycles of a deadlock, the state of every
// operator at one moment of a run. It knows nodes by path and streams by origin and finds their places in the
// picture. The canvas paints its layers in the order in which they were added.

#include <QPainter>
#include <QRectF>
#include <vector>

#include "widgets/canvas/note.h"
#include "widgets/canvas/plate.h"

namespace sluice::ui {

struct Picture;

class CanvasLayer {
 public:
  enum class Level { Below, Over };

  virtual ~CanvasLayer() = default;
  virtual Level level() const { return Level::Over; }
  /// Also on paper, and when everything is fitted into the view.
  virtual bool exported() const { return true; }
  virtual bool empty() const = 0;
  /// It is shown while the badges tell of that; Any: always.
  virtual Topic topic() const { return Topic::Any; }
  /// In the scene's units.
  virtual void paint(QPainter& painter, const Picture& picture) const = 0;
  /// Its texts: they are placed with the labels and painted over all layers.
  virtual std::vector<Plate> plates(const Picture&) const { return {}; }
  /// What is painted beyond the graph, so that exports have room for it.
  virtual QRectF bounds(const Picture&) const { return {}; }

 protected:
  static double zoomOf(const QPainter& painter) { return painter.worldTransform().m11(); }
};

}  // namespace sluice::ui

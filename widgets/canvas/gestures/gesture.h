#pragma once
// Gesture: one thing that the mouse does on the canvas, from the press to the release. While there is none
// the mouse hovers (hover.h). A gesture changes nothing but the picture until it is released, and Esc takes
// that back, too. Positions are those of the viewport.

#include <QGraphicsView>
#include <memory>

#include "widgets/canvas/canvas_link.h"

class QPainter;

namespace sluice::ui {

class GraphCanvas;

class Gesture {
 public:
  explicit Gesture(GraphCanvas& canvas) : canvas_(canvas) {}
  virtual ~Gesture() = default;
  Gesture(const Gesture&) = delete;
  Gesture& operator=(const Gesture&) = delete;

  virtual void move(const QPoint& position) = 0;
  virtual void release(const QPoint& position) = 0;
  virtual void cancel() {}  ///< Esc, or another program is shown
  /// Over the graph, in the scene's units, with a thin pen in the colour of the selection.
  virtual void paint(QPainter&) const {}

 protected:
  static constexpr int slack = 4;  ///< pixels that a click may move
  GraphCanvas& canvas_;
};

using GesturePointer = std::unique_ptr<Gesture>;

GesturePointer panGesture(GraphCanvas& canvas, const QPoint& start);
/// Moves a box, and with it what is selected beside it; a click without a movement selects the box alone,
/// unless it `toggles`.
GesturePointer dragGesture(GraphCanvas& canvas, const QPoint& start, std::size_t box, bool toggles);
/// Draws a stream from a port to another.
GesturePointer linkGesture(GraphCanvas& canvas, const QPoint& start, const PortHit& port);
/// Selects what lies in a rectangle; `adds`: to what is selected.
GesturePointer bandGesture(GraphCanvas& canvas, const QPoint& start, bool adds);
/// An operator is dragged in from the palette.
GesturePointer dropGesture(GraphCanvas& canvas, const QString& kind);

}  // namespace sluice::ui

// Panning: the canvas follows the mouse.

#include "widgets/canvas/gestures/gesture.h"
#include "widgets/canvas/graph_canvas.h"

namespace sluice::ui {
namespace {

class PanGesture : public Gesture {
 public:
  PanGesture(GraphCanvas& canvas, const QPoint& start) : Gesture(canvas), last_(start) {
    canvas.viewport()->setCursor(Qt::ClosedHandCursor);
  }

  void move(const QPoint& position) override {
    canvas_.camera().pan(position - last_);
    last_ = position;
  }
  void release(const QPoint&) override {}

 private:
  QPoint last_;
};

}  // namespace

GesturePointer panGesture(GraphCanvas& canvas, const QPoint& start) {
  return std::make_unique<PanGesture>(canvas, start);
}

}  // namespace sluice::ui

// Dropping an operator from the palette: the stream that it would be put into is drawn thick.

#include <QPainter>
#include <cmath>

#include "widgets/canvas/gestures/gesture.h"
#include "widgets/canvas/gestures/hover.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

class DropGesture : public Gesture {
 public:
  DropGesture(GraphCanvas& canvas, const QString& kind) : Gesture(canvas), kind_(kind) {}

  void move(const QPoint& position) override {
    const std::size_t link = hitUnder(canvas_, position, port_reach).link;
    if (std::exchange(link_, link) != link) canvas_.viewport()->update();
  }

  void release(const QPoint& position) override {
    move(position);
    canvas_.viewport()->update();
    const std::size_t link = link_;
    const QString stream =
        link == nowhere ? QString() : qt(canvas_.graphScene()->picture().model.links[link].origin);
    // The mouse holds a box by its middle.
    const auto [graph, at] =
        canvas_.placeAt(canvas_.camera().toScene(position) - QPointF(SceneMeasures::minimum_width / 2, 23));
    canvas_.camera().holdStill();  // it stays where the mouse is
    emit canvas_.operatorDropped(kind_, graph, {std::round(at.x()), std::round(at.y())}, stream);
  }

  void paint(QPainter& painter) const override {
    if (link_ == nowhere) return;
    painter.setPen(QPen(canvas_.theme().selection, 4));
    painter.drawPath(canvas_.graphScene()->picture().links[link_].path);
  }

 private:
  const QString kind_;
  std::size_t link_ = nowhere;
};

}  // namespace

GesturePointer dropGesture(GraphCanvas& canvas, const QString& kind) {
  return std::make_unique<DropGesture>(canvas, kind);
}

}  // namespace sluice::ui

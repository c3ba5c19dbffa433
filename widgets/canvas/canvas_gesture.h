#pragma once
// What the mouse is doing on the canvas; shared by the parts of GraphCanvas.

#include <QPoint>
#include <QPointF>

#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"

namespace sluice::ui {

struct GraphCanvas::Gesture {
  enum class Mode { None, Pan, Press, Drag };  ///< Press: the button is down on a box that is not moving yet
  Mode mode = Mode::None;
  Qt::MouseButton button = Qt::NoButton;
  QPoint start, last;         ///< in the viewport
  std::size_t box = nowhere;  ///< the one pressed or dragged
  QPointF box_start;          ///< its corner when pressed
  bool space = false;         ///< the space key is held: the left button pans
  GraphScene::Hit hovered;
};

}  // namespace sluice::ui

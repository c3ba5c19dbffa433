#pragma once
// What the mouse is doing on the canvas; shared by the parts of GraphCanvas.

#include <QPoint>
#include <QPointF>
#include <map>

#include "widgets/canvas/canvas_link.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"

namespace sluice::ui {

struct GraphCanvas::Gesture {
  /// Press: the button is down on a box that is not moving yet; Band: a rectangle is drawn around what is to
  /// be selected; Link: a stream is drawn from a port.
  enum class Mode { None, Pan, Press, Drag, Band, Link };
  Mode mode = Mode::None;
  Qt::MouseButton button = Qt::NoButton;
  QPoint start, last;                      ///< in the viewport
  std::size_t box = nowhere;               ///< the one pressed or dragged
  std::map<std::size_t, QPointF> dragged;  ///< the boxes that move, with their corners when pressed
  bool toggles = false;                    ///< the press adds to the selection, or takes away from it
  bool space = false;                      ///< the space key is held: the left button pans
  GraphScene::Hit hovered;
  std::optional<PortHit> hovered_port;
  std::vector<Guide> guides;  ///< of the drag

  PortHit link_start;               ///< Link
  std::optional<PortHit> link_end;  ///< the port under the mouse
  std::optional<LinkWish> link;     ///< what would be joined
  QString link_refusal;             ///< why it may not

  std::size_t drop_link = nowhere;  ///< the stream that something dragged in would be put into
};

}  // namespace sluice::ui

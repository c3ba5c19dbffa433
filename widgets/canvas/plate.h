#pragma once
// Plate: a text that a layer puts on the graph - the name of a wait cycle, who waits. It gets its place
// together with the labels of the streams, so that none lies on another.

#include <QColor>
#include <QRectF>
#include <QString>

#include "widgets/canvas/scene_model.h"

namespace sluice::ui {

struct Plate {
  QString text;
  QColor ground, ink;
  std::size_t link = nowhere;  ///< the stream that it stands at, or
  std::size_t group = 0;       ///< the group in which it stands
  QRectF beside;               ///< above or below this
  bool strong = false;         ///< bold
  bool needed = false;         ///< further away rather than not at all
  QRectF area = {};            ///< where it stands; empty: there is no room
};

}  // namespace sluice::ui

#pragma once
// Hover: what the canvas does while no button is down - what is under the mouse is lit, the cursor tells what
// a press would do.

#include <optional>

#include "widgets/canvas/canvas_link.h"
#include "widgets/canvas/graph_scene.h"

namespace sluice::ui {

class GraphCanvas;

constexpr double hit_reach = 5, port_reach = 8;  // pixels around the mouse that count
GraphScene::Hit hitUnder(const GraphCanvas& canvas, const QPoint& position, double reach = hit_reach);
/// None from far away, where a click means the box.
std::optional<PortHit> portUnder(const GraphCanvas& canvas, const QPoint& position);

class Hover {
 public:
  explicit Hover(GraphCanvas& canvas) : canvas_(canvas) {}

  /// `pans`: a press would pan, as the cursor tells already.
  void move(const QPoint& position, bool pans);
  void forget();  ///< what was lit is about to go
  void paint(QPainter& painter) const;

 private:
  void light(const GraphScene::Hit& hit, bool on);

  GraphCanvas& canvas_;
  GraphScene::Hit hit_;
  std::optional<PortHit> port_;
};

}  // namespace sluice::ui

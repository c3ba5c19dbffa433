#include "widgets/canvas/gestures/hover.h"

#include <QPainter>

#include "widgets/canvas/graph_canvas.h"

namespace sluice::ui {

GraphScene::Hit hitUnder(const GraphCanvas& canvas, const QPoint& position, double reach) {
  return canvas.graphScene()->hitAt(canvas.camera().toScene(position), reach / canvas.zoom());
}

std::optional<PortHit> portUnder(const GraphCanvas& canvas, const QPoint& position) {
  if (detailFor(canvas.zoom()) < Detail::Names) return std::nullopt;
  const Picture& picture = canvas.graphScene()->picture();
  const auto port = portAt(picture.model, picture.arrangement, toLayout(canvas.camera().toScene(position)),
                           port_reach / canvas.zoom());
  return port && picture.model.boxes[port->box].folded > 0 ? std::nullopt : port;
}

void Hover::move(const QPoint& position, bool pans) {
  const std::optional<PortHit> port = canvas_.linkRule() ? portUnder(canvas_, position) : std::nullopt;
  if (std::exchange(port_, port) != port) canvas_.viewport()->update();
  const GraphScene::Hit hit = hitUnder(canvas_, position);
  if (!pans)
    canvas_.viewport()->setCursor(port_                               ? Qt::CrossCursor
                                  : hit.button || hit.link != nowhere ? Qt::PointingHandCursor
                                                                      : Qt::ArrowCursor);
  if (hit.box == hit_.box && hit.link == hit_.link) return;
  light(std::exchange(hit_, hit), false);
  light(hit, true);
}

void Hover::light(const GraphScene::Hit& hit, bool on) {
  GraphScene& scene = *canvas_.graphScene();
  if (hit.box != nowhere) {
    scene.picture().boxes[hit.box].hovered = on;
    scene.refreshBox(hit.box);
  }
  if (hit.link != nowhere) {
    scene.picture().links[hit.link].hovered = on;
    scene.refreshLink(hit.link);
  }
}

void Hover::forget() {
  hit_ = {};
  port_.reset();
}

void Hover::paint(QPainter& painter) const {
  if (!port_) return;
  const Picture& picture = canvas_.graphScene()->picture();
  painter.drawEllipse(toPoint(portPoint(picture.model, picture.arrangement, *port_)), 6, 6);
}

}  // namespace sluice::ui

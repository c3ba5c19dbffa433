// Dragging nodes: what is selected moves with the pressed box, as far as it stands in the same graph.

#include <QGuiApplication>
#include <QPainter>
#include <cmath>
#include <map>

#include "widgets/canvas/gestures/gesture.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/canvas/scene_presenter.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

constexpr double snap = 8;  // points

class DragGesture : public Gesture {
 public:
  DragGesture(GraphCanvas& canvas, const QPoint& start, std::size_t box, bool toggles)
      : Gesture(canvas), scene_(*canvas.graphScene()), start_(start), box_(box), toggles_(toggles) {}

  void move(const QPoint& position) override {
    if (corners_.empty() && (position - start_).manhattanLength() < slack) return;
    if (corners_.empty()) begin();
    const QPointF by = cornerAt(position) - corners_.at(box_);
    for (const auto& [box, from] : corners_) shift(box, from + by - scene_.picture().rect(box).topLeft());
    if (!scene_.picture().plates.empty()) scene_.placeLabels();
    canvas_.viewport()->update();
  }

  void release(const QPoint&) override {
    const Picture& picture = scene_.picture();
    if (corners_.empty()) {
      if (!toggles_) canvas_.selection().pick(qt(picture.model.boxes[box_].path), {});
      return;
    }
    QHash<QString, QPointF> places;
    for (const auto& [box, corner] : corners_) {
      const Position at = writtenPosition(picture.model, picture.arrangement, box, false);
      places[qt(picture.model.boxes[box].path)] = {at.x, at.y};
    }
    canvas_.presenter().place(places);
    if (places.size() == 1)
      emit canvas_.nodeMoved(places.begin().key(), places.begin().value());
    else
      emit canvas_.nodesMoved(places);
  }

  void cancel() override {
    if (!corners_.empty()) canvas_.presenter().rebuild();  // back to where they were
  }

  void paint(QPainter& painter) const override {
    for (const Guide& guide : guides_) {
      if (guide.vertical)
        painter.drawLine(QPointF(guide.at, guide.from), QPointF(guide.at, guide.to));
      else
        painter.drawLine(QPointF(guide.from, guide.at), QPointF(guide.to, guide.at));
    }
  }

 private:
  void begin() {
    const Picture& picture = scene_.picture();
    const std::vector<SceneBox>& boxes = picture.model.boxes;
    canvas_.camera().stay();
    canvas_.presenter().pause();
    corners_ = {{box_, picture.rect(box_).topLeft()}};
    if (!canvas_.selectedNodes().contains(qt(boxes[box_].path))) return;
    for (const QString& node : canvas_.selectedNodes()) {
      const std::size_t box = picture.model.findBox(node.toStdString());
      if (box != nowhere && boxes[box].group == boxes[box_].group)
        corners_[box] = picture.rect(box).topLeft();
    }
  }

  /// The corner goes to the grid of its graph, not by grid steps: so boxes come to stand level with each
  /// other. Close to a line through a neighbour it goes there. With Alt it goes where the mouse is.
  QPointF cornerAt(const QPoint& position) {
    const Picture& picture = scene_.picture();
    const QPointF wanted = corners_.at(box_) + QPointF(position - start_) / canvas_.zoom();
    guides_.clear();
    if (QGuiApplication::keyboardModifiers() & Qt::AltModifier) return wanted;
    const LayoutPoint origin = picture.arrangement.origins[picture.model.boxes[box_].group];
    QPointF corner(std::round((wanted.x() - origin.x) / snap) * snap + origin.x,
                   std::round((wanted.y() - origin.y) / snap) * snap + origin.y);
    if (corners_.size() > 1) return corner;
    Arrangement there = picture.arrangement;
    moveBox(picture.model, there, box_, wanted.x() - there.boxes[box_].x, wanted.y() - there.boxes[box_].y);
    const Snapped lines = snapToNeighbours(picture.model, there, box_, snap / 2);
    guides_ = lines.guides;
    for (const Guide& guide : guides_) {
      if (guide.vertical)
        corner.setX(wanted.x() + lines.by.x);
      else
        corner.setY(wanted.y() + lines.by.y);
    }
    return corner;
  }

  void shift(std::size_t box, const QPointF& by) {
    if (by.isNull()) return;
    Picture& picture = scene_.picture();
    for (const std::size_t link : moveBox(picture.model, picture.arrangement, box, by.x(), by.y())) {
      picture.trace(link);
      scene_.refreshLink(link);
    }
    const std::string inside = picture.model.boxes[box].path + ".";  // of a frame
    for (std::size_t i = 0; i < picture.boxes.size(); ++i)
      if (i == box || picture.model.boxes[i].path.starts_with(inside)) scene_.refreshBox(i);
  }

  GraphScene& scene_;
  const QPoint start_;
  const std::size_t box_;
  const bool toggles_;
  std::map<std::size_t, QPointF> corners_;  ///< of the boxes that move, when pressed; empty: none moves yet
  std::vector<Guide> guides_;
};

}  // namespace

GesturePointer dragGesture(GraphCanvas& canvas, const QPoint& start, std::size_t box, bool toggles) {
  return std::make_unique<DragGesture>(canvas, start, box, toggles);
}

}  // namespace sluice::ui

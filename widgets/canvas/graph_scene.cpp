#include "widgets/canvas/graph_scene.h"

#include <QGraphicsItem>
#include <algorithm>
#include <utility>

#include "widgets/canvas/curve.h"

namespace sluice::ui {

/// A window on one part of the picture: it knows its bounds and which routine paints it.
class GraphScene::Item : public QGraphicsItem {
 public:
  enum class Part { Box, Link, Label };

  Item(const Picture& picture, Part part, std::size_t id) : picture_(picture), part_(part), id_(id) {
    const std::size_t group =
        part == Part::Box ? picture.model.boxes[id].group : picture.model.links[id].group;
    const bool frame = part == Part::Box && picture.model.boxes[id].kind == SceneBox::Kind::Frame;
    const double level = frame ? 0 : part == Part::Link ? 1 : part == Part::Label ? 2 : 3;
    setZValue(picture.layer(group) + level);
    setAcceptedMouseButtons(Qt::NoButton);  // the view deals with the mouse
    bounds_ = measure();
    setVisible(!bounds_.isEmpty());
  }

  /// After a change of what is painted.
  void refresh() {
    const QRectF bounds = measure();
    if (bounds != bounds_) prepareGeometryChange();
    bounds_ = bounds;
    setVisible(!bounds_.isEmpty());
    update();
  }

  Part part() const { return part_; }
  std::size_t id() const { return id_; }
  QRectF boundingRect() const override { return bounds_; }

  void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override {
    painter->setRenderHint(
        QPainter::Antialiasing,
        picture_.detail >= Detail::Names || (picture_.detail == Detail::Plain && part_ == Part::Link));
    if (part_ == Part::Box) paintBox(*painter, picture_, id_);
    if (part_ == Part::Link) paintLink(*painter, picture_, id_);
    if (part_ == Part::Label) paintLabel(*painter, picture_, id_);
  }

 private:
  QRectF measure() const {
    if (part_ == Part::Box) return picture_.bounds(id_);
    if (part_ == Part::Link) return picture_.linkBounds(id_);
    const QRectF label = picture_.labelRect(id_);
    return label.isEmpty() ? QRectF() : label.adjusted(-4, -4, 4, 4);
  }

  const Picture& picture_;
  const Part part_;
  const std::size_t id_;
  QRectF bounds_;
};

void GraphScene::rebuild() {
  clear();
  boxes_.clear();
  links_.clear();
  labels_.clear();
  const auto make = [this](std::vector<Item*>& items, Item::Part part, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      items.push_back(new Item(picture_, part, i));
      addItem(items.back());
    }
  };
  make(boxes_, Item::Part::Box, picture_.boxes.size());
  make(links_, Item::Part::Link, picture_.links.size());
  make(labels_, Item::Part::Label, picture_.links.size());
  placeLabels();
}

void GraphScene::refresh() {
  outdate(Stale::All);
}

void GraphScene::setZoom(double zoom) {
  if (picture_.setZoom(zoom)) placeLabels();
}

void GraphScene::placeLabels() {
  outdate(Stale::Labels);
}

void GraphScene::keepLabelsIn(const QRectF& rect) {
  if (std::exchange(picture_.labelled, rect) != rect) placeLabels();
}

void GraphScene::outdate(Stale what) {
  if (stale_ == Stale::None) QMetaObject::invokeMethod(this, &GraphScene::settle, Qt::QueuedConnection);
  stale_ = std::max(stale_, what);
}

void GraphScene::settle() {
  const Stale stale = std::exchange(stale_, Stale::None);
  if (stale == Stale::None) return;
  picture_.placeLabels();
  for (Item* label : labels_) label->refresh();
  if (stale == Stale::Labels) return;
  picture_.placesChanged();
  for (Item* box : boxes_) box->refresh();
  for (Item* link : links_) link->refresh();
}

void GraphScene::refreshBox(std::size_t box) {
  picture_.placesChanged();
  boxes_[box]->refresh();
}

void GraphScene::refreshLink(std::size_t link) {
  links_[link]->refresh();
  labels_[link]->refresh();
}

bool GraphScene::isFree(const QRectF& rect) {
  settle();
  for (const Plate& plate : picture_.plates)
    if (plate.area.intersects(rect)) return false;
  const QList<QGraphicsItem*> near = items(rect, Qt::IntersectsItemBoundingRect);
  return std::none_of(near.begin(), near.end(), [&](const QGraphicsItem* found) {
    const auto* item = static_cast<const Item*>(found);
    if (item->part() == Item::Part::Link)
      return passes(picture_.arrangement.links[item->id()], toLayout(rect.topLeft()),
                    toLayout(rect.bottomRight()));
    if (item->part() == Item::Part::Label) return picture_.labelRect(item->id()).intersects(rect);
    const bool frame = picture_.model.boxes[item->id()].kind == SceneBox::Kind::Frame;
    return (frame ? picture_.titleRect(item->id()) : picture_.rect(item->id())).intersects(rect);
  });
}

/// A box that holds the point hides what is below it. Above it the nearest line wins, however thick its marks
/// are drawn; a label stands for its stream where there is no line.
GraphScene::Hit GraphScene::hitAt(const QPointF& point, double reach) {
  settle();
  constexpr double widest = 5;  // of a line
  const double around = reach + widest;
  double nearest = around;
  Hit hit;
  std::size_t label = nowhere;
  for (const QGraphicsItem* found :
       items(QRectF(point.x() - around, point.y() - around, 2 * around, 2 * around),
             Qt::IntersectsItemBoundingRect)) {  // the topmost first
    const auto* item = static_cast<const Item*>(found);
    const std::size_t id = item->id();
    if (item->part() == Item::Part::Label) {
      if (label == nowhere && picture_.labelRect(id).contains(point)) label = id;
    } else if (item->part() == Item::Part::Link) {
      const double away = distanceTo(picture_.arrangement.links[id], toLayout(point), nearest);
      if (away >= nearest || away > reach + lineWidth(picture_.links[id]) / 2) continue;
      nearest = away;
      hit.link = id;
    } else if (picture_.rect(id).contains(point)) {
      hit.box = id;
      break;
    }
  }
  if (hit.link == nowhere) hit.link = label;
  if (hit.link != nowhere) hit.box = nowhere;
  if (hit.box != nowhere) hit.button = picture_.button(hit.box).adjusted(-3, -3, 3, 3).contains(point);
  return hit;
}

}  // namespace sluice::ui

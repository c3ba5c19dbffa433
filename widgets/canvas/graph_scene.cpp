#include "widgets/canvas/graph_scene.h"

#include <QGraphicsItem>
#include <QStyleOptionGraphicsItem>

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
    shape_.clear();
    update();
  }

  Part part() const { return part_; }
  std::size_t id() const { return id_; }
  QRectF boundingRect() const override { return bounds_; }

  QPainterPath shape() const override {
    if (shape_.isEmpty()) {
      if (part_ == Part::Link) {
        QPainterPathStroker stroker;
        stroker.setWidth(10);
        shape_ = stroker.createStroke(picture_.links[id_].path);
      } else {
        shape_.addRect(part_ == Part::Box ? picture_.rect(id_) : bounds_);
      }
    }
    return shape_;
  }

  void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override {
    const double zoom = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    const Detail detail = detailFor(zoom);
    painter->setRenderHint(QPainter::Antialiasing,
                           detail >= Detail::Names || (detail == Detail::Plain && part_ == Part::Link));
    if (part_ == Part::Box) paintBox(*painter, picture_, id_, detail);
    if (part_ == Part::Link) paintLink(*painter, picture_, id_, detail);
    if (part_ == Part::Label) paintLabel(*painter, picture_, id_, detail);
  }

 private:
  QRectF measure() const {
    if (part_ == Part::Box) return picture_.bounds(id_);
    if (part_ == Part::Link) return picture_.linkBounds(id_);
    const QRectF label = picture_.labelRect(id_);
    const double more = largest_label - 1;
    return label.isEmpty() ? QRectF()
                           : label.adjusted(-4 - more * label.width() / 2, -4 - more * label.height(),
                                            4 + more * label.width() / 2, 4);
  }

  const Picture& picture_;
  const Part part_;
  const std::size_t id_;
  QRectF bounds_;
  mutable QPainterPath shape_;
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
}

void GraphScene::refresh() {
  for (std::size_t i = 0; i < boxes_.size(); ++i) refreshBox(i);
  for (std::size_t i = 0; i < links_.size(); ++i) refreshLink(i);
}

void GraphScene::refreshBox(std::size_t box) {
  boxes_[box]->refresh();
}

void GraphScene::refreshLink(std::size_t link) {
  links_[link]->refresh();
  labels_[link]->refresh();
}

GraphScene::Hit GraphScene::hitAt(const QPointF& point, double reach) const {
  const QRectF around(point.x() - reach, point.y() - reach, 2 * reach, 2 * reach);
  for (const QGraphicsItem* found : items(around)) {  // the topmost first
    const auto* item = static_cast<const Item*>(found);
    if (item->part() != Item::Part::Box) return {nowhere, item->id(), false};
    if (!picture_.rect(item->id()).contains(point)) continue;
    return {item->id(), nowhere, picture_.button(item->id()).adjusted(-3, -3, 3, 3).contains(point)};
  }
  return {};
}

}  // namespace sluice::ui

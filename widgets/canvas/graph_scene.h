#pragma once
// GraphScene: the picture as graphics items, one a box, a link and a label, so that only what changes is
// painted again.

#include <QGraphicsScene>
#include <vector>

#include "widgets/canvas/picture.h"

namespace sluice::ui {

class GraphScene : public QGraphicsScene {
  Q_OBJECT

 public:
  /// What is at a point of the scene.
  struct Hit {
    std::size_t box = nowhere, link = nowhere;
    bool button = false;  ///< the + or - of the region `box`
  };

  using QGraphicsScene::QGraphicsScene;

  /// A change of model or arrangement: call rebuild() after it; of looks: refresh().
  Picture& picture() { return picture_; }
  const Picture& picture() const { return picture_; }

  void rebuild();
  void refresh();
  void setZoom(double zoom);  ///< the level of detail and the size of text follow
  void placeLabels();
  void refreshBox(std::size_t box);
  void refreshLink(std::size_t link);
  /// Whether a box, a link or a label lies in a part of the scene; the ground of a frame does not count.
  bool isFree(const QRectF& rect) const;
  Hit hitAt(const QPointF& point, double reach) const;

 private:
  class Item;
  Picture picture_;
  std::vector<Item*> boxes_, links_, labels_;
};

}  // namespace sluice::ui

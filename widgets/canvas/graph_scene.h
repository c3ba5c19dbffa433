#pragma once
// GraphScene: the picture as graphics items, one a box, a link and a label, so that only what changes is
// painted again. Labels are placed once for all changes of an event, before anybody looks at them.

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

  /// A change of model or arrangement: call rebuild() after it.
  Picture& picture() {
    settle();
    return picture_;
  }
  /// The same with labels where they stood: to change what refresh() follows, and for who needs no places.
  Picture& looks() { return picture_; }

  void rebuild();
  void refresh();
  void setZoom(double zoom);  ///< the level of detail and the size of text follow
  void placeLabels();
  void keepLabelsIn(const QRectF& rect);  ///< no label reaches out of it; null: anywhere
  /// What refresh() and placeLabels() have asked for; the event loop does it at its next turn at the latest.
  void settle();
  void refreshBox(std::size_t box);
  void refreshLink(std::size_t link);
  /// Whether a box, a link or a label lies in a part of the scene; the ground of a frame does not count.
  bool isFree(const QRectF& rect);
  Hit hitAt(const QPointF& point, double reach);

 private:
  class Item;
  enum class Stale { None, Labels, All };
  void outdate(Stale what);

  Picture picture_;
  std::vector<Item*> boxes_, links_, labels_;
  Stale stale_ = Stale::None;
};

}  // namespace sluice::ui

#pragma once
// DeadlockLayer: the wait-for graph over the canvas. Each circle stands in a contour of its own, with arrows
// along its streams from who waits to whom; who merely waits behind is pale, with the distance.

#include <QPainterPath>
#include <QSet>

#include "widgets/canvas/canvas_layer.h"
#include "widgets/deadlock/deadlock_story.h"

namespace sluice::ui {

class DeadlockLayer : public CanvasLayer {
 public:
  /// Only the groups of `shown` are painted; `current` is painted strongest.
  void setStory(const DeadlockStory& story, const QSet<int>& shown, int current);
  void clear() { setStory({}, {}, -1); }
  /// Whether the FIFOs of the current circle tell what was in them when it closed.
  void showClosing(bool closing) { closing_ = closing; }

  bool empty() const override { return story_.groups.isEmpty(); }
  void paint(QPainter& painter, const Picture& picture) const override;
  QRectF bounds(const Picture& picture) const override;

  /// Circles at the same places are painted once.
  struct Circle {
    int group = 0, alike = 0, instances = 0;
  };
  const QList<Circle>& circles() const { return circles_; }
  /// Around the members of a circle and the streams between them.
  QPainterPath contour(const Picture& picture, const WaitGroup& group) const;

 private:
  void paintCircle(QPainter& painter, const Picture& picture, const Circle& circle) const;
  void paintWait(QPainter& painter, const Picture& picture, const WaitedStream& wait, const QColor& colour,
                 bool strong) const;
  void paintVictims(QPainter& painter, const Picture& picture) const;

  DeadlockStory story_;
  QList<Circle> circles_;
  QSet<int> shown_;
  int current_ = -1;
  bool closing_ = false;
};

}  // namespace sluice::ui

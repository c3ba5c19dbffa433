#pragma once
// DeadlockLayer: the wait-for graph over the canvas. Each wait cycle stands in a contour of its own, with
// arrows along its streams from who waits to whom; who merely waits behind is pale, with the distance.

#include <QPainterPath>
#include <QSet>

#include "widgets/canvas/canvas_layer.h"
#include "widgets/deadlock/deadlock_explanation.h"

namespace sluice::ui {

class DeadlockLayer : public CanvasLayer {
 public:
  /// Only the groups of `shown` are painted; `current` is painted strongest.
  void setExplanation(const DeadlockExplanation& explanation, const QSet<int>& shown, int current);
  void clear() { setExplanation({}, {}, -1); }
  /// Whether the FIFOs of the current wait cycle tell what was in them when it closed.
  void showClosing(bool closing) { closing_ = closing; }

  bool empty() const override { return explanation_.groups.isEmpty(); }
  Topic topic() const override { return Topic::Deadlock; }
  void paint(QPainter& painter, const Picture& picture) const override;
  std::vector<Plate> plates(const Picture& picture) const override;
  QRectF bounds(const Picture& picture) const override;

  /// Wait cycles at the same places are painted once.
  struct WaitCycle {
    int group = 0, alike = 0, instances = 0;
  };
  const QList<WaitCycle>& waitCycles() const { return wait_cycles_; }
  /// Around the members of a wait cycle and the streams between them with their labels, not through others.
  QPainterPath contour(const Picture& picture, const WaitGroup& group) const;

 private:
  void paintWaitCycle(QPainter& painter, const Picture& picture, const WaitCycle& cycle) const;
  void paintWait(QPainter& painter, const Picture& picture, const WaitedStream& wait, const QColor& colour,
                 bool strong) const;
  void paintVictims(QPainter& painter, const Picture& picture) const;
  /// Who waits outside of the wait cycles, each box once.
  std::vector<std::pair<int, std::size_t>> waiting(const Picture& picture) const;
  void addTitle(const Picture& picture, const WaitCycle& cycle, std::vector<Plate>& plates) const;

  DeadlockExplanation explanation_;
  QList<WaitCycle> wait_cycles_;
  QSet<int> shown_;
  int current_ = -1;
  bool closing_ = false;
};

}  // namespace sluice::ui

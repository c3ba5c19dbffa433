#pragma once
// CanvasTopic: the badges on the canvas are those of the view that is active - that came to the front last,
// or that the keyboard went to - of deadlocks, comparisons and energy.

#include <QList>
#include <QObject>
#include <QPointer>

#include "widgets/canvas/note.h"

class QDockWidget;

namespace sluice::ui {

class GraphCanvas;

class CanvasTopic : public QObject {
 public:
  explicit CanvasTopic(GraphCanvas* canvas);

  void follow(QDockWidget* dock, Topic topic);
  void activate(QDockWidget* dock);

 private:
  struct Told {
    QPointer<QDockWidget> dock;
    Topic topic;
  };
  void choose();

  GraphCanvas* canvas_;
  QList<Told> views_;  ///< the one that was active last comes first
};

}  // namespace sluice::ui

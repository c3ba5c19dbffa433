#include "app/window/run/canvas_topic.h"

#include <QApplication>
#include <QDockWidget>
#include <algorithm>

#include "app/window/shell/docks.h"
#include "widgets/canvas/graph_canvas.h"

namespace sluice::ui {

CanvasTopic::CanvasTopic(GraphCanvas* canvas) : QObject(canvas), canvas_(canvas) {
  connect(qApp, &QApplication::focusChanged, this, [this](const QWidget*, const QWidget* now) {
    if (QDockWidget* dock = now ? dockOf(*now) : nullptr) activate(dock);
  });
}

void CanvasTopic::follow(QDockWidget* dock, Topic topic) {
  views_.append({dock, topic});
  connect(dock, &QDockWidget::visibilityChanged, this, [this, dock](bool seen) {
    if (seen)
      activate(dock);
    else
      choose();
  });
  choose();
}

void CanvasTopic::activate(QDockWidget* dock) {
  const auto found = std::ranges::find_if(views_, [dock](const Told& view) { return view.dock == dock; });
  if (found != views_.end()) std::rotate(views_.begin(), found, found + 1);
  choose();
}

void CanvasTopic::choose() {
  const auto front =
      std::ranges::find_if(views_, [](const Told& view) { return view.dock && isInFront(*view.dock); });
  canvas_->setTopic(front == views_.end() ? Topic::Any : front->topic);
}

}  // namespace sluice::ui

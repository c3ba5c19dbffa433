// The rubber band: a rectangle around what is to be selected.

#include <QPainter>

#include "widgets/canvas/gestures/gesture.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

class BandGesture : public Gesture {
 public:
  BandGesture(GraphCanvas& canvas, const QPoint& start, bool adds)
      : Gesture(canvas), start_(start), last_(start), adds_(adds) {}

  void move(const QPoint& position) override {
    last_ = position;
    canvas_.viewport()->update();
  }

  void release(const QPoint& position) override {
    last_ = position;
    canvas_.viewport()->update();
    if ((position - start_).manhattanLength() < slack) return;
    const QRectF band = rect();
    const Picture& picture = canvas_.graphScene()->picture();
    QStringList nodes = adds_ ? canvas_.selectedNodes() : QStringList();
    std::optional<std::size_t> group;
    for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
      const SceneBox& box = picture.model.boxes[i];
      const QString path = qt(box.path);
      if (!band.contains(picture.rect(i)) || box.folded > 0 || nodes.contains(path)) continue;
      // Of one graph: what a frame holds comes with it.
      if (group && box.group != *group) continue;
      group = box.group;
      nodes << path;
    }
    canvas_.selection().pickNodes(nodes);
  }

  void paint(QPainter& painter) const override {
    if (last_ == start_) return;
    QColor fill = canvas_.theme().selection;
    fill.setAlphaF(0.12F);
    painter.setBrush(fill);
    painter.drawRect(rect());
  }

 private:
  QRectF rect() const {
    return canvas_.viewportTransform().inverted().mapRect(QRectF(start_, last_).normalized());
  }

  const QPoint start_;
  QPoint last_;
  const bool adds_;
};

}  // namespace

GesturePointer bandGesture(GraphCanvas& canvas, const QPoint& start, bool adds) {
  return std::make_unique<BandGesture>(canvas, start, adds);
}

}  // namespace sluice::ui

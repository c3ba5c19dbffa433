// Connecting: a stream is drawn from a port to the port under the mouse, with a tip that tells whether it may
// be. A click without a movement selects what is there, as anywhere else.

#include <QPainter>
#include <QToolTip>

#include "widgets/canvas/gestures/gesture.h"
#include "widgets/canvas/gestures/hover.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

class LinkGesture : public Gesture {
 public:
  LinkGesture(GraphCanvas& canvas, const QPoint& start, const PortHit& port)
      : Gesture(canvas), pressed_(start), mouse_(start), start_(port) {}

  void move(const QPoint& position) override {
    mouse_ = position;
    canvas_.viewport()->update();
    const std::optional<PortHit> port = portUnder(canvas_, position);
    if (port == end_) return;
    end_ = port;
    wish_.reset();
    refusal_.clear();
    if (!port || *port == start_) return QToolTip::hideText();
    wish_ = linkBetween(canvas_.graphScene()->picture().model, start_, *port);
    refusal_ = wish_ ? canvas_.linkRule()(*wish_)
                     : GraphCanvas::tr("A stream goes from an output to an input of the same region.");
    const QString tip = refusal_.isEmpty()
                            ? QStringLiteral("\u2714 %1 \u2192 %2").arg(qt(wish_->from), qt(wish_->to))
                            : QStringLiteral("\u2716 ") + refusal_;
    QToolTip::showText(canvas_.viewport()->mapToGlobal(position), tip, &canvas_);
  }

  void release(const QPoint& position) override {
    canvas_.viewport()->update();
    if ((position - pressed_).manhattanLength() < slack) return select(hitUnder(canvas_, position));
    if (!wish_ || !refusal_.isEmpty()) return;  // the tip stays and tells why
    QToolTip::hideText();
    emit canvas_.linkRequested(*wish_);
  }

  void cancel() override { QToolTip::hideText(); }

  void paint(QPainter& painter) const override {
    const Picture& picture = canvas_.graphScene()->picture();
    LayoutPoint from = portPoint(picture.model, picture.arrangement, start_);
    LayoutPoint to = end_ ? portPoint(picture.model, picture.arrangement, *end_)
                          : toLayout(canvas_.camera().toScene(mouse_));
    const QPointF at = toPoint(to);
    if (!start_.output && !wish_) std::swap(from, to);
    const bool refused = !refusal_.isEmpty();
    QPen pen(refused ? canvas_.theme().error : canvas_.theme().selection, 2,
             refused ? Qt::DashLine : Qt::SolidLine);
    pen.setCosmetic(true);
    painter.setPen(pen);
    painter.drawPath(curvePath(directCurve(from, to)));
    if (!end_) return;
    painter.drawEllipse(at, 7, 7);
    if (refused) {
      painter.drawLine(at + QPointF(-5, -5), at + QPointF(5, 5));
      painter.drawLine(at + QPointF(-5, 5), at + QPointF(5, -5));
    }
  }

 private:
  void select(const GraphScene::Hit& hit) {
    const SceneModel& model = canvas_.graphScene()->picture().model;
    canvas_.selection().pick(hit.box == nowhere ? QString() : qt(model.boxes[hit.box].path),
                             hit.link == nowhere ? QString() : qt(model.links[hit.link].origin));
  }

  const QPoint pressed_;
  QPoint mouse_;
  const PortHit start_;
  std::optional<PortHit> end_;    ///< the port under the mouse
  std::optional<LinkWish> wish_;  ///< what would be joined
  QString refusal_;               ///< why it may not
};

}  // namespace

GesturePointer linkGesture(GraphCanvas& canvas, const QPoint& start, const PortHit& port) {
  return std::make_unique<LinkGesture>(canvas, start, port);
}

}  // namespace sluice::ui

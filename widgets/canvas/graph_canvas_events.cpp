// GraphCanvas: what comes from the mouse, the keyboard and the window goes to its parts; and the background.

#include <QContextMenuEvent>
#include <QDragEnterEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>

#include "widgets/canvas/canvas_tips.h"
#include "widgets/canvas/canvas_walk.h"
#include "widgets/canvas/gestures/gesture.h"
#include "widgets/canvas/gestures/hover.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/canvas/scene_presenter.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/trust_line.h"

namespace sluice::ui {
namespace {

QString pathOf(const Picture& picture, const GraphScene::Hit& hit) {
  return hit.box == nowhere ? QString() : qt(picture.model.boxes[hit.box].path);
}

QString originOf(const Picture& picture, const GraphScene::Hit& hit) {
  return hit.link == nowhere ? QString() : qt(picture.model.links[hit.link].origin);
}

}  // namespace

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
  event->accept();
  if (gesture_ && button_ != Qt::NoButton) return;  // a second button while one is down
  gesture_.reset();
  button_ = event->button();
  const bool left = button_ == Qt::LeftButton;
  if (button_ == Qt::MiddleButton || (left && space_))
    gesture_ = panGesture(*this, event->pos());
  else if (left)
    press(event->pos(), event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier));
}

void GraphCanvas::press(const QPoint& position, bool toggles) {
  if (const auto port = link_rule_ ? portUnder(*this, position) : std::nullopt) {
    gesture_ = linkGesture(*this, position, *port);
    return;
  }
  const Picture& picture = scene_->picture();
  const GraphScene::Hit hit = hitUnder(*this, position);
  const QString node = pathOf(picture, hit);
  if (hit.button) return toggleRegion(node);
  // A folded run has no place of its own to be dragged to.
  if (hit.box != nowhere && picture.model.boxes[hit.box].folded == 0)
    gesture_ = dragGesture(*this, position, hit.box, toggles);
  else if (hit.box == nowhere && hit.link == nowhere)
    gesture_ = bandGesture(*this, position, toggles);
  if (toggles) {
    if (hit.box != nowhere) selection_.toggle(node);
    return;
  }
  // A press on one of several begins to drag them all; it selects this one alone when nothing was dragged.
  if (selectedNodes().size() > 1 && selectedNodes().contains(node)) return;
  selection_.pick(node, originOf(picture, hit));
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
  event->accept();
  if (gesture_)
    gesture_->move(event->pos());
  else
    hover_->move(event->pos(), space_);
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
  event->accept();
  if (!gesture_ || event->button() != button_) return;
  const std::unique_ptr<Gesture> gesture = takeGesture();
  gesture->release(event->pos());
}

/// It ends before it acts: what it does may show another program.
std::unique_ptr<Gesture> GraphCanvas::takeGesture() {
  button_ = Qt::NoButton;
  viewport()->setCursor(space_ ? Qt::OpenHandCursor : Qt::ArrowCursor);
  return std::move(gesture_);
}

void GraphCanvas::cancelGesture() {
  if (!gesture_) return;
  const std::unique_ptr<Gesture> gesture = takeGesture();
  gesture->cancel();
  viewport()->update();
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  event->accept();
  if (event->button() != Qt::LeftButton) return;
  const GraphScene::Hit hit = hitUnder(*this, event->pos());
  // Two quick clicks on the button are two toggles.
  if (hit.box == nowhere || hit.button) return mousePressEvent(event);
  const Picture& picture = scene_->picture();
  const QString path = pathOf(picture, hit);
  if (picture.model.boxes[hit.box].kind == SceneBox::Kind::Operator)
    emit nodeActivated(path);
  else if (picture.titleRect(hit.box).contains(camera_.toScene(event->pos())))
    toggleRegion(path);  // not from the empty space of a frame
}

void GraphCanvas::leaveEvent(QEvent* event) {
  hover_->move(QPoint(-10000, -10000), space_);
  QGraphicsView::leaveEvent(event);
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
  event->accept();
  const QPoint angle = event->angleDelta();
  if (event->modifiers() & Qt::ShiftModifier) return camera_.pan({angle.x() + angle.y(), 0});
  camera_.zoomAbout(zoom() * std::pow(1.0015, angle.y()), event->position());
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
  event->accept();
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
      return walkTo(event->key());
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return openSelected();
    case Qt::Key_Escape:
      if (gesture_) return cancelGesture();
      if (selection_.empty()) event->ignore();
      return selection_.pick({}, {});
    case Qt::Key_Space:
      if (event->isAutoRepeat()) return;
      space_ = true;
      viewport()->setCursor(Qt::OpenHandCursor);
      return;
    default:
      QGraphicsView::keyPressEvent(event);
  }
}

void GraphCanvas::openSelected() {
  const SceneModel& model = scene_->picture().model;
  const std::size_t box = model.findBox(selectedNode().toStdString());
  if (box == nowhere) return;
  if (model.boxes[box].kind == SceneBox::Kind::Operator)
    emit nodeActivated(selectedNode());
  else
    toggleRegion(selectedNode());
}

void GraphCanvas::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Space || event->isAutoRepeat()) return QGraphicsView::keyReleaseEvent(event);
  event->accept();
  space_ = false;
  if (!gesture_) viewport()->setCursor(Qt::ArrowCursor);
}

void GraphCanvas::focusOutEvent(QFocusEvent* event) {
  space_ = false;
  QGraphicsView::focusOutEvent(event);
}

void GraphCanvas::walkTo(int key) {
  const Picture& picture = scene_->picture();
  const Place here{picture.model.visibleBox(selectedNode().toStdString()),
                   picture.model.findLink(selectedStream().toStdString())};
  const Step step = key == Qt::Key_Left    ? Step::Left
                    : key == Qt::Key_Right ? Step::Right
                    : key == Qt::Key_Up    ? Step::Up
                                           : Step::Down;
  const Place next = walk(picture.model, picture.arrangement, here, step);
  goTo(next.box, next.link);
}

void GraphCanvas::goTo(std::size_t box, std::size_t link) {
  if (box == nowhere && link == nowhere) return;
  const SceneModel& model = scene_->picture().model;
  if (box != nowhere)
    selection_.pick(qt(model.boxes[box].path), {});
  else
    selection_.pick({}, qt(model.links[link].origin));
  reveal(box, link);
}

/// Tab walks the nodes and then leaves the canvas: the keyboard is never caught in it.
bool GraphCanvas::focusNextPrevChild(bool next) {
  const SceneModel& model = scene_->picture().model;
  const std::size_t here = model.visibleBox(selectedNode().toStdString()), count = model.boxes.size();
  const std::size_t wanted = here == nowhere ? (next ? 0 : count - 1) : (next ? here + 1 : here - 1);
  // NOLINTNEXTLINE(bugprone-parent-virtual-call): QGraphicsView would look for focus items in the scene.
  if (wanted >= count) return QAbstractScrollArea::focusNextPrevChild(next);
  goTo(wanted, nowhere);
  return true;
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event) {
  event->accept();
  const Picture& picture = scene_->picture();
  if (event->reason() == QContextMenuEvent::Keyboard) {
    const QPointF at = selectedNode().isEmpty() ? streamPoint(selectedStream()) : nodeCenter(selectedNode());
    const QPoint place = viewportTransform().map(at).toPoint();
    emit contextMenuRequested(selectedNode(), selectedStream(), viewport()->mapToGlobal(place));
    return;
  }
  const GraphScene::Hit hit = hitUnder(*this, event->pos());
  if (hit.box == nowhere || !selectedNodes().contains(pathOf(picture, hit)))
    selection_.pick(pathOf(picture, hit), originOf(picture, hit));
  emit contextMenuRequested(selectedNode(), selectedStream(), event->globalPos());
}

void GraphCanvas::dragEnterEvent(QDragEnterEvent* event) {
  if (!event->mimeData()->hasFormat(operator_mime)) return event->ignore();  // files are for the window
  event->acceptProposedAction();
  cancelGesture();
}

void GraphCanvas::dragMoveEvent(QDragMoveEvent* event) {
  if (!event->mimeData()->hasFormat(operator_mime)) return event->ignore();
  event->acceptProposedAction();
  // Another program may have been shown meanwhile.
  if (!gesture_) gesture_ = dropGesture(*this, QString::fromUtf8(event->mimeData()->data(operator_mime)));
  gesture_->move(event->position().toPoint());
}

void GraphCanvas::dragLeaveEvent(QDragLeaveEvent*) {
  cancelGesture();
}

void GraphCanvas::dropEvent(QDropEvent* event) {
  if (!event->mimeData()->hasFormat(operator_mime)) return event->ignore();
  event->acceptProposedAction();
  cancelGesture();
  dropGesture(*this, QString::fromUtf8(event->mimeData()->data(operator_mime)))
      ->release(event->position().toPoint());
}

void GraphCanvas::scrollContentsBy(int dx, int dy) {
  QGraphicsView::scrollContentsBy(dx, dy);
  emit viewChanged();
}

void GraphCanvas::resizeEvent(QResizeEvent* event) {
  QGraphicsView::resizeEvent(event);
  camera_.resized();
}

void GraphCanvas::showEvent(QShowEvent* event) {
  QGraphicsView::showEvent(event);
  camera_.shown();
}

void GraphCanvas::changeEvent(QEvent* event) {
  QGraphicsView::changeEvent(event);
  const bool look = event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange;
  if (!look || legend_ == nullptr) return;
  const QString family = theme().family;
  scene_->picture().theme = CanvasTheme::of(palette(), font());
  if (theme().family != family && !presenter_->fresh()) presenter_->rebuild();  // other letters, other boxes
  showLegend();
  showBadges();
}

bool GraphCanvas::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QGraphicsView::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), tipAt(help->pos()), this);  // hides it where there is none
  return true;
}

QString GraphCanvas::tipAt(const QPoint& viewport_position) const {
  const GraphScene::Hit hit = hitUnder(*this, viewport_position);
  if (hit.box != nowhere) return withTrust(nodeTip(scene_->picture(), catalog_, hit.box), trustLine(*this));
  return hit.link != nowhere ? withTrust(linkTip(scene_->picture(), hit.link), trustLine(*this)) : QString();
}

void GraphCanvas::paintEvent(QPaintEvent* event) {
  scene_->settle();  // before the view asks where its items are
  if (scene_->looks().detail > Detail::Blocks) return QGraphicsView::paintEvent(event);
  // From far away all items are in view, and each is next to nothing: to ask and sort them costs more than to
  // paint them.
  QPainter painter(viewport());
  painter.setClipRegion(event->region());
  painter.setWorldTransform(viewportTransform());
  const QRectF seen = viewportTransform().inverted().mapRect(QRectF(event->rect()));
  drawBackground(&painter, seen);
  paintGraph(painter, scene_->looks());
  drawForeground(&painter, seen);
}

void GraphCanvas::drawForeground(QPainter* painter, const QRectF&) {
  paintLayers(*painter, scene_->picture(), CanvasLayer::Level::Over, false);
  painter->setRenderHint(QPainter::Antialiasing);
  QPen pen(theme().selection, 1.5);
  pen.setCosmetic(true);
  painter->setPen(pen);
  painter->setBrush(Qt::NoBrush);
  if (gesture_)
    gesture_->paint(*painter);
  else
    hover_->paint(*painter);
}

/// A quiet grid of dots, which gives the eye a hold while panning; left out where it would only be noise.
void GraphCanvas::drawBackground(QPainter* painter, const QRectF& rect) {
  painter->fillRect(rect, theme().canvas);
  paintLayers(*painter, scene_->picture(), CanvasLayer::Level::Below, false);
  const double pitch = zoom() < 0.75 ? 96 : 24;
  if (zoom() < 0.25) return;
  QVarLengthArray<QPointF, 4096> dots;
  for (double x = std::ceil(rect.left() / pitch) * pitch; x < rect.right(); x += pitch) {
    for (double y = std::ceil(rect.top() / pitch) * pitch; y < rect.bottom(); y += pitch) dots.append({x, y});
  }
  QPen pen(theme().grid, 2);
  pen.setCosmetic(true);
  painter->setRenderHint(QPainter::Antialiasing, false);
  painter->setPen(pen);
  painter->drawPoints(dots.constData(), static_cast<int>(dots.size()));
}

}  // namespace sluice::ui

// GraphCanvas: mouse, keyboard, tips and the background.

#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "widgets/canvas/canvas_gesture.h"
#include "widgets/canvas/canvas_layer.h"
#include "widgets/canvas/canvas_walk.h"
#include "widgets/canvas/graph_scene.h"

namespace sluice::ui {
namespace {

constexpr double snap = 8;       // points
constexpr double hit_reach = 3;  // pixels around the cursor that count as hit

QString shown(const std::string& text) {
  return QString::fromStdString(text);
}

GraphScene::Hit hitUnder(const GraphCanvas& canvas, const QPoint& position) {
  const QPointF point = canvas.viewportTransform().inverted().map(QPointF(position));
  return canvas.graphScene()->hitAt(point, hit_reach / canvas.zoom());
}

QString pathOf(const Picture& picture, const GraphScene::Hit& hit) {
  return hit.box == nowhere ? QString() : shown(picture.model.boxes[hit.box].path);
}

QString originOf(const Picture& picture, const GraphScene::Hit& hit) {
  return hit.link == nowhere ? QString() : shown(picture.model.links[hit.link].origin);
}

}  // namespace

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
  event->accept();
  if (gesture_->mode != Gesture::Mode::None) return;  // a second button while one is down
  gesture_->button = event->button();
  gesture_->start = gesture_->last = event->pos();
  const bool left = event->button() == Qt::LeftButton;
  if (event->button() == Qt::MiddleButton || (left && gesture_->space)) {
    gesture_->mode = Gesture::Mode::Pan;
    viewport()->setCursor(Qt::ClosedHandCursor);
  } else if (left) {
    gesture_->toggles = event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier);
    pick(event->pos());
  }
}

void GraphCanvas::pick(const QPoint& position) {
  if (const auto port = link_rule_ ? portUnder(position) : std::nullopt) {
    gesture_->mode = Gesture::Mode::Link;
    gesture_->link_start = *port;
    return;
  }
  const GraphScene::Hit hit = hitUnder(*this, position);
  const QString node = pathOf(scene_->picture(), hit);
  if (hit.button) return toggleRegion(node);
  gesture_->box = hit.box;
  const bool folded = hit.box != nowhere && scene_->picture().model.boxes[hit.box].folded > 0;
  gesture_->mode = folded                ? Gesture::Mode::None  // it has no place of its own to be dragged to
                   : hit.box != nowhere  ? Gesture::Mode::Press
                   : hit.link == nowhere ? Gesture::Mode::Band
                                         : Gesture::Mode::None;
  if (gesture_->toggles) {
    if (hit.box != nowhere) toggleByUser(node);
    return;
  }
  // A press on one of several begins to drag them all; it selects this one alone when nothing was dragged.
  if (selected_nodes_.size() > 1 && selected_nodes_.contains(node)) return;
  selectByUser(node, originOf(scene_->picture(), hit));
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
  event->accept();
  const QPoint position = event->pos();
  switch (gesture_->mode) {
    case Gesture::Mode::None:
      return hover(position);
    case Gesture::Mode::Pan: {
      const QPoint moved = position - gesture_->last;
      keep_fit_ = false;
      horizontalScrollBar()->setValue(horizontalScrollBar()->value() - moved.x());
      verticalScrollBar()->setValue(verticalScrollBar()->value() - moved.y());
      break;
    }
    case Gesture::Mode::Press:
      if ((position - gesture_->start).manhattanLength() < 4) return;
      startDrag();
      [[fallthrough]];
    case Gesture::Mode::Drag:
      drag(position);
      break;
    case Gesture::Mode::Band:
      viewport()->update();
      break;
    case Gesture::Mode::Link:
      dragLink(position);
  }
  gesture_->last = position;
}

/// What is selected moves with the pressed box, as far as it stands in the same graph.
void GraphCanvas::startDrag() {
  const Picture& picture = scene_->picture();
  gesture_->mode = Gesture::Mode::Drag;
  keep_fit_ = false;
  gesture_->dragged = {{gesture_->box, picture.rect(gesture_->box).topLeft()}};
  const bool several = selected_nodes_.contains(shown(picture.model.boxes[gesture_->box].path));
  for (const QString& node : several ? selected_nodes_ : QStringList()) {
    const std::size_t box = picture.model.findBox(node.toStdString());
    if (box != nowhere && picture.model.boxes[box].group == picture.model.boxes[gesture_->box].group)
      gesture_->dragged[box] = picture.rect(box).topLeft();
  }
}

/// The corner goes to the grid of its graph, not by grid steps: so boxes come to stand level with each other.
/// Close to a line through a neighbour it goes there. With Alt it goes where the mouse is.
void GraphCanvas::drag(const QPoint& position) {
  const Picture& picture = scene_->picture();
  const std::size_t box = gesture_->box;
  const LayoutPoint origin = picture.arrangement.origins[picture.model.boxes[box].group];
  const QPointF start = gesture_->dragged.at(box);
  const QPointF wanted = start + QPointF(position - gesture_->start) / zoom();
  const bool free = QGuiApplication::keyboardModifiers() & Qt::AltModifier;
  QPointF corner = wanted;
  gesture_->guides.clear();
  if (!free) {
    corner = {std::round((wanted.x() - origin.x) / snap) * snap + origin.x,
              std::round((wanted.y() - origin.y) / snap) * snap + origin.y};
    Arrangement there = picture.arrangement;
    moveBox(picture.model, there, box, wanted.x() - there.boxes[box].x, wanted.y() - there.boxes[box].y);
    const Snapped lines = snapToNeighbours(picture.model, there, box, snap / 2);
    for (const Guide& guide : gesture_->dragged.size() == 1 ? lines.guides : std::vector<Guide>()) {
      if (guide.vertical)
        corner.setX(wanted.x() + lines.by.x);
      else
        corner.setY(wanted.y() + lines.by.y);
      gesture_->guides.push_back(guide);
    }
  }
  const QPointF moved = corner - start;
  for (const auto& [each, from] : gesture_->dragged)
    shiftBox(each, from + moved - picture.rect(each).topLeft());
  viewport()->update();
}

void GraphCanvas::shiftBox(std::size_t box, QPointF by) {
  if (by.isNull()) return;
  Picture& picture = scene_->picture();
  for (const std::size_t link : moveBox(picture.model, picture.arrangement, box, by.x(), by.y())) {
    picture.trace(link);
    scene_->refreshLink(link);
  }
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {  // the box, and what is in it if it is a frame
    const bool inside = picture.model.boxes[i].path.starts_with(picture.model.boxes[box].path + ".");
    if (i == box || inside) scene_->refreshBox(i);
  }
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
  event->accept();
  if (event->button() != gesture_->button) return;
  const Gesture::Mode mode = std::exchange(gesture_->mode, Gesture::Mode::None);
  gesture_->button = Qt::NoButton;
  if (mode == Gesture::Mode::Pan)
    viewport()->setCursor(gesture_->space ? Qt::OpenHandCursor : Qt::ArrowCursor);
  if (mode == Gesture::Mode::Drag) finishDrag();
  if (mode == Gesture::Mode::Link) finishLink();
  if (mode == Gesture::Mode::Band) finishBand(event->pos());
  if (mode == Gesture::Mode::Press && !gesture_->toggles && gesture_->box < scene_->picture().boxes.size())
    selectByUser(shown(scene_->picture().model.boxes[gesture_->box].path), {});
  gesture_->guides.clear();
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  event->accept();
  if (event->button() != Qt::LeftButton) return;
  const GraphScene::Hit hit = hitUnder(*this, event->pos());
  if (hit.box == nowhere) return mousePressEvent(event);
  const SceneBox& box = scene_->picture().model.boxes[hit.box];
  const QString path = shown(box.path);
  if (hit.button) return mousePressEvent(event);  // two quick clicks on the button are two toggles
  if (box.kind == SceneBox::Kind::Operator) {
    emit nodeActivated(path);
    return;
  }
  const QPointF point = viewportTransform().inverted().map(QPointF(event->pos()));
  if (scene_->picture().titleRect(hit.box).contains(point))
    toggleRegion(path);  // not from the empty space of a frame
}

void GraphCanvas::hover(const QPoint& position) {
  hoverPort(position);
  const GraphScene::Hit hit = hitUnder(*this, position);
  Picture& picture = scene_->picture();
  GraphScene::Hit& before = gesture_->hovered;
  if (!gesture_->space && !gesture_->hovered_port)
    viewport()->setCursor(hit.button || hit.link != nowhere ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (hit.box == before.box && hit.link == before.link) return;
  const auto mark = [&](const GraphScene::Hit& at, bool hovered) {
    if (at.box != nowhere) {
      picture.boxes[at.box].hovered = hovered;
      scene_->refreshBox(at.box);
    }
    if (at.link != nowhere) {
      picture.links[at.link].hovered = hovered;
      scene_->refreshLink(at.link);
    }
  };
  mark(before, false);
  before = hit;
  mark(hit, true);
}

void GraphCanvas::leaveEvent(QEvent* event) {
  hover(QPoint(-10000, -10000));
  QGraphicsView::leaveEvent(event);
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
  event->accept();
  const QPoint angle = event->angleDelta();
  if (event->modifiers() & Qt::ShiftModifier) {
    keep_fit_ = false;
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - angle.x() - angle.y());
    return;
  }
  zoomAbout(zoom() * std::pow(1.0015, angle.y()), event->position());
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
    case Qt::Key_Enter: {
      const std::size_t box = scene_->picture().model.findBox(selectedNode().toStdString());
      if (box == nowhere) return;
      if (scene_->picture().model.boxes[box].kind == SceneBox::Kind::Operator)
        emit nodeActivated(selectedNode());
      else
        toggleRegion(selectedNode());
      return;
    }
    case Qt::Key_Escape:
      if (gesture_->mode != Gesture::Mode::None) return cancelGesture();
      if (selected_nodes_.isEmpty() && selected_stream_.isEmpty()) event->ignore();
      return selectByUser({}, {});
    case Qt::Key_Space:
      if (event->isAutoRepeat()) return;
      gesture_->space = true;
      viewport()->setCursor(Qt::OpenHandCursor);
      return;
    default:
      QGraphicsView::keyPressEvent(event);
  }
}

void GraphCanvas::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Space || event->isAutoRepeat()) return QGraphicsView::keyReleaseEvent(event);
  event->accept();
  gesture_->space = false;
  if (gesture_->mode != Gesture::Mode::Pan) viewport()->setCursor(Qt::ArrowCursor);
}

void GraphCanvas::focusOutEvent(QFocusEvent* event) {
  gesture_->space = false;
  QGraphicsView::focusOutEvent(event);
}

void GraphCanvas::walkTo(int key) {
  const Picture& picture = scene_->picture();
  const Place here{picture.model.visibleBox(selectedNode().toStdString()),
                   picture.model.findLink(selected_stream_.toStdString())};
  const Step step = key == Qt::Key_Left    ? Step::Left
                    : key == Qt::Key_Right ? Step::Right
                    : key == Qt::Key_Up    ? Step::Up
                                           : Step::Down;
  const Place next = walk(picture.model, picture.arrangement, here, step);
  goTo(next.box, next.link);
}

void GraphCanvas::goTo(std::size_t box, std::size_t link) {
  const Picture& picture = scene_->picture();
  if (box != nowhere) {
    selectByUser(shown(picture.model.boxes[box].path), {});
    reveal(picture.titleRect(box));
  } else if (link != nowhere) {
    selectByUser({}, shown(picture.model.links[link].origin));
    reveal(QRectF(picture.links[link].middle, QSizeF(1, 1)).adjusted(-40, -20, 40, 20));
  }
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
    const QPointF at = selectedNode().isEmpty() ? streamPoint(selected_stream_) : nodeCenter(selectedNode());
    const QPoint place = viewportTransform().map(at).toPoint();
    emit contextMenuRequested(selectedNode(), selected_stream_, viewport()->mapToGlobal(place));
    return;
  }
  const GraphScene::Hit hit = hitUnder(*this, event->pos());
  if (hit.box == nowhere || !selected_nodes_.contains(pathOf(picture, hit)))
    selectByUser(pathOf(picture, hit), originOf(picture, hit));
  emit contextMenuRequested(selectedNode(), selected_stream_, event->globalPos());
}

void GraphCanvas::resizeEvent(QResizeEvent* event) {
  QGraphicsView::resizeEvent(event);
  if (keep_fit_)
    fitAll();
  else
    updateScrollRange();
}

void GraphCanvas::showEvent(QShowEvent* event) {
  QGraphicsView::showEvent(event);
  if (std::exchange(fit_when_shown_, false)) fitAll();  // before, the viewport had no real size
}

void GraphCanvas::changeEvent(QEvent* event) {
  QGraphicsView::changeEvent(event);
  const bool look = event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange;
  if (!look || scene_ == nullptr) return;
  const QString family = theme().family;
  scene_->picture().theme = CanvasTheme::of(palette(), font());
  if (theme().family != family && !fresh_) rebuild();  // other letters need other boxes
  if (legend_) legend_->setGroups(groups_, theme());
  scene_->refresh();
  viewport()->update();
}

bool GraphCanvas::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QGraphicsView::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), tipAt(help->pos()), this);  // hides it where there is none
  return true;
}

QString GraphCanvas::tipAt(const QPoint& viewport_position) const {
  const GraphScene::Hit hit = hitUnder(*this, viewport_position);
  if (hit.box != nowhere) return nodeTip(hit.box);
  return hit.link != nowhere ? linkTip(hit.link) : QString();
}

QString GraphCanvas::nodeTip(std::size_t box) const {
  const Picture& picture = scene_->picture();
  const SceneBox& node = picture.model.boxes[box];
  QString tip = "<b>" + shown(node.path).toHtmlEscaped() + "</b> " +
                shown(node.title + " " + node.badge).toHtmlEscaped();
  if (const OperatorSpec* spec = catalog_.find(node.title))
    tip += "<br>" + shown(spec->summary).toHtmlEscaped();
  if (!node.detail.empty()) tip += "<br>" + shown(node.detail).toHtmlEscaped();
  for (const auto* side : {&node.inputs, &node.outputs}) {
    for (const ScenePort& port : *side) {
      const QString arrow = side == &node.inputs ? "→ " : "";
      tip += "<br><i>" + arrow + shown(port.name).toHtmlEscaped() + (arrow.isEmpty() ? " →" : "") + "</i> " +
             shown(port.help).toHtmlEscaped();
    }
  }
  if (const auto& mark = picture.boxes[box].mark) tip += "<br><b>" + mark->tooltip.toHtmlEscaped() + "</b>";
  return tip;
}

QString GraphCanvas::linkTip(std::size_t link) const {
  const Picture& picture = scene_->picture();
  const SceneLink& stream = picture.model.links[link];
  const LinkLook& look = picture.links[link];
  QString tip = "<b>" + shown(stream.name).toHtmlEscaped() + "</b><br>";
  tip += stream.depth.empty() ? tr("FIFO as deep as the machine says")
                              : tr("FIFO of %1 tokens").arg(shown(stream.depth)).toHtmlEscaped();
  for (const QString& line : look.label) tip += "<br>" + line.toHtmlEscaped();
  if (look.mark)
    tip += "<br><b>" + (look.mark->word + " " + look.mark->tooltip).trimmed().toHtmlEscaped() + "</b>";
  return tip;
}

/// A quiet grid of dots, which gives the eye a hold while panning; left out where it would only be noise.
void GraphCanvas::setTimeOverlay(const TimeOverlay& overlay) {
  if (time_ == overlay) return;
  time_ = overlay;
  viewport()->update();
}

void GraphCanvas::setDeltaOverlay(const DeltaOverlay& overlay) {
  if (delta_ == overlay) return;
  delta_ = overlay;
  viewport()->update();
}

void GraphCanvas::drawForeground(QPainter* painter, const QRectF&) {
  if (!time_.empty()) paintTimeOverlay(*painter, scene_->picture(), time_, zoom());
  if (!delta_.empty()) paintDeltaOverlay(*painter, scene_->picture(), delta_, zoom());
  for (const CanvasLayer* layer : layers_) layer->paint(*painter, scene_->picture());
  paintGesture(painter);
}

void GraphCanvas::drawBackground(QPainter* painter, const QRectF& rect) {
  painter->fillRect(rect, theme().canvas);
  paintNodeGroups(*painter, scene_->picture(), groups_);
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

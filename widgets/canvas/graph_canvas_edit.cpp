// GraphCanvas: drawing streams, dropping operators, selecting by a rectangle, renaming, and moving to a new
// layout. It only tells what the user wants; the document changes elsewhere.

#include <QDragEnterEvent>
#include <QGraphicsSceneDragDropEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QVariantAnimation>
#include <algorithm>
#include <cmath>

#include "widgets/canvas/canvas_gesture.h"
#include "widgets/canvas/graph_scene.h"

namespace sluice::ui {
namespace {

constexpr double portReach = 8;          // pixels around a port's dot
constexpr int movementTime = 220;        // ms
constexpr std::size_t mostMoving = 600;  // boxes that move smoothly; more jump

QString shown(const std::string& text) {
  return QString::fromStdString(text);
}

LayoutPoint layoutPoint(const QPointF& point) {
  return {point.x(), point.y()};
}

QPointF qPoint(const LayoutPoint& point) {
  return {point.x, point.y};
}

QPainterPath curvePath(const std::vector<LayoutPoint>& curve) {
  QPainterPath path(qPoint(curve.front()));
  for (std::size_t i = 0; i + 3 < curve.size(); i += 3)
    path.cubicTo(qPoint(curve[i + 1]), qPoint(curve[i + 2]), qPoint(curve[i + 3]));
  return path;
}

/// Keeps its keys from the canvas around it, which would act on Return, too.
class NameField : public QLineEdit {
 public:
  using QLineEdit::QLineEdit;
  void onEscape(std::function<void()> run) { escape_ = std::move(run); }

 protected:
  void keyPressEvent(QKeyEvent* event) override {
    if (event->key() == Qt::Key_Escape)
      escape_();
    else
      QLineEdit::keyPressEvent(event);
    event->accept();
  }

 private:
  std::function<void()> escape_;
};

double between(double from, double to, double share) {
  return from + (to - from) * share;
}

}  // namespace

std::optional<PortHit> GraphCanvas::portUnder(const QPoint& position) const {
  const Picture& picture = scene_->picture();
  const QPointF point = viewportTransform().inverted().map(QPointF(position));
  // From far away a click means the box.
  if (detailFor(zoom()) < Detail::Names) return std::nullopt;
  const auto port = portAt(picture.model, picture.arrangement, layoutPoint(point), portReach / zoom());
  return port && picture.model.boxes[port->box].folded > 0 ? std::nullopt : port;
}

QPointF GraphCanvas::portPoint(const QString& node, const QString& port, bool output) const {
  const Picture& picture = scene_->picture();
  const std::size_t box = picture.model.findBox(node.toStdString());
  if (box == nowhere) return {};
  const auto& ports = output ? picture.model.boxes[box].outputs : picture.model.boxes[box].inputs;
  for (std::size_t i = 0; i < ports.size(); ++i)
    if (shown(ports[i].name) == port)
      return qPoint(sluice::ui::portPoint(picture.model, picture.arrangement, {box, i, output}));
  return {};
}

void GraphCanvas::hoverPort(const QPoint& position) {
  const std::optional<PortHit> before = gesture_->hovered_port;
  gesture_->hovered_port = link_rule_ ? portUnder(position) : std::nullopt;
  if (gesture_->hovered_port && !gesture_->space) viewport()->setCursor(Qt::CrossCursor);
  if (before != gesture_->hovered_port) viewport()->update();
}

void GraphCanvas::dragLink(const QPoint& position) {
  const std::optional<PortHit> port = portUnder(position);
  viewport()->update();
  if (port == gesture_->link_end) return;
  gesture_->link_end = port;
  gesture_->link.reset();
  gesture_->link_refusal.clear();
  if (!port || *port == gesture_->link_start) return QToolTip::hideText();
  gesture_->link = linkBetween(scene_->picture().model, gesture_->link_start, *port);
  gesture_->link_refusal = gesture_->link
                               ? link_rule_(*gesture_->link)
                               : tr("A stream goes from an output to an input of the same region.");
  const QString tip =
      !gesture_->link_refusal.isEmpty()
          ? QStringLiteral("\u2716 ") + gesture_->link_refusal
          : QStringLiteral("\u2714 %1 \u2192 %2").arg(shown(gesture_->link->from), shown(gesture_->link->to));
  QToolTip::showText(viewport()->mapToGlobal(position), tip, this);
}

void GraphCanvas::finishLink() {
  const std::optional<LinkWish> wish = std::exchange(gesture_->link, std::nullopt);
  const bool may = wish && gesture_->link_refusal.isEmpty();
  gesture_->link_end.reset();
  viewport()->update();
  if (!may) return;
  QToolTip::hideText();
  emit linkRequested(*wish);
}

void GraphCanvas::cancelGesture() {
  const bool linked = gesture_->mode == Gesture::Mode::Link;
  const bool dragged = gesture_->mode == Gesture::Mode::Drag;
  gesture_->mode = Gesture::Mode::None;
  gesture_->hovered = {};
  gesture_->hovered_port.reset();
  gesture_->link.reset();
  gesture_->link_end.reset();
  gesture_->drop_link = nowhere;
  gesture_->guides.clear();
  if (linked) QToolTip::hideText();
  if (dragged) rebuild();  // back to where they were
  viewport()->update();
}

void GraphCanvas::finishBand(const QPoint& position) {
  viewport()->update();
  if ((position - gesture_->start).manhattanLength() < 4) return;
  const QRectF band = viewportTransform().inverted().mapRect(QRectF(gesture_->start, position).normalized());
  const Picture& picture = scene_->picture();
  QStringList nodes = gesture_->toggles ? selected_nodes_ : QStringList();
  std::optional<std::size_t> group;
  for (std::size_t box = 0; box < picture.boxes.size(); ++box) {
    const QString path = shown(picture.model.boxes[box].path);
    if (!band.contains(picture.rect(box)) || picture.model.boxes[box].folded > 0 || nodes.contains(path))
      continue;
    // Of one graph: what a frame holds comes with it.
    if (group && picture.model.boxes[box].group != *group) continue;
    group = picture.model.boxes[box].group;
    nodes << path;
  }
  choose(nodes, {});
  if (nodes.isEmpty())
    emit selectionCleared();
  else
    emit nodeSelected(nodes.last());
}

void GraphCanvas::selectAllNodes() {
  const Picture& picture = scene_->picture();
  const std::size_t here = picture.model.visibleBox(selectedNode().toStdString());
  const std::size_t group = here == nowhere ? 0 : picture.model.boxes[here].group;
  if (picture.model.groups.empty()) return;
  QStringList nodes;
  for (const std::size_t box : picture.model.groups[group].boxes)
    if (picture.model.boxes[box].folded == 0) nodes << shown(picture.model.boxes[box].path);
  if (nodes.isEmpty()) return;
  choose(nodes, {});
  emit nodeSelected(nodes.last());
}

void GraphCanvas::enterRegion() {
  const SceneModel& model = scene_->picture().model;
  std::size_t box = model.visibleBox(selectedNode().toStdString());
  if (box == nowhere) return;
  if (model.boxes[box].kind == SceneBox::Kind::Operator) box = model.groups[model.boxes[box].group].frame;
  if (box == nowhere) return;
  const QString path = shown(model.boxes[box].path);
  if (model.boxes[box].kind == SceneBox::Kind::Region) toggleRegion(path);
  selectByUser(path, {});
  const std::size_t now = scene_->picture().model.findBox(path.toStdString());
  if (now != nowhere) fit(scene_->picture().rect(now).adjusted(-12, -12, 12, 12));
}

void GraphCanvas::leaveRegion() {
  const Picture& picture = scene_->picture();
  const std::string here =
      selectedNode().isEmpty() ? selected_stream_.toStdString() : selectedNode().toStdString();
  const std::size_t end = here.find_last_of(".#");
  const std::size_t around =
      end == std::string::npos ? nowhere : picture.model.visibleBox(here.substr(0, end));
  if (around == nowhere) return fitAll();
  selectByUser(shown(picture.model.boxes[around].path), {});
  const std::size_t frame = picture.model.groups[picture.model.boxes[around].group].frame;
  if (frame == nowhere) return fitAll();
  fit(picture.rect(frame).adjusted(-12, -12, 12, 12));
}

void GraphCanvas::beginRename() {
  const Picture& picture = scene_->picture();
  const QString path = selectedNode();
  const std::size_t box = picture.model.findBox(path.toStdString());
  if (box == nowhere) return;
  if (rename_) rename_->deleteLater();
  rename_ = new NameField(shown(picture.model.boxes[box].name), viewport());
  rename_->setObjectName(QStringLiteral("renameField"));
  rename_->setAccessibleName(tr("New name of %1").arg(path));
  const QRect title = viewportTransform().mapRect(picture.titleRect(box)).toRect();
  rename_->setGeometry(title.left() + 4, title.top() + 4, std::max(150, title.width() - 8),
                       rename_->sizeHint().height());
  rename_->selectAll();
  rename_->show();
  rename_->setFocus();
  const auto end = [this, field = rename_, path](bool send) {
    if (rename_ != field) return;  // ended already: losing the focus ends it once more
    rename_ = nullptr;
    const QString name = field->text().trimmed();
    const bool changed = field->isModified();
    field->deleteLater();
    setFocus();
    if (send && changed) emit renameRequested(path, name);
  };
  connect(rename_, &QLineEdit::editingFinished, this, [end] { end(true); });
  static_cast<NameField*>(rename_)->onEscape([end] { end(false); });
}

QHash<QString, QSizeF> GraphCanvas::nodeSizes() const {
  QHash<QString, QSizeF> sizes;
  for (const SceneBox& box : scene_->picture().model.boxes)
    sizes[shown(box.path)] = {box.folded_width, box.folded_height};
  return sizes;
}

std::pair<QString, QPointF> GraphCanvas::placeAt(const QPointF& scene_point) const {
  const Picture& picture = scene_->picture();
  if (picture.model.groups.empty()) return {{}, scene_point};
  const std::size_t group = groupAt(picture.model, picture.arrangement, layoutPoint(scene_point));
  const Position at = writtenPoint(picture.model, picture.arrangement, group, layoutPoint(scene_point));
  return {shown(picture.model.groups[group].path), {at.x, at.y}};
}

void GraphCanvas::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasFormat(operatorMime))
    event->acceptProposedAction();
  else
    event->ignore();  // files are for the window
}

void GraphCanvas::dragMoveEvent(QDragMoveEvent* event) {
  if (!event->mimeData()->hasFormat(operatorMime)) return event->ignore();
  event->acceptProposedAction();
  const QPointF point = viewportTransform().inverted().map(event->position());
  const std::size_t link = scene_->hitAt(point, portReach / zoom()).link;
  if (std::exchange(gesture_->drop_link, link) != link) viewport()->update();
}

void GraphCanvas::dragLeaveEvent(QDragLeaveEvent*) {
  gesture_->drop_link = nowhere;
  viewport()->update();
}

void GraphCanvas::dropEvent(QDropEvent* event) {
  if (!event->mimeData()->hasFormat(operatorMime)) return event->ignore();
  event->acceptProposedAction();
  const QPointF point = viewportTransform().inverted().map(event->position());
  const std::size_t link = scene_->hitAt(point, portReach / zoom()).link;
  gesture_->drop_link = nowhere;
  viewport()->update();
  const QString origin = link == nowhere ? QString() : shown(scene_->picture().model.links[link].origin);
  // The mouse holds a box by its middle.
  const auto [graph, at] = placeAt(point - QPointF(SceneMeasures::minimum_width / 2, 23));
  emit operatorDropped(QString::fromUtf8(event->mimeData()->data(operatorMime)), graph,
                       {std::round(at.x()), std::round(at.y())}, origin);
}

void GraphCanvas::scrollContentsBy(int dx, int dy) {
  QGraphicsView::scrollContentsBy(dx, dy);
  emit viewChanged();
}

void GraphCanvas::paintLinkDrag(QPainter& painter) const {
  const Picture& picture = scene_->picture();
  const QPointF mouse = viewportTransform().inverted().map(QPointF(gesture_->last));
  LayoutPoint start = sluice::ui::portPoint(picture.model, picture.arrangement, gesture_->link_start);
  LayoutPoint end = layoutPoint(mouse);
  if (gesture_->link_end)
    end = sluice::ui::portPoint(picture.model, picture.arrangement, *gesture_->link_end);
  if (!gesture_->link_start.output && !gesture_->link) std::swap(start, end);
  const bool refused = !gesture_->link_refusal.isEmpty();
  QPen pen(refused ? theme().error : theme().selection, 2, refused ? Qt::DashLine : Qt::SolidLine);
  pen.setCosmetic(true);
  painter.setPen(pen);
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(curvePath(directCurve(start, end)));
  if (!gesture_->link_end) return;
  const QPointF at = qPoint(sluice::ui::portPoint(picture.model, picture.arrangement, *gesture_->link_end));
  painter.drawEllipse(at, 7, 7);
  if (refused) {
    painter.drawLine(at + QPointF(-5, -5), at + QPointF(5, 5));
    painter.drawLine(at + QPointF(-5, 5), at + QPointF(5, -5));
  }
}

void GraphCanvas::paintGesture(QPainter* painter) const {
  const Picture& picture = scene_->picture();
  painter->setRenderHint(QPainter::Antialiasing);
  QPen pen(theme().selection, 1.5);
  pen.setCosmetic(true);
  painter->setPen(pen);
  painter->setBrush(Qt::NoBrush);
  for (const Guide& guide : gesture_->guides) {
    if (guide.vertical)
      painter->drawLine(QPointF(guide.at, guide.from), QPointF(guide.at, guide.to));
    else
      painter->drawLine(QPointF(guide.from, guide.at), QPointF(guide.to, guide.at));
  }
  const bool hovering = gesture_->mode == Gesture::Mode::None && gesture_->hovered_port;
  if (hovering && gesture_->hovered_port->box < picture.boxes.size())
    painter->drawEllipse(
        qPoint(sluice::ui::portPoint(picture.model, picture.arrangement, *gesture_->hovered_port)), 6, 6);
  if (gesture_->drop_link < picture.links.size()) {
    painter->setPen(QPen(theme().selection, 4));
    painter->drawPath(picture.links[gesture_->drop_link].path);
  }
  if (gesture_->mode == Gesture::Mode::Link) paintLinkDrag(*painter);
  if (gesture_->mode != Gesture::Mode::Band || gesture_->last == gesture_->start) return;
  QColor fill = theme().selection;
  fill.setAlphaF(0.12F);
  painter->setBrush(fill);
  painter->setPen(pen);
  painter->drawRect(
      viewportTransform().inverted().mapRect(QRectF(gesture_->start, gesture_->last).normalized()));
}

void GraphCanvas::animateNextLayout() {
  animate_next_ = true;
}

bool GraphCanvas::animating() const {
  return animate_next_ || (movement_ && movement_->state() == QAbstractAnimation::Running);
}

/// From what is on the screen to what is to be shown; boxes that are new appear at their place.
void GraphCanvas::animateTo(SceneModel model, Arrangement to) {
  const Picture& picture = scene_->picture();
  Arrangement from = to;
  for (std::size_t box = 0; box < model.boxes.size(); ++box) {
    const std::size_t old = picture.model.findBox(model.boxes[box].path);
    if (old != nowhere) from.boxes[box] = picture.arrangement.boxes[old];
  }
  const bool smooth = model.boxes.size() <= mostMoving;
  present(std::move(model), smooth ? from : to);
  const auto arrive = [this, to] {
    showFrame(to, to, 1);
    updateScrollRange();
    if (keep_fit_) fitAll();
    anchor_.reset();
    emit viewChanged();
    emit arranged();
  };
  if (!smooth) return arrive();
  if (!movement_) movement_ = new QVariantAnimation(this);
  movement_->disconnect();
  movement_->setStartValue(0.0);
  movement_->setEndValue(1.0);
  movement_->setDuration(movementTime);
  movement_->setEasingCurve(QEasingCurve::InOutCubic);
  connect(movement_, &QVariantAnimation::valueChanged, this,
          [this, from, to](const QVariant& share) { showFrame(from, to, share.toDouble()); });
  connect(movement_, &QVariantAnimation::finished, this, arrive);
  movement_->start();
}

void GraphCanvas::showFrame(const Arrangement& from, const Arrangement& to, double share) {
  Picture& picture = scene_->picture();
  if (to.boxes.size() != picture.boxes.size()) return;  // another program by now
  picture.arrangement = to;
  for (std::size_t box = 0; share < 1 && box < to.boxes.size(); ++box) {
    const SceneRect &a = from.boxes[box], &b = to.boxes[box];
    picture.arrangement.boxes[box] = {between(a.x, b.x, share), between(a.y, b.y, share),
                                      between(a.width, b.width, share), between(a.height, b.height, share)};
  }
  for (std::size_t link = 0; link < picture.links.size(); ++link) {
    const SceneLink& stream = picture.model.links[link];
    if (share < 1)
      picture.arrangement.links[link] = directCurve(linkStart(picture.model, picture.arrangement, stream),
                                                    linkEnd(picture.model, picture.arrangement, stream));
    picture.trace(link);
  }
  scene_->refresh();
}

}  // namespace sluice::ui

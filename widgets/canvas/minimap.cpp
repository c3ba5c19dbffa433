#include "widgets/canvas/minimap.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/common/corner.h"

namespace sluice::ui {
namespace {

constexpr QSize mapSize(190, 120);
constexpr int map_inset = 5, map_distance = 12;
constexpr int redraw_after = 60;  // ms

}  // namespace

Minimap::Minimap(GraphCanvas* canvas) : QWidget(canvas), canvas_(canvas) {
  setObjectName(QStringLiteral("minimap"));
  setAccessibleName(tr("Overview of the program"));
  setAccessibleDescription(tr("A picture for the mouse; with the keys one moves in the canvas itself."));
  setToolTip(tr("Press or drag to look somewhere else"));
  setCursor(Qt::PointingHandCursor);
  resize(mapSize);
  canvas->installEventFilter(this);
  connect(canvas, &GraphCanvas::viewChanged, this, &Minimap::follow);
  connect(canvas, &GraphCanvas::zoomChanged, this, &Minimap::follow);
  later_.setSingleShot(true);
  later_.setInterval(redraw_after);
  connect(&later_, &QTimer::timeout, this, &Minimap::redraw);
  connect(canvas->graphScene(), &QGraphicsScene::changed, this, [this] {
    if (!later_.isActive()) later_.start();
  });
  redraw();
}

void Minimap::setWanted(bool wanted) {
  wanted_ = wanted;
  follow();
}

QTransform Minimap::toMap() const {
  const QRectF room = QRectF(rect()).adjusted(map_inset, map_inset, -map_inset, -map_inset);
  if (content_.isEmpty()) return {};
  const double scale = std::min(room.width() / content_.width(), room.height() / content_.height());
  QTransform map;
  map.translate(room.center().x(), room.center().y());
  map.scale(scale, scale);
  map.translate(-content_.center().x(), -content_.center().y());
  return map;
}

QRectF Minimap::viewRect() const {
  const QRectF seen = canvas_->viewportTransform().inverted().mapRect(QRectF(canvas_->viewport()->rect()));
  return toMap().mapRect(seen);
}

/// Bottom right, bottom left, top right, top left; it stays where it is as long as it may.
bool Minimap::goToFreeCorner() {
  const QRect room =
      canvas_->viewport()->geometry().adjusted(map_distance, map_distance, -map_distance, -map_distance);
  const auto place = [&](int corner) {
    return QPoint(corner % 2 == 0 ? room.right() - width() + 1 : room.left(),
                  corner < 2 ? room.bottom() - height() + 1 : room.top());
  };
  if (held_) return true;
  for (int tried = 0; tried < 4; ++tried) {
    const int corner = (corner_ + tried) % 4;
    const QRectF there(place(corner) - canvas_->viewport()->pos(), size());
    const QRectF covered = canvas_->viewportTransform().inverted().mapRect(there);
    const QList<QWidget*> taken = cornerWidgets(canvas_);
    if (std::ranges::any_of(taken, [&](const QWidget* other) {
          return other->geometry().intersects(QRect(place(corner), size()));
        }))
      continue;
    if (!canvas_->graphScene()->isFree(covered)) continue;
    corner_ = corner;
    move(place(corner));
    return true;
  }
  return false;
}

void Minimap::follow() {
  const QRectF seen = canvas_->viewportTransform().inverted().mapRect(QRectF(canvas_->viewport()->rect()));
  const bool useful = wanted_ && !content_.isEmpty() && !seen.contains(content_);
  setVisible(useful && goToFreeCorner());
  update();
}

/// Once for many frames: only what moves or changes its look is drawn anew.
void Minimap::redraw() {
  content_ = canvas_->contentRect();
  outdated_ = true;
  follow();
}

/// When it is seen: it may be behind another view, or go to a finer screen. All from rectangles.
void Minimap::drawBoxes() {
  if (!outdated_ && boxes_.devicePixelRatio() == devicePixelRatioF()) return;
  outdated_ = false;
  const Picture& picture = canvas_->graphScene()->picture();
  boxes_ = QPixmap(size() * devicePixelRatioF());
  boxes_.setDevicePixelRatio(devicePixelRatioF());
  boxes_.fill(Qt::transparent);
  QPainter painter(&boxes_);
  const QTransform map = toMap();
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
    const SceneBox& box = picture.model.boxes[i];
    QRectF shown = map.mapRect(picture.rect(i));
    shown.setSize(shown.size().expandedTo({2, 2}));
    const bool frame = box.kind == SceneBox::Kind::Frame;
    painter.setPen(frame ? QPen(canvas_->theme().muted, 1) : QPen(Qt::NoPen));
    painter.setBrush(frame ? QBrush(Qt::NoBrush)
                           : QBrush(picture.boxes[i].selected ? canvas_->theme().selection
                                                              : canvas_->theme().category(box.category)));
    painter.drawRect(shown);
  }
}

void Minimap::paintEvent(QPaintEvent*) {
  drawBoxes();
  QPainter painter(this);
  QColor ground = canvas_->theme().box;
  ground.setAlphaF(0.92F);
  painter.setBrush(ground);
  painter.setPen(canvas_->theme().box_border);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
  painter.drawPixmap(0, 0, boxes_);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(canvas_->theme().selection, 1.5));
  painter.drawRect(viewRect().intersected(QRectF(rect()).adjusted(1, 1, -2, -2)));
}

void Minimap::lookAt(const QPointF& position) {
  canvas_->centerOn(toMap().inverted().map(position));
}

void Minimap::mousePressEvent(QMouseEvent* event) {
  held_ = true;
  lookAt(event->position());
}

void Minimap::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) lookAt(event->position());
}

void Minimap::mouseReleaseEvent(QMouseEvent*) {
  held_ = false;
  follow();
}

bool Minimap::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) follow();
  if (event->type() == QEvent::PaletteChange) redraw();
  return QWidget::eventFilter(watched, event);
}

}  // namespace sluice::ui

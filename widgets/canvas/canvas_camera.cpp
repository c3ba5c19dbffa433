#include "widgets/canvas/canvas_camera.h"

#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <utility>

#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/canvas/scene_presenter.h"
#include "widgets/common/corner.h"

namespace sluice::ui {
namespace {

constexpr double fit_margin = 8;                      // around what is fitted, in pixels
constexpr double well_seen = 0.5, hardly_seen = 0.3;  // shares of what could be in view
constexpr double row_margin = 24;                     // and where rows are chosen: labels stand beside them

QRectF labelsOf(const Picture& picture) {
  QRectF all;
  for (std::size_t link = 0; link < picture.links.size(); ++link) all |= picture.labelRect(link);
  for (const Plate& plate : picture.plates) all |= plate.area;
  return all;
}

}  // namespace

QPointF CanvasCamera::toScene(const QPointF& viewport_point) const {
  return canvas_.viewportTransform().inverted().map(viewport_point);
}

QPointF CanvasCamera::middle() const {
  return QRectF(canvas_.viewport()->rect()).center();
}

void CanvasCamera::zoomAbout(double factor, const QPointF& viewport_point) {
  factor = std::clamp(factor, GraphCanvas::minimum_zoom, GraphCanvas::maximum_zoom);
  stay();
  const QPointF kept = toScene(viewport_point);
  canvas_.setTransform(QTransform::fromScale(factor, factor));
  canvas_.graphScene()->setZoom(factor);
  updateScrollRange();
  scrollSo(kept, viewport_point);
  emit canvas_.zoomChanged(factor);
}

/// One screen of room around the content, so that any point of it can be brought anywhere, and the scroll
/// bars still mean something.
void CanvasCamera::updateScrollRange() {
  const QPointF center = toScene(middle());
  const double width = canvas_.viewport()->width() / canvas_.zoom(),
               height = canvas_.viewport()->height() / canvas_.zoom();
  canvas_.setSceneRect(canvas_.contentRect().adjusted(-width, -height, width, height));
  scrollSo(center, middle());
}

void CanvasCamera::scrollSo(const QPointF& scene_point, const QPointF& viewport_point) {
  const QPointF off = canvas_.viewportTransform().map(scene_point) - viewport_point;
  const auto scroll = [](QScrollBar* bar, double by) {
    bar->setValue(bar->value() + static_cast<int>(std::lround(by)));
  };
  scroll(canvas_.horizontalScrollBar(), off.x());
  scroll(canvas_.verticalScrollBar(), off.y());
}

void CanvasCamera::stay() {
  keep_fit_ = false;
  canvas_.graphScene()->keepLabelsIn({});
}

void CanvasCamera::pan(const QPoint& by) {
  stay();
  canvas_.horizontalScrollBar()->setValue(canvas_.horizontalScrollBar()->value() - by.x());
  canvas_.verticalScrollBar()->setValue(canvas_.verticalScrollBar()->value() - by.y());
}

/// What fitted things have, in pixels of the viewport.
QRectF CanvasCamera::fitRoom(const QMargins& kept) const {
  return QRectF(canvas_.viewport()->rect())
      .marginsRemoved(kept)
      .adjusted(fit_margin, fit_margin, -fit_margin, -fit_margin);
}

double CanvasCamera::fitZoom(const QRectF& rect, const QMargins& kept) const {
  constexpr double largest = 1.25;  // a graph of three boxes need not fill the window
  const QRectF room = fitRoom(kept);
  return std::min(
      {std::max(1.0, room.width()) / rect.width(), std::max(1.0, room.height()) / rect.height(), largest});
}

void CanvasCamera::fit(const QRectF& rect, const QMargins& kept) {
  if (rect.isEmpty()) return;
  const double zoom = std::clamp(fitZoom(rect, kept), GraphCanvas::minimum_zoom, GraphCanvas::maximum_zoom);
  const QPointF off = canvas_.viewportTransform().map(rect.center()) - fitRoom(kept).center();
  // Scrolling there and back would move all pixels twice.
  if (zoom != canvas_.zoom() || std::hypot(off.x(), off.y()) >= 1) {
    zoomAbout(zoom, middle());
    scrollSo(rect.center(), fitRoom(kept).center());
  } else {
    stay();
    updateScrollRange();
  }
}

/// Before it is shown, the viewport has no size of its own.
LayoutRoom CanvasCamera::room() const {
  const QSize size = canvas_.isVisible() ? canvas_.viewport()->size() : canvas_.size();
  return {std::max(1.0, size.width() - 2 * row_margin), std::max(1.0, size.height() - 2 * row_margin)};
}

void CanvasCamera::fillRoom() {
  canvas_.presenter().fitRoom(room());
  fitAll();
}

void CanvasCamera::fitAll() {
  const bool following = keep_fit_;
  canvas_.graphScene()->keepLabelsIn({});
  const QRectF content = canvas_.contentRect();
  const double plain = fitZoom(content, {});
  const auto looks = [](double zoom) { return std::pair(detailFor(zoom), textSizeFor(zoom)); };
  if (content.isEmpty() || looks(plain) != looks(canvas_.zoom())) fit(content);
  // Labels beside the outermost lines are seen, too, where names need not be small for that.
  const QRectF labelled = content | labelsOf(canvas_.graphScene()->picture());
  const bool labels_fit = fitZoom(labelled, {}) >= small_text_zoom;
  fit(labels_fit ? labelled : content);
  canvas_.placeLegend();
  const QMargins kept = keptForCorners();  // names are worth more than what stands there
  const QRectF& seen = labels_fit ? labelled : content;
  if (!kept.isNull() && detailFor(fitZoom(seen, kept)) == detailFor(canvas_.zoom())) fit(seen, kept);
  keep_fit_ = following;
  // What then would reach out of the view stands further inside, or not at all.
  if (!labels_fit)
    canvas_.graphScene()->keepLabelsIn(
        canvas_.viewportTransform().inverted().mapRect(QRectF(canvas_.viewport()->rect())));
}

void CanvasCamera::refit() {
  if (keep_fit_) fitAll();
}

bool CanvasCamera::coversABox(const QWidget& corner) const {
  const Picture& picture = canvas_.graphScene()->picture();
  const QRect place = corner.geometry().translated(-canvas_.viewport()->pos());
  const QRectF covered = canvas_.viewportTransform().inverted().mapRect(QRectF(place));
  for (std::size_t i = 0; i < picture.boxes.size(); ++i)
    if (picture.model.boxes[i].kind != SceneBox::Kind::Frame && picture.rect(i).intersects(covered))
      return true;
  return false;
}

QMargins CanvasCamera::keptForCorners() const {
  QMargins kept;
  const QRect view = canvas_.viewport()->geometry();
  for (const QWidget* corner : cornerWidgets(&canvas_)) {
    if (!coversABox(*corner)) continue;
    const QRect place = corner->geometry().translated(-view.topLeft());
    if (place.center().y() < view.height() / 2)
      kept.setTop(std::max(kept.top(), place.bottom()));
    else
      kept.setBottom(std::max(kept.bottom(), view.height() - place.top()));
  }
  return 2 * (kept.top() + kept.bottom()) < view.height() ? kept : QMargins();
}

void CanvasCamera::reveal(const QRectF& rect) {
  const QRectF seen = canvas_.viewportTransform().mapRect(rect);
  const QRectF room = QRectF(canvas_.viewport()->rect()).adjusted(24, 24, -24, -24);
  if (QRectF(canvas_.viewport()->rect()).contains(seen)) return;
  const double x = std::clamp(seen.left(), room.left(), std::max(room.left(), room.right() - seen.width()));
  const double y = std::clamp(seen.top(), room.top(), std::max(room.top(), room.bottom() - seen.height()));
  scrollSo(rect.topLeft(), {x, y});
}

void CanvasCamera::resized() {
  if (keep_fit_)
    fillRoom();
  else
    updateScrollRange();
}

void CanvasCamera::shown() {
  if (!std::exchange(fit_when_shown_, false)) return;
  if (keep_fit_)
    fillRoom();
  else
    fitAll();
}

void CanvasCamera::hold(const QString& node) {
  const Picture& picture = canvas_.graphScene()->picture();
  const std::size_t box = picture.model.visibleBox(node.toStdString());
  if (box != nowhere) anchor_ = {node, canvas_.viewportTransform().map(picture.rect(box).topLeft())};
}

void CanvasCamera::holdAndShow(const QString& node) {
  hold(node);
  stay();
  show_anchor_ = holds();
}

void CanvasCamera::holdStill() {
  stay();
  anchor_.emplace();
}

void CanvasCamera::follow(bool new_program) {
  updateScrollRange();
  if (new_program && !anchor_) {  // what is dropped on an empty canvas stays where it is
    fitAll();
    keep_fit_ = true;
  }
  if (!anchor_ || keep_fit_) return;
  const Picture& picture = canvas_.graphScene()->picture();
  const std::size_t box = picture.model.visibleBox(anchor_->first.toStdString());
  if (box != nowhere) scrollSo(picture.rect(box).topLeft(), anchor_->second);
}

double CanvasCamera::shareSeen() const {
  const QRectF view = canvas_.viewportTransform().inverted().mapRect(QRectF(canvas_.viewport()->rect()));
  const Picture& picture = canvas_.graphScene()->picture();
  const QRectF content = picture.contentRect();
  if (content.isEmpty() || view.isEmpty()) return 0;
  const QRectF seen = view & content;
  const double most = std::min(view.width(), content.width()) * std::min(view.height(), content.height());
  const bool a_box = std::ranges::any_of(picture.arrangement.boxes, [&view](const SceneRect& box) {
    return view.contains(QRectF(box.x, box.y, box.width, box.height));
  });
  return a_box ? seen.width() * seen.height() / most : 0;
}

void CanvasCamera::remember() {
  if (!seen_before_ && !keep_fit_) seen_before_ = shareSeen();
}

void CanvasCamera::settle() {
  updateScrollRange();
  refit();
  if (seen_before_.value_or(0) >= well_seen && shareSeen() < hardly_seen) fitAll();
  seen_before_.reset();
  if (show_anchor_) {
    const Picture& picture = canvas_.graphScene()->picture();
    const std::size_t box = picture.model.visibleBox(anchor_->first.toStdString());
    if (box != nowhere) reveal(picture.rect(box));
  }
  release();
}

}  // namespace sluice::ui

// GraphCanvas: what it puts on paper - the whole graph, without what is there to be clicked, laid out for the
// width of the paper, whatever the window's; in rows where it would be too small to be read.

#include <algorithm>
#include <cmath>

#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/canvas/scene_presenter.h"
#include "widgets/canvas/wrapped_picture.h"

namespace sluice::ui {
namespace {

constexpr double readable_scale = 0.6;  // text is 7 points high
constexpr double largest_scale = 1;     // a program of few boxes does not fill the page with them
constexpr double worth_a_row = 1.03;    // a chain of single boxes below each other is hard to follow

CanvasTheme paperTheme() {
  CanvasTheme theme = CanvasTheme::light(QStringLiteral("DejaVu Sans"));
  theme.on_paper = true;
  return theme;
}

WrappedPicture inPieces(const Picture& shown, double width) {
  return wrapped(shown.onPaper(paperTheme()), width, readable_scale);
}

/// Points for a scene unit, of what is in one piece.
double scaleOf(const QRectF& area, double width) {
  return std::min({width / area.width(), highest_page / area.height(), largest_scale});
}

}  // namespace

QRectF GraphCanvas::paintedRect(const Picture& picture) const {
  QRectF painted = contentOf(picture);
  for (std::size_t link = 0; link < picture.links.size(); ++link) painted |= picture.labelRect(link);
  for (const Plate& plate : picture.plates) painted |= plate.area;
  return painted;
}

void GraphCanvas::paintInto(QPainter& painter, const QRectF& target, const Picture& picture) const {
  const QRectF painted = paintedRect(picture);
  const double scale = std::min(target.width() / painted.width(), target.height() / painted.height());
  painter.save();
  painter.translate(target.center());
  painter.scale(scale, scale);
  painter.translate(-painted.center());
  paintLayers(painter, picture, CanvasLayer::Level::Below, true);
  paintGraph(painter, picture);
  paintLayers(painter, picture, CanvasLayer::Level::Over, true);
  painter.restore();
}

std::optional<Picture> GraphCanvas::inOnePiece(double width) const {
  const Picture& shown = scene_->picture();
  const bool can_be_rows = shown.boxes.size() <= most_boxes_in_rows;
  if (can_be_rows)
    if (std::optional<Arrangement> places = presenter_->inRoom({width, pageHeight(width), worth_a_row}))
      return shown.rearranged(*std::move(places)).onPaper(paperTheme());
  Picture as_it_is = shown.onPaper(paperTheme());
  const bool overlaid = std::any_of(layers_.begin(), layers_.end(), [](const CanvasLayer* layer) {
    return layer->exported() && !layer->empty();  // what it adds belongs to one picture
  });
  if (can_be_rows && !overlaid && width / paintedRect(as_it_is).width() < readable_scale) return std::nullopt;
  return as_it_is;
}

double GraphCanvas::paperScale(double width) const {
  if (contentRect().isEmpty()) return 1;
  const std::optional<Picture> whole = inOnePiece(width);
  if (!whole) return inPieces(scene_->picture(), width).scale;
  const QRectF area = paintedRect(*whole);
  return scaleOf(area, width);
}

double GraphCanvas::paperHeight(double width) const {
  if (contentRect().isEmpty()) return 0;
  const std::optional<Picture> whole = inOnePiece(width);
  if (!whole) return std::max(1.0, std::ceil(inPieces(scene_->picture(), width).height));
  const QRectF area = paintedRect(*whole);
  return std::max(1.0, std::ceil(area.height() * scaleOf(area, width)));
}

void GraphCanvas::paintForPrint(QPainter& painter, const QSizeF& size) const {
  if (contentRect().isEmpty()) return;
  if (const std::optional<Picture> whole = inOnePiece(size.width()))
    return paintInto(painter, QRectF(QPointF(), size), *whole);
  painter.save();
  paintWrapped(painter, inPieces(scene_->picture(), size.width()));
  painter.restore();
}

}  // namespace sluice::ui

// GraphCanvas: what it puts on paper - the whole graph, without what is there to be clicked, laid out for the
// width of the paper, whatever the window's; in rows where it would be too small to be read.

#include <algorithm>
#include <cmath>

#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/canvas/paper_graph.h"
#include "widgets/canvas/scene_presenter.h"

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

}  // namespace

QRectF GraphCanvas::paintedRect(const Picture& picture) const {
  QRectF painted = contentOf(picture);
  for (std::size_t link = 0; link < picture.links.size(); ++link) painted |= picture.labelRect(link);
  for (const Plate& plate : picture.plates) painted |= plate.area;
  constexpr double half_a_stroke = 1.5;  // paths and boxes are as wide as their outlines' middles
  return painted.adjusted(-half_a_stroke, -half_a_stroke, half_a_stroke, half_a_stroke);
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

std::optional<Picture> GraphCanvas::inOnePiece(LayoutRoom room) const {
  const Picture& shown = scene_->picture();
  const bool can_be_rows = shown.boxes.size() <= most_boxes_in_rows;
  if (can_be_rows)
    if (std::optional<Arrangement> places = presenter_->inRoom(room))
      return shown.rearranged(*std::move(places)).onPaper(paperTheme());
  Picture as_it_is = shown.onPaper(paperTheme());
  const bool overlaid = std::any_of(layers_.begin(), layers_.end(), [this](const CanvasLayer* layer) {
    return layer->exported() && shows(*layer);  // what it adds belongs to one picture
  });
  if (can_be_rows && !overlaid && room.width / paintedRect(as_it_is).width() < readable_scale)
    return std::nullopt;
  return as_it_is;
}

PaperGraph GraphCanvas::wholeOnPaper(QSizeF room, std::size_t rows) const {
  PaperGraph made;
  if (std::optional<Picture> whole = inOnePiece({room.width(), room.height(), worth_a_row, rows})) {
    made.picture = *std::move(whole);
    made.area = paintedRect(made.picture);
    made.scale =
        std::min({room.width() / made.area.width(), room.height() / made.area.height(), largest_scale});
    made.height = std::max(1.0, std::ceil(made.area.height() * made.scale));
    return made;
  }
  made.pieces = wrapped(scene_->picture().onPaper(paperTheme()), room.width(), readable_scale);
  made.scale = made.pieces->scale * std::min(1.0, room.height() / made.pieces->height);
  made.height = std::max(1.0, std::ceil(made.pieces->height));
  return made;
}

PaperGraph GraphCanvas::onPaper(double width) const {
  return onPaper({width, highest_page});
}

PaperGraph GraphCanvas::onPaper(QSizeF room) const {
  if (contentRect().isEmpty()) return {};
  const PaperSource source{
      .shown = scene_->picture(),
      .document = document(),
      .catalog = catalog_,
      .folding = presenter_->folding(),
      .groups = sceneGroups(),
      .whole = [this](QSizeF within, std::size_t rows) { return wholeOnPaper(within, rows); },
      .arrange = [this](const SceneModel& model,
                        LayoutRoom within) { return presenter_->inRoom(model, within); },
      .dress = [this](Picture& picture) { dress(picture); },
      .painted = [this](const Picture& picture) { return paintedRect(picture); }};
  return paperGraph(source, room);
}

double GraphCanvas::paperScale(double width) const {
  return onPaper(width).scale;
}

double GraphCanvas::paperHeight(double width) const {
  return onPaper(width).height;
}

void GraphCanvas::paintForPrint(QPainter& painter, const QSizeF& size) const {
  paintForPrint(painter, size, onPaper(size.width()));
}

void GraphCanvas::paintForPrint(QPainter& painter, const QSizeF& size, const PaperGraph& graph) const {
  if (contentRect().isEmpty()) return;
  if (!graph.pieces) return paintInto(painter, QRectF(QPointF(), size), graph.picture);
  painter.save();
  paintWrapped(painter, *graph.pieces);
  painter.restore();
}

}  // namespace sluice::ui

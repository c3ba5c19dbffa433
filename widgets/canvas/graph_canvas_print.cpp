// GraphCanvas: what it puts on paper - the whole graph, without what is there to be clicked, in rows where it
// would be too small to be read.

#include <algorithm>
#include <cmath>

#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/graph_scene.h"
#include "widgets/canvas/wrapped_picture.h"

namespace sluice::ui {
namespace {

constexpr double readable_scale = 0.6;  // text is 7 points high

CanvasTheme paperTheme() {
  CanvasTheme theme = CanvasTheme::light(QStringLiteral("DejaVu Sans"));
  theme.on_paper = true;
  return theme;
}

WrappedPicture paperPicture(const Picture& shown, double width) {
  return wrapped(shown.onPaper(paperTheme()), width, readable_scale);
}

}  // namespace

bool GraphCanvas::wraps(double width) const {
  // What overlays add belongs to one picture.
  const bool overlaid = std::any_of(layers_.begin(), layers_.end(), [](const CanvasLayer* layer) {
    return layer->exported() && !layer->empty();
  });
  return !overlaid && width / contentRect().width() < readable_scale;
}

double GraphCanvas::paperScale(double width) const {
  const QRectF content = contentRect();
  if (content.isEmpty()) return 1;
  return wraps(width) ? paperPicture(scene_->picture(), width).scale : width / content.width();
}

double GraphCanvas::paperHeight(double width) const {
  const QRectF content = contentRect();
  if (content.isEmpty()) return 0;
  const double height = wraps(width) ? paperPicture(scene_->picture(), width).height
                                     : width * content.height() / content.width();
  return std::max(1.0, std::ceil(height));
}

void GraphCanvas::paintForPrint(QPainter& painter, const QSizeF& size) const {
  if (contentRect().isEmpty()) return;
  if (!wraps(size.width())) return render(&painter, QRectF(QPointF(), size), paperTheme());
  painter.save();
  paintWrapped(painter, paperPicture(scene_->picture(), size.width()));
  painter.restore();
}

}  // namespace sluice::ui

// The canvas as a view: the middle of the window.

#include "app/window/shell/built_in_views.h"
#include "widgets/canvas/graph_canvas.h"

namespace sluice::ui::views {

ViewSpec canvas() {
  const auto make = [](const WindowContext& context) -> MadeView {
    const auto note = [canvas = context.canvas](int width) {
      const double size = canvasTextSize(*canvas, width);
      return QObject::tr("The canvas's text will be %1 pt%2.")
          .arg(QString::number(size, 'f', 1),
               size < 6.5 ? QObject::tr("; collapse regions or make it wider") : QString());
    };
    return {context.canvas,
            {{.id = QStringLiteral("canvas"),
              .title = QObject::tr("Canvas"),
              .group = ViewGroup::Program,
              .widget = context.canvas,
              .printable = [canvas = context.canvas](const View&) { return printable(*canvas); },
              .note = note}}};
  };
  return {.id = "canvas", .title = "Canvas", .area = Area::Middle, .make = make};
}

}  // namespace sluice::ui::views

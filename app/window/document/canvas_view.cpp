// The canvas as a view: the middle of the window.

#include "app/window/shell/built_in_views.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/paper_graph.h"

namespace sluice::ui::views {

ViewSpec canvas() {
  const auto make = [](const WindowContext& context) -> MadeView {
    const auto note = [canvas = context.canvas](int width) {
      const PaperGraph graph = canvas->onPaper(width);
      const QString left_out = graph.note();
      return QObject::tr("The canvas's text will be %1 pt%2.")
          .arg(QString::number(graph.textSize(), 'f', 1),
               !graph.readable()    ? QObject::tr("; collapse regions or make it wider")
               : left_out.isEmpty() ? QString()
                                    : QObject::tr(", of the graph with %1").arg(left_out));
    };
    return {context.canvas,
            {{.id = QStringLiteral("canvas"),
              .title = QObject::tr("Canvas"),
              .group = ViewGroup::Program,
              .widget = context.canvas,
              .exportable = [canvas = context.canvas](const View&) { return exportable(*canvas); },
              .note = note}}};
  };
  return {.id = "canvas", .title = "Canvas", .area = Area::Middle, .make = make};
}

}  // namespace sluice::ui::views

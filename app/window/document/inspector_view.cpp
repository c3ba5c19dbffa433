// The inspector as a view: what is selected, and its parameters. Return or a double click on an operator goes
// to the first of them.

#include "app/window/shell/built_in_views.h"
#include "app/window/shell/panels.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/inspector/inspector.h"

namespace sluice::ui::views {
namespace {

MadeView makeInspector(const WindowContext& context) {
  QObject::connect(context.canvas, &GraphCanvas::nodeActivated, context.inspector,
                   [inspector = context.inspector, panels = context.panels](const QString& node) {
                     panels->raise(QStringLiteral("inspector"));
                     inspector->selectNode(node);
                     inspector->startEditing();
                   });
  return {context.inspector};
}

}  // namespace

ViewSpec inspector() {
  return {.id = "inspector", .title = "Inspector", .area = Area::Right, .make = makeInspector};
}

}  // namespace sluice::ui::views

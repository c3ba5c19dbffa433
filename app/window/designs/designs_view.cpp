// The designs that were found as a view: closed until the first search.

#include "app/window/designs/designs_controller.h"
#include "app/window/designs/designs_panel.h"
#include "app/window/run/results_view.h"
#include "app/window/shell/built_in_views.h"

namespace sluice::ui::views {

ViewSpec designs() {
  const auto make = [](const WindowContext& context) -> MadeView {
    auto* designs = new DesignsController(context);
    QObject::connect(designs, &DesignsController::remarked, context.results, &ResultsView::setDesignRemarks);
    return {designs->panel()};
  };
  return {.id = "designs",
          .title = "Designs",
          .area = Area::Bottom,
          .make = make,
          .tab_of = "pareto",
          .hidden = true};
}

}  // namespace sluice::ui::views

// The designs that were found as a view: closed until the first search.

#include "app/window/designs/designs_controller.h"
#include "app/window/designs/designs_panel.h"
#include "app/window/run/results_view.h"
#include "app/window/shell/built_in_views.h"
#include "widgets/plots/pareto_chart.h"

namespace sluice::ui::views {

ViewSpec designs() {
  const auto make = [](const WindowContext& context) -> MadeView {
    auto* designs = new DesignsController(context);
    QObject::connect(designs, &DesignsController::remarked, context.results, &ResultsView::setDesignRemarks);
    DesignsPanel* panel = designs->panel();
    View exported{
        .id = QStringLiteral("designs"),
        .title = QObject::tr("Designs"),
        .widget = panel,
        .exportable = [panel](const View& view) { return exportable(*panel->chart(), view.id, view.title); },
        .missing =
            [panel] {
              return missingUnless(!panel->designs().empty(), "the chart of designs",
                                   "no design has been found", "find designs (Run > Find Designs)");
            }};
    return {panel, {std::move(exported)}};
  };
  return {.id = "designs",
          .title = "Designs",
          .area = Area::Bottom,
          .make = make,
          .tab_of = "pareto",
          .hidden = true};
}

}  // namespace sluice::ui::views

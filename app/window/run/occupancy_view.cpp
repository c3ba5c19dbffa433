// FIFO occupancy as a view: a tab beside the diagnostics.

#include "app/window/shell/built_in_views.h"
#include "widgets/plots/occupancy_plot.h"

namespace sluice::ui::views {

ViewSpec occupancy() {
  const auto make = [](const WindowContext& context) -> MadeView {
    OccupancyPlot* plot = context.occupancy;
    return {plot,
            {{.id = QStringLiteral("occupancy"),
              .title = QObject::tr("FIFO occupancy plot"),
              .group = ViewGroup::Run,
              .widget = plot,
              .exportable = [plot](const View& view) {
                return exportable(*plot, view.id, QObject::tr("FIFO occupancy"));
              }}}};
  };
  return {.id = "occupancy", .title = "FIFO occupancy", .area = Area::Run, .make = make};
}

}  // namespace sluice::ui::views

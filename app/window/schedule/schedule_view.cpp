// The schedule as a view: the transformations of the program, in order.

#include "app/window/run/results_view.h"
#include "app/window/schedule/schedule_controller.h"
#include "app/window/schedule/schedule_panel.h"
#include "app/window/shell/built_in_views.h"

namespace sluice::ui::views {

ViewSpec schedule() {
  const auto make = [](const WindowContext& context) -> MadeView {
    auto* schedule = new ScheduleController(context);
    QObject::connect(schedule, &ScheduleController::traced, context.results, &ResultsView::setTrace);
    return {schedule->panel()};
  };
  return {.id = "schedule", .title = "Schedule", .area = Area::Left, .make = make, .tab_of = "design"};
}

}  // namespace sluice::ui::views

// The views of explored points, whose widgets are the ExplorerPane's.

#include "app/window/explore/explorer_pane.h"
#include "app/window/shell/built_in_views.h"
#include "widgets/decision/decision_panel.h"
#include "widgets/decision/sensitivity_view.h"
#include "widgets/export/table_picture.h"
#include "widgets/parallel/parallel_view.h"
#include "widgets/plots/hypervolume_plot.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/points/points_table.h"

namespace sluice::ui::views {
namespace {

MadeView page(QWidget* widget, View view) {
  view.widget = widget;
  return {widget, {std::move(view)}};
}

MadeView pointsPage(ExplorerPane* pane) {
  const auto table = [pane](const View& view) {
    return exportable(*pane->table()->model(), {view.id, view.title},
                      [pane] { return pane->pareto()->chart()->csv(); });
  };
  const auto missing = [pane] {
    return missingUnless(!pane->points()->points().empty(), "the table of points",
                         "no point has been evaluated", "explore the design space (F5)");
  };
  return page(pane->table(), {.id = QStringLiteral("points"),
                              .title = QObject::tr("Table of points"),
                              .group = ViewGroup::Tables,
                              .is_table = true,
                              .exportable = table,
                              .missing = missing});
}

}  // namespace

ViewSpec pareto() {
  const auto make = [](const WindowContext& context) {
    ParetoPlot* plot = context.explorer->pareto();
    const auto paper = [plot](const View& view) { return exportable(*plot->chart(), view.id, view.title); };
    return page(plot,
                {.id = QStringLiteral("pareto"), .title = QObject::tr("Pareto plot"), .exportable = paper});
  };
  return {.id = "pareto", .title = "Pareto", .area = Area::Points, .make = make};
}

ViewSpec points() {
  return {.id = "points", .title = "Points", .area = Area::Points, .make = [](const WindowContext& context) {
            return pointsPage(context.explorer);
          }};
}

ViewSpec parallel() {
  const auto make = [](const WindowContext& context) {
    ParallelView* axes = context.explorer->parallel();
    return page(axes, {.id = QStringLiteral("parallel"),
                       .title = QObject::tr("Parallel coordinates"),
                       .exportable = [axes](const View&) { return exportable(*axes); }});
  };
  return {.id = "parallel", .title = "Parallel", .area = Area::Points, .make = make};
}

ViewSpec sensitivity() {
  const auto make = [](const WindowContext& context) {
    SensitivityView* table = context.explorer->sensitivity();
    return page(table, {.id = QStringLiteral("sensitivity"),
                        .title = QObject::tr("Sensitivity"),
                        .exportable = [table](const View&) { return exportable(*table); }});
  };
  return {.id = "sensitivity", .title = "Sensitivity", .area = Area::Points, .make = make};
}

ViewSpec hypervolume() {
  const auto make = [](const WindowContext& context) {
    HypervolumePlot* plot = context.explorer->hypervolume();
    const auto paper = [plot](const View& view) { return exportable(*plot, view.id, view.title); };
    return page(
        plot,
        {.id = QStringLiteral("hypervolume"), .title = QObject::tr("Hypervolume"), .exportable = paper});
  };
  return {.id = "hypervolume", .title = "Hypervolume", .area = Area::Points, .make = make};
}

ViewSpec choice() {
  return {.id = "choose",
          .title = "Choose",
          .area = Area::Points,
          .make = [](const WindowContext& context) -> MadeView { return {context.explorer->decision()}; }};
}

}  // namespace sluice::ui::views

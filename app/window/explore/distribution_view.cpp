// A design under every trace of a set as a view: it opens with a program whose input is one.

#include <QDockWidget>
#include <QMainWindow>
#include <QTabWidget>
#include <memory>
#include <utility>

#include "app/window/explore/distribution_controller.h"
#include "app/window/shell/built_in_views.h"
#include "app/window/shell/panels.h"
#include "widgets/distributions/box_plot.h"
#include "widgets/distributions/distribution_panel.h"
#include "widgets/distributions/distribution_plot.h"
#include "widgets/distributions/experts_plot.h"
#include "widgets/distributions/trace_model.h"
#include "widgets/export/table_picture.h"
#include "widgets/plots/occupancy_plot.h"

namespace sluice::ui::views {
namespace {

std::vector<View> exportedOf(DistributionPanel* panel) {
  std::vector<View> exported;
  View page;
  page.group = ViewGroup::Points;
  page.area = panel;
  page.missing = [panel] {
    return missingUnless(panel->shown().set && panel->shown().samples, "the distribution",
                         "no input is a set of traces, or they have not been run",
                         "give a set of traces in the Design view, and open the view Distribution");
  };
  const auto add = [&](const char* id, const QString& title, DistributionPanel::Page at, auto&& printed) {
    page.id = QString::fromLatin1(id);
    page.title = title;
    page.widget = panel->page(at);
    page.exportable = printed;
    exported.push_back(page);
  };
  using Page = DistributionPanel::Page;
  add("distribution", QObject::tr("Distribution over traces"), Page::Distribution,
      [panel](const View&) { return exportable(*panel->distribution()); });
  add("boxes", QObject::tr("Designs over traces, as boxes"), Page::Designs,
      [panel](const View&) { return exportable(*panel->boxes()); });
  add("fifo-bands", QObject::tr("FIFO occupancy with bands over traces"), Page::Fifos,
      [panel](const View& view) { return exportable(*panel->fifos(), view.id, view.title, 0.5); });
  add("experts", QObject::tr("Tokens of experts"), Page::Experts,
      [panel](const View&) { return exportable(*panel->experts()); });
  page.group = ViewGroup::Tables;
  page.is_table = true;
  add("traces", QObject::tr("Table of traces"), Page::Traces, [panel](const View& view) {
    return exportable(*panel->table()->model(), {view.id, view.title},
                      [panel] { return panel->traces()->csv(); });
  });
  return exported;
}

MadeView makeDistribution(const WindowContext& context) {
  auto* control = new DistributionController(context);
  const auto placed = [control, panels = context.panels](QDockWidget& dock) {
    QObject::connect(&dock, &QDockWidget::visibilityChanged, control, &DistributionController::setWanted);
    const auto opened = std::make_shared<bool>(false);  // by itself, where it was closed
    QObject::connect(control, &DistributionController::setOpened, &dock, [panels, opened, &dock] {
      *opened = dock.isHidden();
      panels->raise(QStringLiteral("distribution"));
    });
    QObject::connect(control, &DistributionController::setClosed, &dock, [opened, &dock] {
      if (std::exchange(*opened, false)) dock.hide();
    });
  };
  return {control->panel(), exportedOf(control->panel()), placed};
}

}  // namespace

ViewSpec distribution() {
  return {.id = "distribution",
          .title = "Distribution",
          .area = Area::Bottom,
          .make = makeDistribution,
          .tab_of = "occupancy",
          .hidden = true};
}

}  // namespace sluice::ui::views

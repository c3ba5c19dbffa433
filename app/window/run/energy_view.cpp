// What the run costs in joules as a view: a tab beside the diagnostics. While it shows, so does the canvas.

#include <QDockWidget>
#include <QMainWindow>

#include "app/window/document/document_controller.h"
#include "app/window/run/results_view.h"
#include "app/window/shell/built_in_views.h"
#include "app/window/shell/docks.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/energy/energy_panel.h"
#include "widgets/energy/energy_plot.h"
#include "widgets/export/table_picture.h"

namespace sluice::ui::views {
namespace {

struct SeenCosts {
  CostOverlay costs{{}, QStringLiteral("J")};
  double elsewhere = 0;  ///< J, of what no node of the shown program stands for
};

/// What each node of the shown program costs: where that is the program without its schedule, with all that
/// the schedule has made of it.
SeenCosts costsOf(const EnergyPanel& panel, const ResultsView& results) {
  SeenCosts seen;
  if (!panel.run()) return seen;
  const GraphCorrespondence& shown = results.shownFromPoint();
  const std::shared_ptr<const ScheduleTrace>& trace = results.trace();
  const std::vector<EnergyBreakdown::Row> rows = energyBreakdown(*panel.run(), EnergyGroups::Operators).rows;
  for (std::size_t i = 1; i < rows.size(); ++i) {  // behind the whole run
    const std::string place = rows[i].place.toStdString();
    const std::string origin = shown.nodes.contains(place) ? place : trace ? trace->originOf(place) : "";
    if (!origin.empty() && findNode(results.document(), origin))
      seen.costs.costs[qt(origin)] += rows[i].parts.total();
    else
      seen.elsewhere += rows[i].parts.total();
  }
  return seen;
}

std::vector<View> exportedOf(EnergyPanel* panel) {
  const auto missing = [panel]() -> std::optional<Diagnostic> {
    if (panel->run()) return energyMissing(*panel->run());
    return missingUnless(false, "the energy", "there is no run", "wait for the simulation");
  };
  return {{.id = QStringLiteral("energy"),
           .title = QObject::tr("Energy as stacked bars"),
           .group = ViewGroup::Run,
           .widget = panel,
           .exportable = [panel](const View&) { return exportable(*panel->plot()); },
           .missing = missing},
          {.id = QStringLiteral("energy-table"),
           .title = QObject::tr("Table of energy"),
           .group = ViewGroup::Tables,
           .widget = panel->table(),
           .is_table = true,
           .exportable =
               [panel](const View& view) {
                 return exportable(*panel->table()->model(), {view.id, view.title},
                                   [panel] { return panel->plot()->csv(); });
               },
           .missing = missing}};
}

MadeView makeEnergy(const WindowContext& context) {
  auto* panel = new EnergyPanel;
  QObject::connect(panel, &EnergyPanel::placeActivated, context.window, context.jump);
  QObject::connect(context.results, &ResultsView::staleChanged, panel, &EnergyPanel::setStale);
  const auto follow_document = [panel, documents = context.documents] {
    if (documents->hasDocument()) panel->setTechnology(qt(documents->document().machine.technology));
  };
  QObject::connect(context.documents, &DocumentController::opened, panel, follow_document);
  QObject::connect(context.documents, &DocumentController::changed, panel, follow_document);
  QObject::connect(panel, &EnergyPanel::technologyChosen, context.window, [context](const QString& name) {
    context.documents->edit(QObject::tr("Choose a technology"), [&name](Document& document) {
      document.machine.technology = name.toStdString();
    });
  });
  const auto placed = [panel, context](QDockWidget& dock) {
    const auto show = [panel, context](bool seen) {
      panel->setRun(context.results->point());
      const SeenCosts costs = seen && panel->heats() ? costsOf(*panel, *context.results) : SeenCosts();
      context.canvas->setCostOverlay(costs.costs);
      panel->setElsewhere(costs.elsewhere);
    };
    const auto follow = [show, &dock] { show(isInFront(dock)); };
    QObject::connect(&dock, &QDockWidget::visibilityChanged, panel, show);
    QObject::connect(context.results, &ResultsView::pointShown, panel, follow);
    QObject::connect(context.results, &ResultsView::traceShown, panel, follow);
    QObject::connect(panel, &EnergyPanel::heatChanged, panel, follow);
  };
  return {panel, exportedOf(panel), placed};
}

}  // namespace

ViewSpec energy() {
  return {.id = "energy", .title = "Energy", .area = Area::Run, .make = makeEnergy};
}

}  // namespace sluice::ui::views

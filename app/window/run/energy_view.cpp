// What the run costs in joules as a view: a tab beside the diagnostics. While it shows, so does the canvas.

#include <QDockWidget>
#include <QMainWindow>

#include "app/window/document/document_controller.h"
#include "app/window/run/results_view.h"
#include "app/window/shell/built_in_views.h"
#include "app/window/shell/docks.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/energy/energy_panel.h"
#include "widgets/energy/energy_plot.h"
#include "widgets/export/table_picture.h"

namespace sluice::ui::views {
namespace {

/// What each operator of the shown program costs.
CostOverlay costsOf(const EnergyPanel& panel, const ProgramMatch& shown) {
  CostOverlay costs{{}, QStringLiteral("J")};
  if (!panel.run()) return costs;
  for (const EnergyBreakdown::Row& row : energyBreakdown(*panel.run(), EnergyGroups::Operators).rows)
    if (shown.nodes.contains(row.place.toStdString())) costs.costs[row.place] = row.parts.total();
  return costs;
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
           .printable = [panel](const View&) { return printable(*panel->plot()); },
           .missing = missing},
          {.id = QStringLiteral("energy-table"),
           .title = QObject::tr("Table of energy"),
           .group = ViewGroup::Tables,
           .widget = panel->table(),
           .is_table = true,
           .printable =
               [panel](const View& view) {
                 return printable(*panel->table()->model(), {view.id, view.title},
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
      context.canvas->setCostOverlay(
          seen && panel->heats() ? costsOf(*panel, context.results->shownFromPoint()) : CostOverlay());
    };
    const auto follow = [show, &dock] { show(isInFront(dock)); };
    QObject::connect(&dock, &QDockWidget::visibilityChanged, panel, show);
    QObject::connect(context.results, &ResultsView::pointShown, panel, follow);
    QObject::connect(panel, &EnergyPanel::heatChanged, panel, follow);
  };
  return {panel, exportedOf(panel), placed};
}

}  // namespace

ViewSpec energy() {
  return {.id = "energy", .title = "Energy", .area = Area::Run, .make = makeEnergy};
}

}  // namespace sluice::ui::views

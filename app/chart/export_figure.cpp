// runExportJob() of a figure that the program's file describes: what its panels show is computed, and the
// window's own sheet is written.

#include <QApplication>

#include "app/chart/export_job.h"
#include "app/chart/export_work.h"
#include "engine/program/spelling.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/export/export.h"
#include "widgets/export/figure_sheet.h"
#include "widgets/points/point_selection.h"

namespace sluice {

using namespace ui;

Result<Done> exportFigure(const ExportJob& job, const WorkloadSet& set) {
  const Workload& workload = *set.workload;
  const Document& document = workload.document;
  const Figure* figure = findFigure(document, job.figure);
  if (!figure)
    return error("unknown-name", Location(Where::Figure, job.figure), "the program has no such figure",
                 "compose it in the window: File, Compose Figure");
  const auto any = [figure](auto&& asks) {
    return std::ranges::any_of(figure->panels, asks, &FigurePanel::view);
  };
  PointsModel points;
  FigureData data;
  if (any(showsPoints)) {
    SLUICE_TRY(const Exploration exploration, exploreAll(set));
    points.setKnobNames(knobNames(document.knobs));
    points.setPoints(exploration.points);
    data.points = &points;
  }
  for (const auto& [knobs, mode] : runsOf(document, *figure)) {
    SLUICE_TRY(PointResult run, evaluate(workload, knobs, mode));
    data.runs[knobs] = std::make_shared<const PointResult>(std::move(run));
  }
  std::unique_ptr<GraphCanvas> canvas;
  if (any([](PanelView view) { return view == PanelView::Graph; })) {
    canvas = laidOut(workload, job.knobs);
    data.canvas = canvas.get();
  }
  const FigureSheet sheet(document, *figure, data);
  if (const std::optional<Diagnostic> why = sheet.missing()) return *why;
  return writePicture(job, sheet.printable(), sheet.style());
}

}  // namespace sluice

// runExportJob() of a figure that the program's file describes: what its panels show is computed, and the
// window's own sheet is written.

#include <QApplication>

#include "app/chart/export_job.h"
#include "app/chart/export_work.h"
#include "engine/designer/stored_designs.h"
#include "engine/distributions/trace_evaluator.h"
#include "engine/explorer/program_bounds.h"
#include "engine/program/spelling.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/export/export.h"
#include "widgets/export/figure_sheet.h"
#include "widgets/export/found_designs.h"
#include "widgets/points/point_selection.h"

namespace sluice {

using namespace ui;

namespace {

/// The designs of the job's store, as the window shows them.
Result<Done> showDesigns(const ExportJob& job, const WorkloadSet& set, PointsModel& designs,
                         FigureData& data) {
  if (job.designs.empty())
    return error(
        "missing-data", Location(Where::Figure, job.figure),
        "a panel shows designs, which a program does not keep",
        "name the result store that they are in: --designs STORE, as 'design --store STORE' writes it");
  SLUICE_TRY(StoredDesigns stored, storedDesigns(job.designs, set));
  for (DesignPoint& point : stored.points) hideBounds(point);
  designs.setKnobNames(knobNames(set.workload->document.knobs));
  designs.setPoints(stored.points);
  data.designs = &designs;
  data.sought = stored.search.objectives;
  if (set.empty())
    if (const auto bounds = programBounds(*set.workload, job.knobs))
      data.bounds = provedBounds(*bounds, data.sought);
  return Done{};
}

}  // namespace

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
  PointsModel points, designs;
  FigureData data;
  if (any([](PanelView view) { return view == PanelView::Designs; }))
    SLUICE_CHECK(showDesigns(job, set, designs, data));
  if (any(showsPoints) || any([](PanelView view) { return view == PanelView::Boxes; })) {
    const auto samples = std::make_shared<SampleTable>();
    SLUICE_TRY(const Exploration exploration, exploreAll(set, samples));
    points.setKnobNames(knobNames(document.knobs));
    points.setPoints(exploration.points);
    data.points = &points;
    for (auto& [knobs, sampled] : samples->all()) data.explored.push_back({knobs, sampled});
  }
  for (const auto& [knobs, mode] : runsOf(document, *figure)) {
    SLUICE_TRY(PointResult run, evaluate(workload, knobs, mode));
    data.runs[knobs] = std::make_shared<const PointResult>(std::move(run));
  }
  data.traces = std::make_shared<const WorkloadSet>(set);
  const std::unique_ptr<Executor> executor = makeExecutor();
  for (const KnobValues& knobs : set.empty() ? std::set<KnobValues>() : sampledOf(document, *figure)) {
    SLUICE_TRY(data.samples[knobs], samplesOf(set, knobs, *executor));
  }
  std::unique_ptr<GraphCanvas> canvas;
  if (any([](PanelView view) { return view == PanelView::Graph; })) {
    SLUICE_TRY(canvas, laidOut(job, workload));
    data.canvas = canvas.get();
  }
  const FigureSheet sheet(document, *figure, data);
  if (const std::optional<Diagnostic> why = sheet.missing()) return *why;
  return writePicture(job, sheet.exportable(), sheet.style());
}

}  // namespace sluice

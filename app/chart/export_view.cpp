// runExportJob: the window's own views, filled by the engine and written by the window's own export.

#include <QApplication>
#include <cmath>

#include "app/chart/export_job.h"
#include "app/chart/export_work.h"
#include "app/cli/chart_helper.h"
#include "app/cli/progress.h"
#include "engine/distributions/set_search.h"
#include "engine/explorer/explore.h"
#include "engine/operators/fault_diagnostic.h"
#include "engine/program/file_format.h"
#include "engine/program/trust.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/trust_line.h"
#include "widgets/decision/sensitivity_view.h"
#include "widgets/energy/energy_plot.h"
#include "widgets/export/export.h"
#include "widgets/parallel/parallel_view.h"
#include "widgets/plots/occupancy_traces.h"
#include "widgets/plots/pareto_chart.h"
#include "widgets/plots/plot.h"
#include "widgets/timeline/time_cursor.h"
#include "widgets/timeline/timeline_view.h"

namespace sluice {
namespace {

using namespace ui;

QString titleOf(const ExportJob& job, const Workload& workload) {
  const std::string& title = workload.document.title;
  return qt(title.empty() ? std::filesystem::path(job.file).filename().string() : title);
}

/// `trust`: of the cycles that it shows.
Result<Done> write(const ExportJob& job, Exportable picture, const TrustLabel& trust) {
  picture.trust = trustLine(qt(text(trust)));
  return writePicture(job, picture, {job.width, job.text});
}

/// Of the one point that the job shows.
TrustLabel trustAt(const ExportJob& job, const Workload& workload) {
  return trustOf(workload.document, job.knobs, workload.inputs);
}

Result<Done> exportPoints(const ExportJob& job, const WorkloadSet& set) {
  const Workload& workload = *set.workload;
  SLUICE_TRY(const Exploration exploration, exploreAll(set));
  PointsModel model;
  PointColumns columns(&model);
  PointSelection selection(&columns);
  model.setKnobNames(knobNames(workload.document.knobs));
  model.setPoints(exploration.points);
  if (job.chart == "pareto") {
    for (const auto& [option, axis] : {std::pair("--x ", job.x), std::pair("--y ", job.y)})
      if (!columns.find(qt(axis)))
        return error("unknown-metric", Location(Where::Option, option + axis),
                     "there is no such metric or knob", "use one of those that 'explore' prints");
    ParetoChart chart(&selection);
    chart.setLogarithmic(job.log_x, job.log_y);
    chart.setMetrics(qt(job.x), qt(job.y));
    return write(job, exportable(chart, QStringLiteral("pareto"), titleOf(job, workload)),
                 trustOf(workload.document));
  }
  if (job.chart == "sensitivity") {
    SensitivityView view(&selection);
    return write(job, exportable(view), trustOf(workload.document));
  }
  ParallelView view(&selection);
  return write(job, exportable(view), trustOf(workload.document));
}

Result<Done> exportOccupancy(const ExportJob& job, const WorkloadSet& set) {
  const Workload& workload = *set.workload;
  SLUICE_TRY(const PointResult point, evaluate(workload, job.knobs, RecordMode::Record));
  if (const auto& fault = point.simulation.fault) return faultDiagnostic(point.symbolic.graph, *fault);
  std::vector<OccupancyTrace> traces = fullestTraces(point, job.stream);
  if (traces.empty())
    return error("unknown-name", Location(Where::Stream, job.stream), "the program has no such stream",
                 "name one as 'simulate --all' does");
  std::vector<std::string> names;
  for (const OccupancyTrace& trace : traces) names.push_back(trace.name.toStdString());
  SLUICE_TRY(std::vector<OccupancyBand> bands, bandsOf(job, set, names));
  OccupancyPlot plot;
  plot.setTraces(std::move(traces), point.simulation.cycles, {});
  plot.setBands(std::move(bands));
  return write(job, exportable(plot, QStringLiteral("fifo"), titleOf(job, workload), 0.5),
               trustAt(job, workload));
}

Result<Done> exportEnergy(const ExportJob& job, const Workload& workload) {
  SLUICE_TRY(const PointResult point, evaluate(workload, job.knobs, RecordMode::Count));
  if (const auto& fault = point.simulation.fault) return faultDiagnostic(point.symbolic.graph, *fault);
  if (std::optional<Diagnostic> why = energyMissing(point)) return *std::move(why);
  EnergyPlot plot;
  plot.setBreakdown(
      energyBreakdown(point, job.by == "region" ? EnergyGroups::Regions : EnergyGroups::Operators));
  return write(job, exportable(plot), {});  // energies are of the model
}

Result<Done> exportTimeline(const ExportJob& job, const Workload& workload) {
  SLUICE_TRY(PointResult evaluated, evaluate(workload, job.knobs, RecordMode::Timeline));
  const auto point = std::make_shared<const PointResult>(std::move(evaluated));
  TimeCursor cursor;
  TimelineView view(&cursor);
  view.setRun({std::shared_ptr<const FlatGraph>(point, &point->symbolic.graph), point->simulation.timeline},
              {});
  view.setFilter(qt(job.stream));
  if (view.rows().shown().empty())
    return error("unknown-name", Location(Where::Option, "--stream " + job.stream), "the run has no such row",
                 "name operators or streams as 'simulate --all' does");
  return write(job, exportable(view), trustAt(job, workload));
}

Result<Done> exportGraph(const ExportJob& job, const Workload& workload, Diagnostics& warnings) {
  SLUICE_TRY(const std::unique_ptr<GraphCanvas> canvas, laidOut(job, workload));
  const auto paper = std::make_shared<CanvasPaper>(*canvas);
  if (job.format == "csv") return write(job, exportable(paper), trustAt(job, workload));
  const Location place(Where::Option, "--width");
  const PaperGraph& graph = paper->in(job.width);
  if (!graph.readable())
    return error("text-too-small", place,
                 "the text of the graph would be " + QString::number(graph.textSize(), 'f', 1).toStdString() +
                     " points high there, even of the names alone",
                 "make it wider, for example --width 7in, or group operators into regions");
  if (const QString left_out = graph.note(); !left_out.isEmpty())
    warnings.push_back(
        note("text-too-small", place,
             "all of the graph would be too small there: it is drawn with " + left_out.toStdString(),
             "make it wider, for example --width 7in, to have more of it"));
  return write(job, exportable(paper), trustAt(job, workload));
}

}  // namespace

Result<Exploration> exploreAll(const WorkloadSet& set, std::shared_ptr<SampleTable> table) {
  const Workload& workload = *set.workload;
  const std::unique_ptr<Executor> executor = makeExecutor();
  cli::ProgressLine line;
  ExploreOptions options;
  options.on_point = [&line](std::uint64_t, const DesignPoint&, const ExploreProgress& progress) {
    line.show(std::to_string(progress.evaluated) + " of " + std::to_string(progress.total) + " points",
              static_cast<double>(progress.evaluated) / static_cast<double>(progress.total),
              progress.seconds_left);
  };
  if (set.empty()) {
    Result<Exploration> explored = explore(workload, *executor, options);
    line.clear();
    return explored;
  }
  SLUICE_TRY(const std::unique_ptr<SetSearch> search, SetSearch::begin(set, *executor, {}, options));
  search->showSpreads(std::move(table));
  Result<Exploration> explored = explore(workload, search->evaluator(), options);
  line.clear();
  return explored;
}

Result<std::unique_ptr<GraphCanvas>> laidOut(const ExportJob& job, const Workload& workload) {
  auto canvas = std::make_unique<GraphCanvas>(
      builtInCatalog(), QCoreApplication::applicationDirPath() + QStringLiteral("/sluice-layout"));
  const Result<SymbolicResult> types = evaluateSymbolic(workload, job.knobs);
  if (job.scheduled && !types) return types.diagnostics();
  const bool other = types && types->scheduled;  // than the program itself
  canvas->setDocument(job.scheduled && other ? types->scheduled->document : workload.document);
  if (types && (job.scheduled || !other)) {
    QHash<QString, QString> labels;
    for (std::size_t i = 0; i < std::min(types->graph.streams.size(), types->inference.streams.size()); ++i) {
      QString& label = labels[qt(types->graph.streams[i].origin)];
      if (label.isEmpty()) label = qt(text(types->inference.streams[i].shape));
    }
    canvas->setStreamLabels(labels);
  }
  while (canvas->layoutPending()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
  return canvas;
}

Result<Done> writePicture(const ExportJob& job, const Exportable& picture, const PrintStyle& style) {
  const auto format = formatOf("x." + job.format);
  if (!format)
    return error("unknown-file-suffix", Location(Where::Option, "--format " + job.format),
                 "there is no such format", "use pdf, svg, png, pgf or csv");
  return writeExportable(picture, job.out, *format, style);
}

Result<Done> runExportJob(const ExportJob& job, Diagnostics& warnings) {
  SLUICE_TRY(Document document, loadDocument(job.file));
  // The panels of a figure show runs at the defaults, where they have no knobs of their own.
  for (Knob& knob : document.knobs)
    if (const auto set = job.knobs.find(knob.name); set != job.knobs.end()) knob.initial = set->second;
  document.machine.technology = job.technology;
  if (job.clock_mhz != 0) document.machine.clock_mhz = job.clock_mhz;
  const auto folder = std::filesystem::path(job.file).parent_path();
  SLUICE_TRY(const WorkloadSet set, makeWorkloadSet(std::move(document), folder, job.inputs));
  const auto& workload = set.workload;
  if (!job.figure.empty()) return exportFigure(job, set);
  if (job.chart == "fifo") return exportOccupancy(job, set);
  for (const char* chart : {"distribution", "boxes", "experts"})
    if (job.chart == chart) return exportTraces(job, set);
  if (job.chart == cli::energy_chart) return exportEnergy(job, *workload);
  if (job.chart == "timeline") return exportTimeline(job, *workload);
  if (job.chart == "graph") return exportGraph(job, *workload, warnings);
  return exportPoints(job, set);
}

}  // namespace sluice

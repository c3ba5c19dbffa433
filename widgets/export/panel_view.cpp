#include "widgets/export/panel_view.h"

#include <cmath>

#include "engine/distributions/expert_loads.h"
#include "engine/explorer/metrics/registry.h"
#include "engine/operators/fault_diagnostic.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"
#include "widgets/decision/sensitivity_view.h"
#include "widgets/distributions/box_plot.h"
#include "widgets/distributions/distribution_plot.h"
#include "widgets/distributions/experts_plot.h"
#include "widgets/energy/energy_plot.h"
#include "widgets/parallel/parallel_view.h"
#include "widgets/plots/occupancy_traces.h"
#include "widgets/plots/pareto_chart.h"
#include "widgets/timeline/time_cursor.h"
#include "widgets/timeline/timeline_view.h"

namespace sluice::ui {
namespace {

PanelPicture refusedPanel(Diagnostic why) {
  return {.why = std::move(why)};
}

PanelPicture emptyPanel(const Location& place, const char* cause, const char* fix) {
  return refusedPanel(error("nothing-to-export", place, cause, fix));
}

QStringList panelTexts(const std::vector<std::string>& texts) {
  QStringList made;
  for (const std::string& each : texts) made << qt(each);
  return made;
}

/// 0 where the numbers decide.
double factorOf(UnitPrefix prefix) {
  return prefix == UnitPrefix::Fitting ? 0 : std::pow(1000.0, static_cast<int>(prefix) - 1);
}

PaperFrame paperFrameOf(const FigurePanel& panel) {
  PaperFrame frame;
  if (panel.x_range) frame.x = QCPRange(panel.x_range->from, panel.x_range->to);
  if (panel.y_range) frame.y = QCPRange(panel.y_range->from, panel.y_range->to);
  frame.x_unit = factorOf(panel.x_unit);
  frame.y_unit = factorOf(panel.y_unit);
  frame.x_label = qt(panel.x_label);
  frame.y_label = qt(panel.y_label);
  frame.hidden = panelTexts(panel.hidden);
  frame.legend = panel.legend == LegendPlace::Above    ? PaperFrame::Legend::Above
                 : panel.legend == LegendPlace::Inside ? PaperFrame::Legend::Inside
                                                       : PaperFrame::Legend::None;
  return frame;
}

/// What a plot of points shows.
struct Plotted {
  PointSelection* points;
  std::vector<std::string> usual;  ///< the axes where the panel names none
  std::array<std::optional<double>, 2> bounds;
  QString id, title;
};

PanelPicture paretoPanel(const FigurePanel& panel, const Plotted& plotted) {
  PointSelection* const selection = plotted.points;
  const QString x = qt(panel.x.empty() ? plotted.usual[0] : panel.x),
                y = qt(panel.y.empty() ? plotted.usual[1] : panel.y);
  for (const auto& [field, axis] : {std::pair("x", x), std::pair("y", y)})
    if (!selection->columns()->find(axis))
      return refusedPanel(error("unknown-metric", Location(Where::Field, field),
                                "there is no metric or knob '" + axis.toStdString() + "'",
                                "use one of those that 'explore' prints"));
  auto chart = std::make_shared<ParetoChart>(selection);
  chart->setLogarithmic(panel.log_x, panel.log_y);
  chart->setMetrics(x, y);
  const auto boundOf = [&](const QString& axis) {
    for (std::size_t k = 0; k < plotted.bounds.size() && k < plotted.usual.size(); ++k)
      if (qt(plotted.usual[k]) == axis) return plotted.bounds[k];
    return std::optional<double>();
  };
  chart->setBounds(boundOf(x), boundOf(y));
  const QStringList series = chart->seriesNames();
  chart->setPaperFrame(paperFrameOf(panel));
  return {.view = exportable(*chart, plotted.id, plotted.title),
          .stretches = true,
          .offered = series,
          .widget = chart};
}

PanelPicture parallelPanel(const FigurePanel& panel, PointSelection* selection) {
  auto view = std::make_shared<ParallelView>(selection);
  QStringList axes;
  for (const ParallelAxis& axis : view->axes().axes()) axes << axis.column;
  const QStringList hidden = panelTexts(panel.hidden);
  for (std::size_t axis = view->axes().axes().size(); axis-- > 0 && view->axes().axes().size() > 2;)
    if (hidden.contains(view->axes().axes()[axis].column)) view->hideAxis(axis);
  return {.view = exportable(*view), .stretches = true, .offered = axes, .widget = view};
}

PanelPicture sensitivityPanel(PointSelection* selection) {
  auto view = std::make_shared<SensitivityView>(selection);
  return {.view = exportable(*view), .widget = view};
}

PanelPicture fifoPanel(const FigurePanel& panel, const PointResult& run) {
  if (const auto& fault = run.simulation.fault)
    return refusedPanel(faultDiagnostic(run.symbolic.graph, *fault));
  std::vector<OccupancyTrace> traces;
  if (panel.rows.empty()) traces = fullestTraces(run);
  for (const std::string& stream : panel.rows) {
    std::vector<OccupancyTrace> found = fullestTraces(run, stream);
    std::ranges::move(found, std::back_inserter(traces));
  }
  if (traces.empty())
    return refusedPanel(error("unknown-name", Location(Where::Field, "rows"), "the run has no such stream",
                              "name one as 'simulate --all' does"));
  auto plot = std::make_shared<OccupancyPlot>();
  plot->setTraces(std::move(traces), run.simulation.cycles, {});
  plot->setPaperFrame(paperFrameOf(panel));
  QStringList streams;
  for (const FlatStream& stream : run.symbolic.graph.streams)
    if (!feedsInferredBroadcast(run.symbolic.graph, stream)) streams << qt(shortStreamName(stream.name));
  return {.view = exportable(*plot, QStringLiteral("fifo"), QObject::tr("FIFO occupancy"), 0.5),
          .stretches = true,
          .offered = streams,
          .widget = plot};
}

PanelPicture energyPanel(const FigurePanel& panel, const PointResult& run) {
  if (std::optional<Diagnostic> why = energyMissing(run)) return refusedPanel(*std::move(why));
  auto plot = std::make_shared<EnergyPlot>();
  plot->setBreakdown(energyBreakdown(run, EnergyGroups::Operators));
  plot->setPaperFrame(paperFrameOf(panel));
  return {.view = exportable(*plot), .stretches = true, .widget = plot};
}

PanelPicture timelinePanel(const FigurePanel& panel, const std::shared_ptr<const PointResult>& run) {
  if (!run->simulation.timeline)
    return emptyPanel("the run", "it was not recorded in full", "wait for the simulation");
  auto* cursor = new TimeCursor;
  auto view = std::make_shared<TimelineView>(cursor);
  cursor->setParent(view.get());
  view->setRun({std::shared_ptr<const FlatGraph>(run, &run->symbolic.graph), run->simulation.timeline}, {});
  QStringList rows;
  for (const TimelineRow& row : view->rows().all()) rows << row.path;
  view->setFilters(panelTexts(panel.rows));
  if (view->rows().shown().empty())
    return refusedPanel(error("unknown-name", Location(Where::Field, "rows"), "the run has no such row",
                              "name operators or streams as 'simulate --all' does"));
  if (panel.x_range) view->setRange({panel.x_range->from, panel.x_range->to});
  return {.view = exportable(*view), .offered = rows, .widget = view};
}

/// Laid out for its place, with as much of the graph as can be read there.
PanelPicture graphPanel(const GraphCanvas& canvas) {
  const auto paper = std::make_shared<CanvasPaper>(canvas);
  return {.view = exportable(paper),
          .text_size = [paper](QSizeF size) { return paper->in(size).textSize(); },
          .left_out = [paper](QSizeF size) { return paper->in(size).note(); }};
}

/// The metric that a panel over traces shows, "" being cycles.
Result<const MetricSpec*> tracedMetric(const char* field, const std::string& name) {
  const MetricSpec* const metric = findMetricTyped(name.empty() ? "cycles" : name);
  if (metric && !statisticOf(*metric)) return metric;
  return error("unknown-metric", Location(Where::Field, field), "'" + name + "' is not a metric of a run",
               "use one of those that 'explore' prints");
}

PanelPicture distributionPanel(const FigurePanel& panel, const PanelSource& source) {
  Result<const MetricSpec*> metric = tracedMetric("x", panel.x);
  if (!metric) return refusedPanel(metric.diagnostics().front());
  if (!source.traces.samples && source.refused) return refusedPanel(*source.refused);
  if (!source.traces.samples)
    return emptyPanel("the traces", "the design has not been run under all of them yet", "wait for them");
  auto plot = std::make_shared<DistributionPlot>();
  plot->setSamples(*source.traces.set, *source.traces.samples, **metric, source.traces.set->chosen);
  plot->setPaperFrame(paperFrameOf(panel));
  return {.view = exportable(*plot), .stretches = true, .widget = plot};
}

PanelPicture boxesPanel(const FigurePanel& panel, const PanelSource& source) {
  Result<const MetricSpec*> metric = tracedMetric("y", panel.y);
  if (!metric) return refusedPanel(metric.diagnostics().front());
  if (source.traces.explored.empty())
    return emptyPanel(Location(Where::ExploredPoints), "no point has been evaluated under the traces",
                      "explore the design space (F5)");
  auto plot = std::make_shared<BoxPlot>();
  plot->setDesigns(source.traces.explored, **metric);
  plot->setPaperFrame(paperFrameOf(panel));
  return {.view = exportable(*plot), .stretches = true, .widget = plot};
}

PanelPicture expertsPanel(const FigurePanel& panel, const PanelSource& source) {
  const std::optional<ExpertLoads> loads = expertLoads(*source.traces.set);
  if (!loads)
    return emptyPanel("the traces", "none of them is of a routing",
                      "give a set of routings in the Design view, or --input NAME=set:zipf,count=100");
  const bool by_number = panel.x == "expert";
  if (!by_number && !panel.x.empty() && panel.x != "rank")
    return refusedPanel(error("unknown-name", Location(Where::Field, "x"),
                              "experts have no order '" + panel.x + "'", "use 'rank' or 'expert'"));
  auto plot = std::make_shared<ExpertsPlot>();
  plot->setLoads(*loads, !by_number);
  plot->setPaperFrame(paperFrameOf(panel));
  return {.view = exportable(*plot), .stretches = true, .widget = plot};
}

}  // namespace

PanelPicture panelPicture(const FigurePanel& panel, const PanelSource& source) {
  switch (panel.view) {
    case PanelView::Pareto:
    case PanelView::Parallel:
    case PanelView::Sensitivity:
      if (!source.selection)
        return emptyPanel(Location(Where::ExploredPoints), "no point has been evaluated",
                          "explore the design space (F5)");
      return panel.view == PanelView::Pareto     ? paretoPanel(panel, {source.selection,
                                                                       defaultObjectives(),
                                                                       {},
                                                                       QStringLiteral("pareto"),
                                                                       QObject::tr("Pareto plot")})
             : panel.view == PanelView::Parallel ? parallelPanel(panel, source.selection)
                                                 : sensitivityPanel(source.selection);
    case PanelView::Designs:
      if (!source.designs)
        return emptyPanel("the designs", "none have been found",
                          "find some (Run, Find Designs); with their store nothing is simulated twice");
      return paretoPanel(panel, {source.designs, source.sought, source.bounds, QStringLiteral("designs"),
                                 QObject::tr("Designs")});
    case PanelView::Fifo:
    case PanelView::Timeline:
    case PanelView::Energy:
      if (!source.run && source.refused) return refusedPanel(*source.refused);
      if (!source.run) return emptyPanel("the run", "it is not there yet", "wait for the simulation");
      return panel.view == PanelView::Fifo     ? fifoPanel(panel, *source.run)
             : panel.view == PanelView::Energy ? energyPanel(panel, *source.run)
                                               : timelinePanel(panel, source.run);
    case PanelView::Distribution:
    case PanelView::Boxes:
    case PanelView::Experts:
      if (!source.traces.set || source.traces.set->empty())
        return emptyPanel("the traces", "no input is a set of traces",
                          "give one in the Design view, or --input NAME=set:FOLDER");
      return panel.view == PanelView::Distribution ? distributionPanel(panel, source)
             : panel.view == PanelView::Boxes      ? boxesPanel(panel, source)
                                                   : expertsPanel(panel, source);
    case PanelView::Graph:
      if (!source.canvas || source.canvas->contentRect().isEmpty())
        return emptyPanel("the canvas", "the graph is not laid out yet", "wait for its layout");
      return graphPanel(*source.canvas);
  }
  throw std::logic_error("no such view of a panel");
}

}  // namespace sluice::ui

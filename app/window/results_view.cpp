#include "app/window/results_view.h"

#include <algorithm>
#include <set>

#include "app/window/deadlock_text.h"
#include "app/window/places.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/quantity.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/inspector/inspector.h"
#include "widgets/metrics/metrics_bar.h"
#include "widgets/plots/occupancy_plot.h"
#include "widgets/plots/pareto_plot.h"

namespace sluice::ui {
namespace {

constexpr std::size_t mostTraces = 4;

QString qt(const std::string& text) {
  return QString::fromStdString(text);
}

/// How full the FIFO was on average, 0..1.
double meanFill(const OccupancySeries& series, std::uint64_t depth, Cycles end) {
  if (end == 0 || depth == 0) return 0;
  double area = 0;
  for (std::size_t index = 0; index < series.samples.size(); ++index) {
    const OccupancySeries::Sample& sample = series.samples[index];
    const Cycles next = index + 1 < series.samples.size() ? series.samples[index + 1].time : end;
    const double level = series.interval > 1 ? (sample.low + sample.high) / 2.0 : sample.last;
    if (next > sample.time) area += level * static_cast<double>(next - sample.time);
  }
  return std::min(1.0, area / (static_cast<double>(depth) * static_cast<double>(end)));
}

void raise(QHash<QString, double>& values, const std::string& key, double value) {
  double& kept = values[qt(key)];
  kept = std::max(kept, value);
}

Mark markOf(const Diagnostic& diagnostic) {
  return {diagnostic.severity == Severity::Error ? Mark::Kind::Error : Mark::Kind::Warning,
          qt(diagnostic.cause + "\n" + diagnostic.mend)};
}

}  // namespace

ResultsView::ResultsView(ResultViews views, SessionController* session, QObject* parent)
    : QObject(parent), views_(views) {
  connectSession(session);
}

void ResultsView::connectSession(SessionController* session) {
  connect(session, &SessionController::documentChecked, this,
          [this](const Diagnostics& diagnostics) { setDiagnostics(Source::Check, diagnostics); });
  connect(session, &SessionController::pointStarted, this, [this] { setStale(true); });
  connect(session, &SessionController::symbolicReady, this, &ResultsView::showSymbolic);
  connect(session, &SessionController::pointReady, this, &ResultsView::showPoint);
  connect(session, &SessionController::pointFailed, this, &ResultsView::showFailure);
  connect(session, &SessionController::exploreStarted, this, [this] {
    views_.points->clear();
    setDiagnostics(Source::Explore, {});
  });
  connect(session, &SessionController::pointsExplored, this,
          [this](const std::vector<DesignPoint>& points) { views_.points->append(points); });
  connect(session, &SessionController::exploreReady, this,
          [this](const std::shared_ptr<const Exploration>& result) { showExploration(*result); });
  connect(session, &SessionController::exploreFailed, this,
          [this](const Diagnostics& diagnostics) { setDiagnostics(Source::Explore, diagnostics); });
}

void ResultsView::reset() {
  symbolic_.reset();
  point_.reset();
  node_.clear();
  stream_.clear();
  diagnostics_.clear();
  views_.metrics->clear();
  views_.canvas->setStreamLabels({});
  views_.canvas->setStreamHeat({});
  views_.canvas->setNodeHeat({});
  views_.inspector->clearSelection();
  views_.inspector->setResults({});
  forgetPoints();
  showDiagnostics();
  showOccupancy();
}

void ResultsView::forgetPoints() {
  views_.points->clear();
  views_.pareto->chart()->setCurrent(std::nullopt);
}

void ResultsView::setDocument(const Document& document) {
  document_ = document;
  views_.inspector->setDocument(document);
  showDiagnostics();  // places may have moved
}

void ResultsView::selectNode(const QString& path) {
  node_ = path.toStdString();
  stream_.clear();
  showOccupancy();
}

void ResultsView::selectStream(const QString& origin) {
  node_.clear();
  stream_ = origin.toStdString();
  showOccupancy();
}

void ResultsView::setStale(bool stale) {
  stale_ = stale;
  if (stale) views_.metrics->setStale();
  views_.occupancy->setStale(stale);
  views_.inspector->setResults({symbolic_, point_, stale});
}

void ResultsView::showSymbolic(const std::shared_ptr<const SymbolicResult>& result) {
  symbolic_ = result;
  views_.metrics->setSymbolic(result->total);
  views_.inspector->setResults({symbolic_, point_, stale_});
  QHash<QString, QString> labels;
  const FlatGraph& graph = result->graph;
  for (std::size_t index = 0; index < std::min(graph.streams.size(), result->inference.streams.size());
       ++index) {
    QString& label = labels[qt(graph.streams[index].origin)];
    // Instances of a stream have the same shape but for their dynamic symbols: the first stands for all.
    if (label.isEmpty()) label = qt(sluice::text(result->inference.streams[index].shape));
  }
  views_.canvas->setStreamLabels(labels);
}

void ResultsView::showPoint(const std::shared_ptr<const PointResult>& result) {
  point_ = result;
  views_.metrics->setPoint(result->point);
  views_.pareto->chart()->setCurrent(result->point);
  setStale(false);
  setDiagnostics(Source::Point, pointDiagnostics(*result));
  showHeat();
  showOccupancy();
}

void ResultsView::showFailure(const Diagnostics& diagnostics) {
  symbolic_.reset();
  point_.reset();
  views_.metrics->clear();
  views_.pareto->chart()->setCurrent(std::nullopt);
  views_.canvas->setStreamHeat({});
  views_.canvas->setNodeHeat({});
  setStale(false);
  setDiagnostics(Source::Point, diagnostics);
  showOccupancy();
}

void ResultsView::showExploration(const Exploration& exploration) {
  // Streamed points came as they were done; the result has them in the order of the design space.
  views_.points->setPoints(exploration.points);
}

void ResultsView::showHeat() {
  const FlatGraph& graph = point_->symbolic.graph;
  const SimulationResult& run = point_->simulation;
  QHash<QString, double> nodes, streams;
  for (std::size_t index = 0; index < std::min(graph.operators.size(), run.operators.size()); ++index) {
    const double cycles = std::max<double>(1, static_cast<double>(run.cycles));
    raise(nodes, graph.operators[index].origin, static_cast<double>(run.operators[index].busy) / cycles);
  }
  for (std::size_t index = 0; index < std::min(graph.streams.size(), run.occupancy.size()); ++index) {
    const FlatStream& stream = graph.streams[index];
    raise(streams, stream.origin, meanFill(run.occupancy[index], stream.depth, run.cycles));
  }
  views_.canvas->setNodeHeat(nodes);
  views_.canvas->setStreamHeat(streams);
}

std::vector<std::size_t> ResultsView::streamsToPlot(QString* title) const {
  const FlatGraph& graph = point_->symbolic.graph;
  const SimulationResult& run = point_->simulation;
  const auto touches = [&](const FlatStream& stream) {
    return isWithin(graph.operators[stream.producer].origin, node_) ||
           isWithin(graph.operators[stream.consumer].origin, node_);
  };
  std::vector<std::size_t> chosen;
  for (std::size_t index = 0; index < std::min(graph.streams.size(), run.occupancy.size()); ++index) {
    const FlatStream& stream = graph.streams[index];
    const bool wanted = stream_.empty() ? node_.empty() || touches(stream) : stream.origin == stream_;
    if (wanted && !feedsInferredBroadcast(graph, stream)) chosen.push_back(index);
  }
  const std::size_t all = chosen.size();
  const auto fill = [&](std::size_t index) {
    return meanFill(run.occupancy[index], graph.streams[index].depth, run.cycles);
  };
  std::vector<double> fills(run.occupancy.size(), 0);
  for (const std::size_t index : chosen) fills[index] = fill(index);
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](std::size_t a, std::size_t b) { return fills[a] > fills[b]; });
  chosen.resize(std::min(all, mostTraces));
  if (!stream_.empty()) {
    const Stream* stream = findStream(document_, stream_);
    *title = stream ? qt(sluice::text(stream->from) + " \u2192 " + sluice::text(stream->to)) : qt(stream_);
  } else {
    *title = node_.empty() ? tr("The fullest streams") : tr("Streams at %1").arg(qt(node_));
  }
  if (all > chosen.size()) *title += tr("  (%1 of %2)").arg(chosen.size()).arg(all);
  return chosen;
}

void ResultsView::showOccupancy() {
  if (!point_) return views_.occupancy->clear(tr("No simulation to show."));
  QString title;
  std::vector<OccupancyTrace> traces;
  for (const std::size_t index : streamsToPlot(&title)) {
    const FlatStream& stream = point_->symbolic.graph.streams[index];
    traces.push_back({qt(stream.name), stream.depth, point_->simulation.occupancy[index]});
  }
  if (traces.empty()) return views_.occupancy->clear(tr("No stream was recorded here."));
  views_.occupancy->setTraces(std::move(traces), point_->simulation.cycles, title);
}

Diagnostics ResultsView::pointDiagnostics(const PointResult& result) const {
  const FlatGraph& graph = result.symbolic.graph;
  if (result.simulation.deadlock) return deadlockDiagnostics(graph, *result.simulation.deadlock);
  if (const auto& fault = result.simulation.fault) {
    return {
        {Severity::Error, "operator '" + graph.operators[fault->op].name + "'", fault->cause, fault->mend}};
  }
  if (result.point.state == PointState::Infeasible) {
    return {{Severity::Warning, "machine", result.point.cause,
             "choose smaller tiles or depths, or raise the machine's on_chip_capacity"}};
  }
  return {};
}

void ResultsView::setFileDiagnostics(const Diagnostics& diagnostics) {
  setDiagnostics(Source::File, diagnostics);
}

void ResultsView::setDiagnostics(Source source, Diagnostics diagnostics) {
  diagnostics_[source] = std::move(diagnostics);
  showDiagnostics();
}

void ResultsView::showDiagnostics() {
  Diagnostics all;
  std::set<std::string> said;  // check() and evaluate() say the same of one fault
  for (const auto& [source, list] : diagnostics_) {
    for (const Diagnostic& diagnostic : list) {
      if (said.insert(sluice::text(diagnostic)).second) all.push_back(diagnostic);
    }
  }
  const auto severe = [](Severity severity) {
    return [severity](const Diagnostic& diagnostic) { return diagnostic.severity == severity; };
  };
  std::stable_sort(all.begin(), all.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.severity > b.severity; });
  QHash<QString, Mark> marks;
  for (const Diagnostic& diagnostic : all) {
    const auto place = resolvePlace(document_, diagnostic.place);
    if (!place || diagnostic.severity == Severity::Note) continue;
    const QString key = qt(place->node.empty() ? place->stream : place->node);
    if (!marks.contains(key)) marks[key] = markOf(diagnostic);
  }
  if (point_ && point_->simulation.deadlock) {
    const QHash<QString, Mark> stuck = deadlockMarks(point_->symbolic.graph, *point_->simulation.deadlock);
    for (auto mark = stuck.begin(); mark != stuck.end(); ++mark) marks[mark.key()] = mark.value();
  }
  views_.canvas->setMarks(marks);
  views_.diagnostics->setDiagnostics(all);
  emit diagnosticsChanged(static_cast<int>(std::count_if(all.begin(), all.end(), severe(Severity::Error))),
                          static_cast<int>(std::count_if(all.begin(), all.end(), severe(Severity::Warning))));
}

}  // namespace sluice::ui

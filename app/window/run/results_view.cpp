#include "app/window/run/results_view.h"

#include <algorithm>
#include <set>

#include "app/window/deadlock/deadlock_text.h"
#include "app/window/document/document_controller.h"
#include "app/window/document/document_edits.h"
#include "app/window/explore/exploration_notes.h"
#include "app/window/explore/explorer_pane.h"
#include "engine/explorer/constraint_report.h"
#include "engine/program/trust.h"
#include "engine/simulator/timeline.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/common/trust_line.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/inspector/inspector.h"
#include "widgets/metrics/metrics_bar.h"
#include "widgets/plots/pareto_plot.h"

namespace sluice::ui {
namespace {

void raise(std::map<std::string, double>& values, const std::string& key, double value) {
  double& kept = values[key];
  kept = std::max(kept, value);
}

Mark markOf(const Diagnostic& diagnostic) {
  return {diagnostic.severity == Severity::Error ? Mark::Kind::Error : Mark::Kind::Warning,
          qt(diagnostic.cause + "\n" + diagnostic.fix)};
}

/// Where all combinations are too many, the window has a search to offer.
Diagnostics withSearch(Diagnostics diagnostics, const Document& document) {
  for (Diagnostic& each : diagnostics) {
    if (each.code == "space-too-large" && designSpace(document).size() < std::uint64_t{1} << 63)
      each.fix = "narrow the knobs, or take Run > Search\u2026 with a strategy such as nsga2";
  }
  return diagnostics;
}

Diagnostic nothingLeft(const Exploration& exploration, const KnobNames& names) {
  const DesignPoint& first = *exploration.ruled_out;
  return warning("no-feasible-point", Location(Where::DesignSpace),
                 "no point is left: the bounds of each of " + std::to_string(exploration.pruned) +
                     " rule it out; of the first, " + knobsText(first.knobs, names).toStdString() + ": " +
                     first.cause,
                 "loosen the constraints, or give the knobs other values");
}

}  // namespace

ResultsView::ResultsView(const WindowContext& context) : QObject(context.window), context_(context) {
  connectSession(context_.session);
}

PointsModel* ResultsView::points() const {
  return context_.explorer->points();
}
ParetoChart* ResultsView::pareto() const {
  return context_.explorer->pareto()->chart();
}

void ResultsView::connectSession(SessionController* session) {
  connect(session, &SessionController::documentChecked, this,
          [this](const Diagnostics& diagnostics) { setDiagnostics(Source::Check, diagnostics); });
  connect(session, &SessionController::pointStarted, this, [this] {
    types_stale_ = true;
    setStale(true);
  });
  connect(session, &SessionController::symbolicReady, this, &ResultsView::showSymbolic);
  connect(session, &SessionController::pointReady, this, &ResultsView::showPoint);
  connect(session, &SessionController::pointFailed, this, &ResultsView::showFailure);
  connect(session, &SessionController::cancelled, this, [this] {
    outdated_ = stale_ && context_.session->idle();
    showAge();
  });
  connect(context_.documents->undoStack(), &QUndoStack::indexChanged, this, &ResultsView::showAge);
  connect(context_.documents, &DocumentController::changed, this, [this](const DesignState& before) {
    const Document& document = context_.documents->document();
    if (point_ && before.document.provenance != document.provenance) showTrust(document);
  });
  connect(session, &SessionController::exploreStarted, this, [this] {
    points()->clear();
    if (const auto& workload = context_.session->workload())
      points()->setKnobNames(knobNames(workload->document.knobs));
    const auto of_row = [this, workload = context_.session->workload()](std::size_t row) {
      return workload ? trustOf(workload->document, points()->points()[row].knobs, workload->inputs)
                      : TrustLabel();
    };
    const auto& explored = context_.session->workload();
    context_.explorer->setTrust(of_row, explored ? trustOf(explored->document) : TrustLabel());
    setDiagnostics(Source::Explore, {});
  });
  connect(session, &SessionController::pointsExplored, this,
          [this](const std::vector<DesignPoint>& batch) { points()->append(batch); });
  connect(session, &SessionController::exploreReady, this,
          [this](const std::shared_ptr<const Exploration>& result) { showExploration(*result); });
  connect(session, &SessionController::exploreFailed, this, [this](const Diagnostics& diagnostics) {
    const auto& workload = context_.session->workload();
    setDiagnostics(Source::Explore, workload ? withSearch(diagnostics, workload->document) : diagnostics);
  });
}

void ResultsView::reset() {
  symbolic_.reset();
  point_.reset();
  point_workload_.reset();
  trace_.reset();
  outdated_ = false;
  plotted_.clear();
  node_.clear();
  stream_.clear();
  diagnostics_.clear();
  context_.metrics->clear();
  context_.canvas->setStreamLabels({});
  context_.canvas->setStreamHeat({});
  context_.canvas->setNodeHeat({});
  context_.inspector->clearSelection();
  context_.inspector->setResults({});
  forgetPoints();
  pareto()->setCurrent(std::nullopt);
  pareto()->forgetVisited();
  trust_.clear();
  tellTrust();
  showDiagnostics();
  showOccupancy();
  emit pointShown();
}

void ResultsView::forgetPoints() {
  points()->clear();
  if (diagnostics_.erase(Source::Explore) > 0) showDiagnostics();
}

void ResultsView::setPrograms(const Document& shown, const Document& plain) {
  document_ = shown;
  plain_ = plain;
  context_.inspector->setDocument(shown);
  showTypes();
  showHeat();
  showDiagnostics();  // places may have moved
}

void ResultsView::setTrace(const std::shared_ptr<const ScheduleTrace>& trace) {
  trace_ = trace;
  showTypes();
  emit traceShown();
}

std::optional<Place> ResultsView::placeOf(const Location& place) const {
  // A path into the file is of the document; everything else goes by names.
  if (!place.find(Where::JsonPath)) return resolvePlace(document_, place);
  const std::optional<Place> found = resolvePlace(plain_, place);
  if (!found) return found;
  return resolvePlace(document_, found->node.empty() ? Location(Where::Stream, found->stream)
                                                     : Location(Where::Node, found->node));
}

void ResultsView::selectNode(const QString& path) {
  if (node_ != path.toStdString() || !stream_.empty()) plotted_.clear();
  node_ = path.toStdString();
  stream_.clear();
  if (stale_) showInspected();  // older results may tell of this and not of that
  showOccupancy();
  emit selectionShown(path, {});
}

void ResultsView::selectStream(const QString& origin) {
  if (stream_ != origin.toStdString() || !node_.empty()) plotted_.clear();
  node_.clear();
  stream_ = origin.toStdString();
  if (stale_) showInspected();
  showOccupancy();
  emit selectionShown({}, origin);
}

void ResultsView::setStale(bool stale) {
  stale_ = stale;
  if (stale) context_.metrics->setStale();
  context_.occupancy->setStale(stale);
  emit staleChanged(stale);
  showInspected();
}

/// How old the results are that stay while the design has none.
void ResultsView::showAge() {
  QString age;
  const int edits = context_.documents->undoStack()->index() - point_edit_;
  if (outdated_ && point_) {
    age = edits > 1    ? tr("Results from before the last %1 edits").arg(edits)
          : edits < -1 ? tr("Results from before the last %1 edits were undone").arg(-edits)
          : edits < 0  ? tr("Results from before the last edit was undone")
                       : tr("Results from before the last edit");
  }
  context_.metrics->setAge(age);
}

/// Until the answer to an edit is there, the older one stays as long as it fits the wires.
bool ResultsView::isShown(const Graph& program, bool stale) const {
  return stale ? sameWiring(program, document_.program) : sameMeaning(program, document_.program);
}

/// Of an older program, if there is no better; then only what of it is still there is shown.
ResultsView::Types ResultsView::shownTypes() const {
  if (symbolic_ && isShown(symbolic_program_, types_stale_)) return {symbolic_};
  if (trace_ && trace_->plain && isShown(trace_->stages.front().program, types_stale_))
    return {trace_->plain};
  if (types_stale_ && symbolic_) return {symbolic_, false};
  return {};
}

void ResultsView::showInspected() {
  showInspected(shownTypes());
}

void ResultsView::showInspected(const Types& types) {
  const auto is_left = [this](const Graph& program) {
    const GraphCorrespondence left = matchPrograms(program, document_.program, false);
    return left.nodes.contains(node_) || left.streams.contains(stream_);
  };
  const bool typed = types.of && (types.whole || is_left(symbolic_program_));
  const bool run = point_ && (isShown(point_program_, stale_) || (stale_ && is_left(point_program_)));
  context_.inspector->setResults({typed ? types.of : nullptr, run ? point_ : nullptr, stale_});
}

void ResultsView::showTypes() {
  QHash<QString, QString> labels;
  const Types types = shownTypes();
  if (types.of) {
    const FlatGraph& graph = types.of->graph;
    const GraphCorrespondence left =
        types.whole ? GraphCorrespondence() : matchPrograms(symbolic_program_, document_.program, false);
    const std::size_t count = std::min(graph.streams.size(), types.of->inference.streams.size());
    for (std::size_t index = 0; index < count; ++index) {
      if (!types.whole && !left.streams.contains(graph.streams[index].origin)) continue;
      QString& label = labels[qt(graph.streams[index].origin)];
      // Instances of a stream have the same shape but for their dynamic symbols: the first stands for all.
      if (label.isEmpty()) label = qt(sluice::text(types.of->inference.streams[index].shape));
    }
  }
  context_.canvas->setStreamLabels(labels);
  showInspected(types);
}

/// The same design once more, as when a run is recorded in more detail.
bool ResultsView::isRerun(const KnobValues& knobs) const {
  return point_ && point_workload_ == context_.session->workload() && point_->point.knobs == knobs;
}

void ResultsView::showSymbolic(const std::shared_ptr<const SymbolicResult>& result) {
  symbolic_ = result;
  symbolic_program_ =
      (result->scheduled ? result->scheduled->document : context_.session->workload()->document).program;
  types_stale_ = false;
  outdated_ = false;
  showAge();
  if (!context_.explorer->settle(context_.session->workload()->document)) forgetPoints();
  if (point_ && !isRerun(context_.session->knobs())) context_.metrics->setBefore(point_->point);
  context_.metrics->setSymbolic(result->total);
  setDiagnostics(Source::Static, result->warnings);
  showTypes();
}

void ResultsView::showPoint(const std::shared_ptr<const PointResult>& result) {
  if (point_ && !isRerun(result->point.knobs)) context_.metrics->setBefore(point_->point);
  if (point_workload_ != context_.session->workload()) plotted_.setOtherProgram();
  point_ = result;
  point_workload_ = context_.session->workload();
  point_edit_ = context_.documents->undoStack()->index();
  outdated_ = false;
  showAge();
  const auto& scheduled = result->symbolic.scheduled;
  point_program_ = (scheduled ? scheduled->document : context_.session->workload()->document).program;
  context_.metrics->setPoint(result->point);
  showTrust(point_workload_->document);
  const bool empty = result->symbolic.graph.operators.empty();  // it is no design to come back to
  pareto()->setCurrent(empty ? std::nullopt : std::optional(result->point));
  setStale(false);
  measureHeat();
  showHeat();
  setDiagnostics(Source::Point, pointDiagnostics(*result));
}

void ResultsView::showTrust(const Document& document) {
  const TrustLabel trust = trustOf(document, point_->point.knobs, point_workload_->inputs);
  context_.metrics->setTrust(trust);
  trust_ = qt(text(trust));
  tellTrust();
}

void ResultsView::tellTrust() {
  for (QWidget* view : std::initializer_list<QWidget*>{context_.canvas, context_.occupancy})
    setTrust(*view, trust_);
  emit trustShown(trust_);
}

void ResultsView::showFailure(const Diagnostics& diagnostics) {
  outdated_ = true;
  setStale(true);
  showAge();
  showTypes();
  showHeat();
  diagnostics_.erase(Source::Static);
  setDiagnostics(Source::Point, diagnostics);
}

void ResultsView::showExploration(const Exploration& exploration) {
  // Streamed points came as they were done; the result has them in the order of the design space.
  points()->setPoints(exploration.points);
  Diagnostics notes = explorationNotes(exploration.points);
  if (exploration.ruled_out) notes.push_back(nothingLeft(exploration, points()->knobNames()));
  setDiagnostics(Source::Explore, notes);
}

void ResultsView::measureHeat() {
  const FlatGraph& graph = point_->symbolic.graph;
  const SimulationResult& run = point_->simulation;
  node_heat_.clear();
  stream_heat_.clear();
  for (std::size_t index = 0; index < std::min(graph.operators.size(), run.operators.size()); ++index) {
    const double cycles = std::max<double>(1, static_cast<double>(run.cycles));
    raise(node_heat_, graph.operators[index].origin, static_cast<double>(run.operators[index].busy) / cycles);
  }
  for (std::size_t index = 0; index < std::min(graph.streams.size(), run.occupancy.size()); ++index) {
    const FlatStream& stream = graph.streams[index];
    raise(stream_heat_, stream.origin, meanFill(run.occupancy[index], stream.depth, run.cycles));
  }
}

/// What of the simulated point has a place in the shown program: heat, and the occupancy of FIFOs.
void ResultsView::showHeat() {
  QHash<QString, double> nodes, streams;
  if (point_) {
    const bool fits = isShown(point_program_, stale_);
    shown_from_point_ = matchPrograms(point_program_, document_.program, !fits && !stale_);
    for (const auto& [path, heat] : node_heat_)
      if (shown_from_point_.nodes.contains(path)) nodes[qt(path)] = heat;
    for (const auto& [origin, heat] : stream_heat_)
      if (shown_from_point_.streams.contains(origin)) streams[qt(origin)] = heat;
  }
  context_.canvas->setNodeHeat(nodes);
  context_.canvas->setStreamHeat(streams);
  showOccupancy();
  emit pointShown();
}

/// Of the selected node or stream, or all.
std::vector<std::size_t> ResultsView::streamsByFill() const {
  const FlatGraph& graph = point_->symbolic.graph;
  const SimulationResult& run = point_->simulation;
  const auto touches = [&](const FlatStream& stream) {
    return isWithin(graph.operators[stream.producer].origin, node_) ||
           isWithin(graph.operators[stream.consumer].origin, node_);
  };
  std::vector<std::size_t> found;
  std::vector<double> fills(run.occupancy.size(), 0);
  for (std::size_t index = 0; index < std::min(graph.streams.size(), run.occupancy.size()); ++index) {
    const FlatStream& stream = graph.streams[index];
    const bool shown = shown_from_point_.streams.contains(stream.origin);
    const bool wanted = stream_.empty() ? node_.empty() || touches(stream) : stream.origin == stream_;
    if (!shown || !wanted || feedsInferredBroadcast(graph, stream)) continue;
    found.push_back(index);
    fills[index] = meanFill(run.occupancy[index], stream.depth, run.cycles);
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](std::size_t a, std::size_t b) { return fills[a] > fills[b]; });
  return found;
}

QString ResultsView::occupancyTitle(const std::vector<ChosenStreams::Chosen>& chosen, std::size_t all) const {
  QString title;
  if (!stream_.empty()) {
    const Stream* stream = findStream(document_, stream_);
    title = stream ? qt(sluice::text(stream->from) + " \u2192 " + sluice::text(stream->to)) : qt(stream_);
  } else if (!node_.empty()) {
    title = tr("Streams at %1").arg(qt(node_));
  } else {
    const auto is_full = [&](const ChosenStreams::Chosen& each) { return each.candidate < chosen.size(); };
    title =
        std::ranges::all_of(chosen, is_full) ? tr("The fullest streams") : tr("Streams, as chosen before");
  }
  return all > chosen.size() ? title + tr("  (%1 of %2)").arg(chosen.size()).arg(all) : title;
}

void ResultsView::clearOccupancy(const QString& why) {
  plotted_run_ = {};
  context_.occupancy->clear(why);
}

void ResultsView::showOccupancy() {
  if (!point_) return clearOccupancy(tr("No simulation to show."));
  const std::vector<std::size_t> streams = streamsByFill();
  std::vector<std::string> names;
  for (const std::size_t index : streams) names.push_back(point_->symbolic.graph.streams[index].name);
  const std::vector<ChosenStreams::Chosen> chosen = plotted_.choose(names);
  PlottedRun run{point_, {}, occupancyTitle(chosen, streams.size())};
  for (const auto& [candidate, place] : chosen) run.streams.emplace_back(streams[candidate], place);
  if (!run.streams.empty() && run == plotted_run_) return;  // while the next run is under way, say
  std::vector<OccupancyTrace> traces;
  for (const auto& [candidate, place] : chosen) {
    const std::size_t index = streams[candidate];
    traces.push_back({.name = qt(names[candidate]),
                      .depth = point_->symbolic.graph.streams[index].depth,
                      .series = point_->simulation.occupancy[index],
                      .style = place});
    if (const auto& timeline = point_->simulation.timeline)
      traces.back().level = [timeline, id = static_cast<StreamId>(index)](Cycles cycle) {
        return timeline->occupancyAt(id, cycle);
      };
  }
  if (traces.empty()) {
    const bool other = !isShown(point_program_, stale_);
    return clearOccupancy(other ? tr("The simulated program, after its schedule, has no such stream.")
                                : tr("No stream was recorded here."));
  }
  context_.occupancy->setTraces(std::move(traces), point_->simulation.cycles, run.title);
  plotted_run_ = std::move(run);
}

Diagnostics ResultsView::pointDiagnostics(const PointResult& result) const {
  const FlatGraph& graph = result.symbolic.graph;
  if (result.simulation.deadlock) return {deadlockDiagnostic(graph, *result.simulation.deadlock)};
  if (const auto& fault = result.simulation.fault) {
    return {error("run-failed", Location(Where::Operator, graph.operators[fault->op].name), fault->cause,
                  fault->fix)};
  }
  if (const auto without = withoutNumbers(result)) return {*without};
  if (const auto over = overCapacity(result.point)) return {*over};
  return {};
}

void ResultsView::setFileDiagnostics(const Diagnostics& diagnostics) {
  setDiagnostics(Source::File, diagnostics);
}

void ResultsView::setDesignRemarks(const Diagnostics& remarks) {
  setDiagnostics(Source::Design, remarks);
}

void ResultsView::setDiagnostics(Source source, Diagnostics diagnostics) {
  diagnostics_[source] = std::move(diagnostics);
  showDiagnostics();
}

void ResultsView::addDeadlockMarks(QHash<QString, Mark>& marks) const {
  if (!point_ || !point_->simulation.deadlock) return;
  const QHash<QString, Mark> stuck = deadlockMarks(point_->symbolic.graph, *point_->simulation.deadlock);
  for (auto mark = stuck.begin(); mark != stuck.end(); ++mark) {
    const std::string place = mark.key().toStdString();
    if (shown_from_point_.nodes.contains(place) || shown_from_point_.streams.contains(place))
      marks[mark.key()] = mark.value();
  }
}

void ResultsView::showDiagnostics() {
  Diagnostics all;
  std::set<std::string> said;  // check() and evaluate() say the same of one fault
  const auto of_point = diagnostics_.find(Source::Point);
  const auto is_deadlock = [](const Diagnostic& each) { return each.code == "deadlock"; };
  const bool deadlocked =
      of_point != diagnostics_.end() && std::ranges::any_of(of_point->second, is_deadlock);
  for (const auto& [source, list] : diagnostics_) {
    for (const Diagnostic& diagnostic : list) {
      // What was certain before the run has come about: the panel of deadlocks tells it.
      if (deadlocked && diagnostic.code == "certain-deadlock") continue;
      if (said.insert(sluice::text(diagnostic)).second) all.push_back(diagnostic);
    }
  }
  const auto severe = [](Severity severity) {
    return [severity](const Diagnostic& diagnostic) { return diagnostic.severity == severity; };
  };
  std::stable_sort(all.begin(), all.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.severity > b.severity; });
  QHash<QString, Mark> marks;
  QHash<QString, QList<FieldProblem>> problems;
  for (const Diagnostic& diagnostic : all) {
    const auto place = placeOf(diagnostic.place);
    if (!place || diagnostic.severity == Severity::Note) continue;
    const QString key = qt(place->node.empty() ? place->stream : place->node);
    const LocationPart* const parameter = diagnostic.place.find(Where::Parameter);
    const LocationPart* const field = parameter ? parameter : diagnostic.place.find(Where::Field);
    const FieldProblem problem{field ? qt(field->name) : QString(),
                               tr("%1; %2").arg(qt(diagnostic.cause), qt(diagnostic.fix)), diagnostic.fixes};
    // Instances of a region have the same.
    if (!problems[key].contains(problem)) problems[key] << problem;
    if (!marks.contains(key)) marks[key] = markOf(diagnostic);
  }
  addDeadlockMarks(marks);
  context_.canvas->setMarks(marks);
  context_.inspector->setProblems(problems);
  context_.diagnostics->setDiagnostics(all);
  emit diagnosticsChanged(static_cast<int>(std::count_if(all.begin(), all.end(), severe(Severity::Error))),
                          static_cast<int>(std::count_if(all.begin(), all.end(), severe(Severity::Warning))));
}

}  // namespace sluice::ui

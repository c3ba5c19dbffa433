#include "app/window/run/compare_controller.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QMainWindow>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "app/window/document/document_controller.h"
#include "app/window/document/graph_correspondence.h"
#include "app/window/run/results_view.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/panels.h"
#include "engine/explorer/compare.h"
#include "engine/explorer/tables.h"
#include "engine/measurements/confirmation.h"
#include "engine/measurements/measured_comparison.h"
#include "engine/measurements/measured_point.h"
#include "engine/measurements/measured_timeline.h"
#include "engine/measurements/registry.h"
#include "engine/program/file_format.h"
#include "engine/program/trust.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {

/// What is made beside the event loop.
struct CompareController::Work {
  ComparedRun run;
  Graph program;
};

/// A measured run, its model and the two compared, made beside the event loop.
struct CompareController::MeasuredWork {
  std::array<ComparedRun, 2> runs;
  Graph program;
  std::shared_ptr<const MeasuredComparison> compared;
  std::shared_ptr<const Comparison> comparison;
  Diagnostics notes;
};

CompareController::CompareController(const WindowContext& context)
    : QObject(context.window), context_(context) {
  panel_ = new ComparePanel(addCommands());
  connect(&work_, &BackgroundWork::failed, this, [this](const Diagnostic& why) { emit failed({why}); });
  connect(context_.results, &ResultsView::pointShown, this, &CompareController::showDeltas);
  connect(context_.documents, &DocumentController::opened, this, [this] {
    of_document_ = {};  // of a file that is read again the runs stay, but may be of what it was before
    showDeltas();
  });
}

QList<QAction*> CompareController::addCommands() {
  QList<QAction*> bar;
  const auto on = [&](const Command& command, const std::function<void()>& run) {
    bar << context_.commands->add(command, this, run);
  };
  on({"compare.pinA", "T&ime", "Pin Run &A", "Ctrl+Alt+A", "Keep the run that shows as A, to compare", "",
      true},
     [this] { pin(0); });
  on({"compare.pinB", "T&ime", "Pin Run &B", "Ctrl+Alt+B", "Keep the run that shows as B, and compare"},
     [this] { pin(1); });
  on({"compare.file", "T&ime", "Compare with &File…", "", "Take the run of another file as B"}, [this] {
    const QString file =
        QFileDialog::getOpenFileName(panel_, tr("Compare with"), {}, QStringLiteral("*.sluice"));
    if (!file.isEmpty()) pinFile(file);
  });
  on({"compare.measured", "T&ime", "Compare with Mea&surements…", "",
      "Take what something else measured of this program as B: a value change dump, trace events, a table"},
     [this] {
       const QString file = QFileDialog::getOpenFileName(
           panel_, tr("Measurements"), {}, tr("Measurements (*.vcd *.json *.csv);;All files (*)"));
       if (!file.isEmpty()) openMeasured(file);
     });
  on({"compare.confirm", "T&ime", "Mark as Confirmed by &RTL", "",
      "Have the document say that RTL confirms this point, where it was recorded and has the model's "
      "numbers"},
     [this] { markConfirmed(); });
  on({"compare.flip", "T&ime", "F&lip A and B", "F7", "Show now the one, now the other"}, [this] { flip(); });
  on({"compare.both", "T&ime", "A an&d B", "Shift+F7", "Show both runs and their differences"}, [this] {
    if (hasBoth() && !seen_) context_.panels->raise(QStringLiteral("compare"));
    panel_->flip(-1);
    showDeltas();
  });
  on({"compare.clear", "T&ime", "Stop &Comparing", "", "Forget both pinned runs"}, [this] { clear(); });
  // Their buttons stand in one row.
  const std::array<const char*, 8> short_texts{"Pin A",   "Pin B", "With File…", "Measurements…",
                                               "Confirm", "Flip",  "Both",       "Stop"};
  for (qsizetype i = 0; i < bar.size(); ++i)
    bar[i]->setIconText(tr(short_texts[static_cast<std::size_t>(i)]));
  return bar;
}

namespace {

QString trustAt(const Workload& workload, const KnobValues& knobs) {
  return qt(text(trustOf(workload.document, knobs, workload.inputs)));
}

QStringList settingsOf(const Document& document, const KnobValues& knobs) {
  QStringList values;
  for (const Knob& knob : document.knobs) {
    const auto value = knobs.find(knob.name);
    if (value != knobs.end())
      values << QString::fromStdString(knob.name + " = " + knobText(knob, value->second));
  }
  return values;
}

/// "moe.sluice: tile = 16, ways = 4", of two runs without what they have in common.
QString titleBeside(const ComparedRun& run, const ComparedRun& other) {
  QStringList told = run.settings;
  told.removeIf([&](const QString& setting) { return other.settings.contains(setting); });
  return told.isEmpty() ? run.title : run.title + QStringLiteral(": ") + told.join(QStringLiteral(", "));
}

}  // namespace

void CompareController::showRuns() {
  std::array<ComparedRun, 2> shown = runs_;
  for (std::size_t at = 0; at < 2; ++at) shown[at].title = titleBeside(runs_[at], runs_[1 - at]);
  panel_->setRuns(shown[0], shown[1]);
}

void CompareController::pin(int run) {
  const auto& workload = context_.results->pointWorkload();
  const std::shared_ptr<const PointResult>& shown = context_.results->point();
  if (!workload || !shown) {
    emit failed(
        {error("run-not-finished", "the run", "there is none yet", "wait for the simulation, then pin it")});
    return;
  }
  of_document_[static_cast<std::size_t>(run)] = true;
  const QString title = context_.documents->fileName();
  evaluateInto(run, [workload, shown, title]() -> Result<Work> {
    Work work;
    work.run.title = title;
    work.run.trust = trustAt(*workload, shown->point.knobs);
    work.run.settings = settingsOf(workload->document, shown->point.knobs);
    work.run.point = shown;
    if (!shown->simulation.timeline) {  // it was not recorded in full
      SLUICE_TRY(PointResult point, evaluate(*workload, shown->point.knobs, RecordMode::Timeline));
      work.run.point = std::make_shared<const PointResult>(std::move(point));
    }
    const auto& scheduled = work.run.point->symbolic.scheduled;
    work.program = (scheduled ? scheduled->document : workload->document).program;
    return work;
  });
}

Result<CompareController::Work> CompareController::recordedRun(const Workload& workload,
                                                               const KnobValues& knobs,
                                                               const QString& title) {
  SLUICE_TRY(PointResult point, evaluate(workload, knobs, RecordMode::Timeline));
  Work work;
  work.run = {.point = std::make_shared<const PointResult>(std::move(point)),
              .title = title,
              .trust = trustAt(workload, knobs),
              .settings = settingsOf(workload.document, knobs)};
  const auto& scheduled = work.run.point->symbolic.scheduled;
  work.program = (scheduled ? scheduled->document : workload.document).program;
  return work;
}

void CompareController::pinRun(int run, const std::shared_ptr<const Workload>& workload,
                               const KnobValues& knobs, const QString& name) {
  of_document_[static_cast<std::size_t>(run)] = true;
  evaluateInto(run, [workload, knobs, name] { return recordedRun(*workload, knobs, name); });
}

void CompareController::pinFile(const QString& file) {
  of_document_[1] = false;
  evaluateInto(1, [file]() -> Result<Work> {
    const std::filesystem::path path = QFileInfo(file).filesystemAbsoluteFilePath();
    SLUICE_TRY(const Document document, loadDocument(path));
    SLUICE_TRY(const std::shared_ptr<const Workload> workload, makeWorkload(document, path.parent_path()));
    const KnobValues knobs = defaultKnobs(document);
    return recordedRun(*workload, knobs, QFileInfo(file).fileName());
  });
}

namespace {

/// The run of a table that was measured where the knobs stand; of one without such a line the first.
const MeasuredRun& runAt(const Measurement& measurement, const KnobValues& knobs) {
  const auto fits = [&](const MeasuredRun& run) {
    return std::ranges::all_of(run.at, [&](const auto& each) {
      const auto knob = knobs.find(each.first);
      return knob == knobs.end() || knob->second == each.second;
    });
  };
  const auto found = std::ranges::find_if(measurement.runs, fits);
  return found == measurement.runs.end() ? measurement.runs.front() : *found;
}

}  // namespace

void CompareController::openMeasured(const QString& file) {
  const auto workload = context_.results->pointWorkload();
  const std::shared_ptr<const PointResult> shown = context_.results->point();
  if (!workload || !shown) {
    emit failed({error("run-not-finished", "the run", "there is none yet",
                       "wait for the simulation, then open what was measured")});
    return;
  }
  newest_ = {++number_, ++number_};
  const QString name = context_.documents->fileName();
  const auto measure = [this, file, name, workload,
                        shown](const std::stop_token& stop) -> Result<MeasuredWork> {
    const std::filesystem::path path = QFileInfo(file).filesystemAbsoluteFilePath();
    SLUICE_TRY(Measurement measurement, readMeasurement(path, {.stop = stop, .over_time = true}));
    if (measurement.runs.empty())
      return error("missing-data", Location(Where::File, path.string()), "it holds no runs", "measure one");
    const MeasuredRun& run = runAt(measurement, shown->point.knobs);
    std::set<std::string> ignored;
    SLUICE_TRY(MeasuredComparison made, compareWithModel(workload, shown->point.knobs, run, ignored, stop));
    const auto compared = std::make_shared<const MeasuredComparison>(std::move(made));
    MeasuredWork work;
    work.compared = compared;
    work.notes = std::move(measurement.notes);
    if (auto mismatch = likelyMismatch(compared->errors.matching, run)) work.notes.push_back(*mismatch);
    std::ranges::move(unusedColumns(ignored, workload->document), std::back_inserter(work.notes));
    work.comparison = std::make_shared<const Comparison>(comparisonOf(*compared));
    const auto over_time = measuredTimeline(compared->model.symbolic.graph, run, compared->errors.matching);
    const std::shared_ptr<const PointResult> point(compared, &compared->model);
    work.runs = {ComparedRun{.point = point,
                             .title = name,
                             .trust = trustAt(*workload, point->point.knobs),
                             .settings = settingsOf(workload->document, point->point.knobs)},
                 ComparedRun{point, qt(text(run.place)), true, over_time}};
    const auto& scheduled = point->symbolic.scheduled;
    work.program = (scheduled ? scheduled->document : workload->document).program;
    return work;
  };
  work_.add([this, measure, file, workload,
             number = number_](const std::stop_token& stop) -> BackgroundWork::Answer {
    const auto work = std::make_shared<Result<MeasuredWork>>(measure(stop));
    return [this, file, workload, number, work] {
      if (number != newest_[1]) return;
      if (!*work) {
        emit failed(work->diagnostics());
        return;
      }
      measured_ = (*work)->compared;
      measured_workload_ = workload;
      measured_file_ = file;
      adoptMeasured(**work);
    };
  });
}

void CompareController::markConfirmed() {
  if (!runs_[1].measured) {
    emit failed({error("run-not-finished", "the measurement", "none is open",
                       "choose Compare with Measurements, and a run that emitted RTL recorded")});
    return;
  }
  DocumentController& documents = *context_.documents;
  Workload workload = *measured_workload_;
  workload.document = documents.document();  // with what was confirmed since
  if (coveredContent(workload.document) != coveredContent(measured_workload_->document)) {
    emit failed({error("measurement-mismatch", "the measurement",
                       "the program was changed since the run that it was compared with",
                       "compare with the measurement again")});
    return;
  }
  const Result<Provenance> provenance = confirmed(emitted_rtl, std::span(measured_.get(), 1), workload,
                                                  sourceText(std::array{measured_file_.toStdString()}, 1));
  if (!provenance) {
    emit failed(provenance.diagnostics());
    return;
  }
  context_.report({});  // what kept it from being confirmed before
  documents.edit(tr("Mark as Confirmed by RTL"),
                 [&](Document& document) { document.provenance = *provenance; });
}

void CompareController::adoptMeasured(const MeasuredWork& work) {
  runs_ = work.runs;
  programs_ = {work.program, work.program};
  of_document_ = {true, true};
  showRuns();
  emit pinned();
  panel_->setComparison(work.comparison);
  showDeltas();
  context_.report(work.notes);  // instead of what kept an earlier one from opening
}

void CompareController::evaluateInto(int run, const std::function<Result<Work>()>& make) {
  const std::uint64_t number = newest_[static_cast<std::size_t>(run)] = ++number_;
  work_.add([this, run, number, make](const std::stop_token&) -> BackgroundWork::Answer {
    const auto work = std::make_shared<Result<Work>>(make());
    return [this, run, number, work] {
      if (!*work) {
        emit failed(work->diagnostics());
      } else {
        adopt(run, number, **work);
      }
    };
  });
}

void CompareController::adopt(int run, std::uint64_t number, const Work& work) {
  const auto at = static_cast<std::size_t>(run);
  if (number != newest_[at]) return;
  if (runs_[1].measured) runs_[1] = {};  // of the run that was A
  runs_[at] = work.run;
  programs_[at] = work.program;
  showRuns();
  emit pinned();
  showDeltas();
  if (hasBoth()) compareRuns();
}

void CompareController::compareRuns() {
  if (runs_[0].measured || runs_[1].measured) return;  // it came with its comparison
  work_.add([this, a = runs_[0].point, b = runs_[1].point](const std::stop_token&) -> BackgroundWork::Answer {
    const auto comparison = std::make_shared<const Comparison>(compare(*a, *b));
    return [this, a, b, comparison] {
      if (a != runs_[0].point || b != runs_[1].point) return;
      panel_->setComparison(comparison);
      showDeltas();
    };
  });
}

void CompareController::flip() {
  if (!hasBoth()) return;
  if (!seen_) context_.panels->raise(QStringLiteral("compare"));
  panel_->flip(panel_->flipped() == 0 ? 1 : 0);
  showDeltas();
}

void CompareController::clear() {
  runs_ = {};
  newest_ = {++number_, ++number_};
  panel_->setRuns({}, {});
  panel_->flip(-1);
  showDeltas();
}

/// Differences of the cycles that operators are busy or wait, and of how full streams get; with one run
/// flipped to the front, its own numbers.
DeltaOverlay CompareController::deltas() const {
  DeltaOverlay overlay;
  const auto& comparison = panel_->comparison();
  if (!seen_ || !comparison || (!of_document_[0] && !of_document_[1])) return overlay;
  const int flipped = panel_->flipped();
  const auto delta = [&](const ComparedValue& value, const QString& unit) {
    if (flipped >= 0) {
      const std::optional<double>& own = flipped == 0 ? value.a : value.b;
      const QString side = panel_->nameOf(flipped) + QStringLiteral(": ");
      return Delta{0, own ? side + text(quantity(*own, unit)) : side + QStringLiteral("\u2013")};
    }
    const double change = value.change().value_or(value.b && *value.b > 0 ? 1 : value.a ? -1 : 0);
    return Delta{change, changeText(value)};
  };
  if (comparison->measured && flipped < 0) return errorNotes(*comparison);
  std::map<std::string, ComparedValue> regions;  // done when the last of their operators is
  for (const ComparedOperator& op : comparison->operators) {
    const Delta made = delta(op.finished, QStringLiteral("cycles"));
    for (const std::string& place : {op.place, op.place_a})
      if (!place.empty()) overlay[QString::fromStdString(place)] = made;
    for (std::size_t dot = op.place.rfind('.'); dot != std::string::npos && dot > 0;
         dot = op.place.rfind('.', dot - 1)) {
      ComparedValue& region = regions[op.place.substr(0, dot)];
      region.a = std::max(region.a, op.finished.a);
      region.b = std::max(region.b, op.finished.b);
    }
  }
  for (const auto& [place, value] : regions)
    overlay[QString::fromStdString(place)] = delta(value, QStringLiteral("cycles"));
  const Graph& shown = context_.canvas->document().program;
  const GraphCorrespondence from_a = matchPrograms(programs_[0], shown, false);
  const GraphCorrespondence from_b = matchPrograms(programs_[1], shown, false);
  for (const ComparedStream& stream : comparison->streams) {
    if (stream.most.a == stream.most.b && flipped < 0) continue;
    const bool only_a = stream.origin_b.empty();
    const std::string& origin = only_a ? stream.origin_a : stream.origin_b;
    if ((only_a ? from_a : from_b).streams.contains(origin))
      overlay[QString::fromStdString(origin)] = delta(stream.most, {});
  }
  return overlay;
}

namespace {

/// In the room that a node has: "14.5k".
QString shortNumber(double value) {
  if (value < 10'000) return QString::number(value, 'f', 0);
  const bool millions = value >= 1e6;
  return QString::number(value / (millions ? 1e6 : 1e3), 'g', 3) + (millions ? 'M' : 'k');
}

}  // namespace

/// Of every operator that was measured, the activity by which the model is furthest off: which it is, model /
/// measured and the error. Of every stream that was fuller or emptier, the same of its most tokens.
DeltaOverlay CompareController::errorNotes(const Comparison& comparison) const {
  DeltaOverlay overlay;
  const auto noted = [](const ComparedValue& value, const QString& what) {
    const QString numbers =
        QStringLiteral("%1 %2/%3").arg(what, shortNumber(*value.a), shortNumber(*value.b));
    if (*value.a == *value.b) return Delta{0, numbers.simplified()};
    const double share = value.error().value_or(1);
    return Delta{share, QStringLiteral("%1 %2").arg(numbers, percentChange(share, 0)).simplified()};
  };
  for (const ComparedOperator& op : comparison.operators) {
    const std::array<std::pair<const ComparedValue*, QString>, 5> activities{{{&op.busy, tr("compute")},
                                                                              {&op.starved, tr("token")},
                                                                              {&op.blocked, tr("slot")},
                                                                              {&op.memory, tr("memory")},
                                                                              {&op.total, {}}}};
    const auto distance = [](const ComparedValue& value) {
      return value.a && value.b ? std::abs(*value.a - *value.b) : -1;
    };
    const auto worst =
        std::ranges::max_element(activities, {}, [&](const auto& each) { return distance(*each.first); });
    if (distance(*worst->first) >= 0) overlay[qt(op.place)] = noted(*worst->first, worst->second);
  }
  for (const ComparedStream& stream : comparison.streams)
    if (stream.most.a && stream.most.b && *stream.most.a != *stream.most.b)
      overlay[qt(stream.origin_a)] = noted(stream.most, {});
  return overlay;
}

void CompareController::setSeen(bool seen) {
  if (std::exchange(seen_, seen) != seen) showDeltas();
}

void CompareController::showDeltas() {
  context_.canvas->setDeltaOverlay(deltas());
}

}  // namespace sluice::ui

#include "app/window/run/compare_controller.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QMainWindow>

#include "app/window/document/document_controller.h"
#include "app/window/document/program_match.h"
#include "app/window/run/results_view.h"
#include "app/window/shell/commands.h"
#include "engine/explorer/compare.h"
#include "engine/explorer/tables.h"
#include "engine/program/file_format.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {

/// What is made beside the event loop.
struct CompareController::Work {
  ComparedRun run;
  Graph program;
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
  on({"compare.flip", "T&ime", "Fli&p A and B", "F7", "Show now the one, now the other"}, [this] { flip(); });
  on({"compare.both", "T&ime", "A an&d B", "Shift+F7", "Show both runs and their differences"}, [this] {
    panel_->flip(-1);
    showDeltas();
  });
  on({"compare.clear", "T&ime", "Stop &Comparing", "", "Forget both pinned runs"}, [this] { clear(); });
  return bar;
}

QString CompareController::titleOf(const QString& file, const Document& document,
                                   const KnobValues& knobs) const {
  QStringList values;
  for (const Knob& knob : document.knobs) {
    const auto value = knobs.find(knob.name);
    if (value != knobs.end())
      values << QString::fromStdString(knob.name + " = " + knobText(knob, value->second));
  }
  return values.isEmpty() ? file : file + QStringLiteral(": ") + values.join(QStringLiteral(", "));
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
  const QString title = titleOf(context_.documents->fileName(), workload->document, shown->point.knobs);
  evaluateInto(run, [workload, shown, title]() -> Result<Work> {
    Work work;
    work.run.title = title;
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
  work.run = {std::make_shared<const PointResult>(std::move(point)), title};
  const auto& scheduled = work.run.point->symbolic.scheduled;
  work.program = (scheduled ? scheduled->document : workload.document).program;
  return work;
}

void CompareController::pinRun(int run, const std::shared_ptr<const Workload>& workload,
                               const KnobValues& knobs, const QString& name) {
  of_document_[static_cast<std::size_t>(run)] = true;
  const QString title = titleOf(name, workload->document, knobs);
  evaluateInto(run, [workload, knobs, title] { return recordedRun(*workload, knobs, title); });
}

void CompareController::pinFile(const QString& file) {
  of_document_[1] = false;
  evaluateInto(1, [this, file]() -> Result<Work> {
    const std::filesystem::path path = QFileInfo(file).filesystemAbsoluteFilePath();
    SLUICE_TRY(const Document document, loadDocument(path));
    SLUICE_TRY(const std::shared_ptr<const Workload> workload, makeWorkload(document, path.parent_path()));
    const KnobValues knobs = defaultKnobs(document);
    return recordedRun(*workload, knobs, titleOf(QFileInfo(file).fileName(), document, knobs));
  });
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
  runs_[at] = work.run;
  programs_[at] = work.program;
  panel_->setRuns(runs_[0], runs_[1]);
  emit pinned();
  showDeltas();
  if (hasBoth()) compareRuns();
}

void CompareController::compareRuns() {
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
  if (!comparison || (!of_document_[0] && !of_document_[1])) return overlay;
  const int flipped = panel_->flipped();
  const auto delta = [&](const ComparedValue& value, const QString& unit) {
    if (flipped >= 0) {
      const std::optional<double>& own = flipped == 0 ? value.a : value.b;
      const QString side = flipped == 0 ? QStringLiteral("A: ") : QStringLiteral("B: ");
      return Delta{0, own ? side + text(quantity(*own, unit)) : side + QStringLiteral("\u2013")};
    }
    const double change = value.change().value_or(value.b && *value.b > 0 ? 1 : value.a ? -1 : 0);
    return Delta{change, changeText(value)};
  };
  for (const ComparedOperator& op : comparison->operators) {
    const Delta made = delta(op.finished, QStringLiteral("cycles"));
    for (const std::string& place : {op.place, op.place_a})
      if (!place.empty()) overlay[QString::fromStdString(place)] = made;
  }
  const Graph& shown = context_.canvas->document().program;
  const ProgramMatch from_a = matchPrograms(programs_[0], shown, false);
  const ProgramMatch from_b = matchPrograms(programs_[1], shown, false);
  for (const ComparedStream& stream : comparison->streams) {
    if (stream.most.a == stream.most.b && flipped < 0) continue;
    const bool only_a = stream.origin_b.empty();
    const std::string& origin = only_a ? stream.origin_a : stream.origin_b;
    if ((only_a ? from_a : from_b).streams.contains(origin))
      overlay[QString::fromStdString(origin)] = delta(stream.most, {});
  }
  return overlay;
}

void CompareController::showDeltas() {
  context_.canvas->setDeltaOverlay(deltas());
}

}  // namespace sluice::ui

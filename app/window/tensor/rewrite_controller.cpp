#include "app/window/tensor/rewrite_controller.h"

#include <chrono>
#include <map>

#include "app/window/edit/step_text.h"
#include "app/window/schedule/schedule_controller.h"
#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/rewrites.h"
#include "widgets/common/document_paths.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

/// The transformations that rewrite designs, in the order of the page.
std::vector<const Transformation*> rewritingTransformations() {
  std::vector<const Transformation*> found;
  for (const Transformation* known : registeredTransformations())
    if (known->rewrite) found.push_back(known);
  return found;
}

constexpr std::chrono::seconds gain_time{5};  // for all places of all designs

/// Where on the canvas the places of a design are, as far as it has been lowered.
class CanvasPlaces {
 public:
  CanvasPlaces(const std::string& path, const CompiledProgram& program)
      : design_(program.compilation.compiled.rewritable) {
    if (!program.finished) return;
    const std::size_t dot = path.rfind('.');
    const std::string region = dot == std::string::npos ? "" : path.substr(0, dot);
    const DataflowDesign& made = program.compilation.compiled.design;
    for (std::size_t task = 0; task < made.tasks.size(); ++task)
      nodes_[made.tasks[task].name] = qt((region.empty() ? "" : region + ".") + program.lowered.nodes[task]);
    const std::vector<std::string> ids = streamIds(program.lowered.graph, region);
    for (std::size_t stream = 0; stream < made.streams.size(); ++stream)
      streams_[placeName(made, {RewritePlace::Kind::Stream, stream})] =
          qt(ids[program.lowered.streams[stream]]);
  }

  void mark(RewriteSpot& spot, const RewritePlace& place) const {
    switch (place.kind) {
      case RewritePlace::Kind::Task:
      case RewritePlace::Kind::Input:
      case RewritePlace::Kind::Output:
        return addTask(spot, place.index);
      case RewritePlace::Kind::Stream: {
        const auto found = streams_.find(placeName(design_, place));
        if (found != streams_.end()) spot.stream = found->second;
        // A converter has been put between its ends.
        if (spot.stream.isEmpty()) addTask(spot, design_.streams[place.index].from.task);
        if (spot.stream.isEmpty()) addTask(spot, design_.streams[place.index].to.task);
        return;
      }
      case RewritePlace::Kind::Group:
        for (std::size_t task = 0; task < design_.tasks.size(); ++task)
          if (design_.tasks[task].group == place.index) addTask(spot, task);
        return;
      case RewritePlace::Kind::Tensor:
        return;
    }
  }

 private:
  void addTask(RewriteSpot& spot, std::size_t task) const {
    const auto found = nodes_.find(design_.tasks[task].name);
    if (found != nodes_.end()) spot.nodes << found->second;
  }

  const DataflowDesign& design_;
  std::map<std::string, QString> nodes_, streams_;  ///< by the names of tasks and streams
};

RewriteKind kindOf(const DataflowDesign& design, const DataflowRewrite& rewrite, const CanvasPlaces& canvas,
                   const std::function<bool()>& gains_wanted) {
  RewriteKind kind{
      qt(rewrite.name), qt(rewrite.purpose), qt(wordFor(rewrite.kind)), qt(rewrite.argument), {}};
  for (const RewriteOffer& offer : offersOf(design, rewrite)) {
    const RewriteArgument& argument = offer.choice.argument;
    RewriteSpot spot{qt(placeName(design, offer.choice.place)),
                     argument.empty() ? QString() : qt(shapeText(argument)),
                     offer.refused ? qt(offer.refused->cause + ": " + offer.refused->fix) : QString()};
    canvas.mark(spot, offer.choice.place);
    if (!offer.refused && gains_wanted())
      if (const Result<RewriteStep> made = applyRewrite(design, offer.choice)) {
        const DesignSummary &before = made->summary_before, &after = made->summary_after;
        spot.gain = {after.on_chip_bytes - before.on_chip_bytes, after.external_bytes - before.external_bytes,
                     qt(difference(before, after))};
      }
    kind.spots.push_back(std::move(spot));
  }
  return kind;
}

/// What a step did to the design, or why it did nothing.
RewriteApplied appliedAs(const ScheduleTrace::Step& told, int position) {
  if (told.rewrite) return {qt(told.rewrite->text), qt(told.rewrite->difference), position};
  return {QObject::tr("step %1").arg(position + 1), stepEffect(told), position};
}

/// "2x4" as numbers; anything else as it is, to be refused where the step is.
Value numbersOf(const QString& written) {
  const auto shape = parseTensorShape(written.toStdString(), "numbers");
  if (!shape) return Value(written.toStdString());
  return Value(std::vector<Value>(shape->begin(), shape->end()));
}

}  // namespace

std::vector<RewritableDesign> rewritableDesigns(const ScheduleTrace& trace,
                                                const std::function<bool()>& gains_wanted) {
  std::vector<RewritableDesign> designs;
  for (const auto& [path, program] : trace.compiled.back()) {
    RewritableDesign design{qt(path), 0, {}, {}};
    const CanvasPlaces canvas(path, *program);
    for (const Transformation* known : rewritingTransformations())
      design.rewrites.push_back(
          kindOf(program->compilation.compiled.rewritable, *known->rewrite, canvas, gains_wanted));
    for (std::size_t step = 0; step < trace.steps.size(); ++step) {
      const ScheduleTrace::Step& told = trace.steps[step];
      if (told.program != path) continue;
      design.next_step = static_cast<int>(step) + 1;
      if (told.rewrites) design.applied.push_back(appliedAs(told, static_cast<int>(step)));
    }
    designs.push_back(std::move(design));
  }
  return designs;
}

ScheduleStep stepFor(const RewriteWanted& wanted) {
  const Transformation& made = *rewritingTransformations().at(static_cast<std::size_t>(wanted.kind));
  ScheduleStep step{made.spec.name, {{"program", Value(wanted.program.toStdString())}}, true};
  step.arguments[std::string(wordFor(made.rewrite->kind))] = Value(wanted.place.toStdString());
  if (!wanted.argument.isEmpty())
    step.arguments[std::string(made.rewrite->argument)] = numbersOf(wanted.argument);
  return step;
}

RewriteController::RewriteController(RewritesPage* page, ScheduleController* schedule, QObject* parent)
    : QObject(parent), page_(page) {
  connect(page, &RewritesPage::applyRequested, schedule, [schedule](const RewriteWanted& wanted) {
    const ScheduleStep step = stepFor(wanted);
    schedule->insertStep(tr("Rewrite: %1").arg(stepTitle(step)), static_cast<std::size_t>(wanted.step), step);
  });
  connect(page, &RewritesPage::removeRequested, schedule, [schedule](int step) {
    schedule->removeStep(tr("Take back a rewrite"), static_cast<std::size_t>(step));
  });
}

void RewriteController::setTrace(std::shared_ptr<const ScheduleTrace> trace) {
  trace_ = std::move(trace);
  seen_.want();
}

BackgroundWork::Work RewriteController::work(std::function<bool(const std::stop_token&)> gains_wanted) {
  return [this, trace = trace_, gains_wanted](const std::stop_token& stop) -> BackgroundWork::Answer {
    auto designs = std::make_shared<std::vector<RewritableDesign>>(
        rewritableDesigns(*trace, [&] { return gains_wanted(stop); }));
    return [this, designs] { page_->setDesigns(std::move(*designs)); };
  };
}

void RewriteController::find() {
  if (!trace_) return page_->setDesigns({});
  // The places at once; what each would change takes an application of the rewrite there.
  finding_.ask(work([](const std::stop_token&) { return false; }));
  finding_.add(work([end = std::make_shared<std::optional<std::chrono::steady_clock::time_point>>()](
                        const std::stop_token& stop) {
    const auto now = std::chrono::steady_clock::now();
    if (!*end) *end = now + gain_time;
    return !stop.stop_requested() && now < **end;
  }));
}

}  // namespace sluice::ui

#include "app/window/tensor/rewrite_controller.h"

#include <QEvent>

#include "app/window/edit/step_text.h"
#include "app/window/schedule/schedule_controller.h"
#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/rewrites.h"
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

RewriteKind kindOf(const DataflowDesign& design, const DataflowRewrite& rewrite) {
  RewriteKind kind{
      qt(rewrite.name), qt(rewrite.purpose), qt(wordFor(rewrite.kind)), qt(rewrite.argument), {}};
  for (const RewriteOffer& offer : offersOf(design, rewrite)) {
    const RewriteArgument& argument = offer.choice.argument;
    kind.spots.push_back({qt(placeName(design, offer.choice.place)),
                          argument.empty() ? QString() : qt(shapeText(argument)),
                          offer.refused ? qt(offer.refused->cause + ": " + offer.refused->fix) : QString()});
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

std::vector<RewritableDesign> rewritableDesigns(const ScheduleTrace& trace) {
  std::vector<RewritableDesign> designs;
  for (const auto& [path, program] : trace.compiled.back()) {
    RewritableDesign design{qt(path), 0, {}, {}};
    for (const Transformation* known : rewritingTransformations())
      design.rewrites.push_back(kindOf(program->compilation.compiled.rewritable, *known->rewrite));
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
  page->installEventFilter(this);
}

void RewriteController::setTrace(std::shared_ptr<const ScheduleTrace> trace) {
  trace_ = std::move(trace);
  stale_ = true;
  if (page_->isVisible()) find();
}

bool RewriteController::eventFilter(QObject* watched, QEvent* event) {
  if (watched == page_ && event->type() == QEvent::Show && stale_) find();
  return QObject::eventFilter(watched, event);
}

void RewriteController::find() {
  stale_ = false;
  if (!trace_) return page_->setDesigns({});
  finding_.ask([this, trace = trace_](const std::stop_token&) -> BackgroundWork::Answer {
    auto designs = std::make_shared<std::vector<RewritableDesign>>(rewritableDesigns(*trace));
    return [this, designs] { page_->setDesigns(std::move(*designs)); };
  });
}

}  // namespace sluice::ui

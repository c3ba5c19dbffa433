#include "app/window/tensor/rewrite_controller.h"

#include <QEvent>

#include "app/window/schedule/schedule_controller.h"
#include "engine/tensor/dataflow/rewrite_script.h"
#include "engine/tensor/itensor/itensor_text.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

RewriteKind kindOf(const DataflowDesign& design, const DataflowRewrite& rewrite) {
  RewriteKind kind{qt(rewrite.name), qt(rewrite.purpose), qt(rewrite.argument), {}};
  for (const RewriteOffer& offer : offersOf(design, rewrite)) {
    const RewriteArgument& argument = offer.choice.argument;
    kind.spots.push_back({qt(offer.place), argument.empty() ? QString() : qt(shapeText(argument)),
                          offer.refused ? qt(offer.refused->cause + ": " + offer.refused->fix) : QString()});
  }
  return kind;
}

/// The step's list of rewrites, which may be one text or absent.
std::vector<Value>& rewritesOf(ScheduleStep& step) {
  Value& argument = step.arguments.try_emplace("rewrites", std::vector<Value>{}).first->second;
  if (!argument.list()) argument = Value(std::vector<Value>{argument});
  return std::get<std::vector<Value>>(argument);
}

}  // namespace

std::vector<RewritableDesign> rewritableDesigns(const ScheduleTrace& trace) {
  std::vector<RewritableDesign> designs;
  for (std::size_t step = 0; step < trace.steps.size(); ++step) {
    if (!trace.steps[step].compiled) continue;
    const TensorCompilation& compilation = trace.steps[step].compiled->compilation;
    RewritableDesign design{qt(compilation.node), static_cast<int>(step), {}, {}};
    for (const DataflowRewrite& rewrite : dataflowRewrites())
      design.rewrites.push_back(kindOf(compilation.compiled.rewritable, rewrite));
    for (const RewriteMade& made : compilation.compiled.rewrites)
      design.applied.push_back({qt(made.text), qt(made.difference)});
    designs.push_back(std::move(design));
  }
  return designs;
}

RewriteController::RewriteController(RewritesPage* page, ScheduleController* schedule, QObject* parent)
    : QObject(parent), page_(page) {
  connect(page, &RewritesPage::applyRequested, schedule, [schedule](int step, const QString& rewrite) {
    schedule->editArguments(tr("Rewrite: %1").arg(rewrite), step, [&](ScheduleStep& edited) {
      rewritesOf(edited).emplace_back(rewrite.toStdString());
    });
  });
  connect(page, &RewritesPage::removeRequested, schedule, [schedule](int step, int rewrite) {
    schedule->editArguments(tr("Take back a rewrite"), step, [&](ScheduleStep& edited) {
      std::vector<Value>& all = rewritesOf(edited);
      if (rewrite >= 0 && static_cast<std::size_t>(rewrite) < all.size()) all.erase(all.begin() + rewrite);
      if (all.empty()) edited.arguments.erase("rewrites");
    });
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

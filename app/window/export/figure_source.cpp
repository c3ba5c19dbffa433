#include "app/window/export/figure_source.h"

#include "app/window/designs/designs_panel.h"
#include "app/window/document/document_edits.h"
#include "app/window/explore/explorer_pane.h"
#include "app/window/run/session_controller.h"
#include "app/window/shell/views.h"
#include "engine/distributions/trace_evaluator.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/points/points_model.h"

namespace sluice::ui {

FigureSource::FigureSource(const WindowContext& context, QObject* parent)
    : QObject(parent), context_(context), executor_(makeExecutor()) {
  const PointsModel* points = context_.explorer->points();
  connect(points, &PointsModel::modelReset, this, &FigureSource::changed);
  connect(points, &PointsModel::rowsInserted, this, &FigureSource::changed);
  if (const DesignsPanel* found = designs()) {
    connect(found->points(), &PointsModel::modelReset, this, &FigureSource::changed);
    connect(found->points(), &PointsModel::rowsInserted, this, &FigureSource::changed);
  }
  connect(context_.session, &SessionController::pointReady, this, &FigureSource::changed);
  connect(context_.canvas, &GraphCanvas::viewChanged, this, &FigureSource::changed);
}

const DesignsPanel* FigureSource::designs() const {
  const View* view = context_.views->find(QStringLiteral("designs"));
  return view ? qobject_cast<const DesignsPanel*>(view->widget) : nullptr;
}

/// A document whose figures, titles or places are edited is prepared anew, too; its runs stay.
void FigureSource::followProgram() {
  const std::shared_ptr<const Workload>& now = context_.session->workload();
  if (!now || now == workload_) return;
  const bool same = workload_ && sameMeaning(now->document, workload_->document);
  workload_ = now;
  if (same) return;
  traces_ = context_.session->traces();
  work_.forget();
  runs_.clear();
  samples_.clear();
  refused_.clear();
  asked_.clear();
  asked_samples_.clear();
}

FigureData FigureSource::dataFor(const Document& document, const Figure& figure) {
  followProgram();
  for (const auto& [knobs, mode] : runsOf(document, figure)) ask(knobs, mode);
  if (traces_)
    for (const KnobValues& knobs : sampledOf(document, figure)) askSamples(knobs);
  FigureData data{.points = context_.explorer->points(),
                  .runs = runs_,
                  .refused = refused_,
                  .canvas = context_.canvas,
                  .traces = traces_,
                  .samples = samples_};
  if (const auto table = context_.session->samples())
    for (auto& [knobs, samples] : table->all()) data.explored.push_back({knobs, samples});
  if (const DesignsPanel* found = designs()) {
    data.designs = found->points();
    data.sought = found->objectives();
    data.bounds = found->bounds();
  }
  return data;
}

void FigureSource::ask(const KnobValues& knobs, RecordMode mode) {
  if (!workload_ || asked_.contains({knobs, mode}) || asked_.contains({knobs, RecordMode::Timeline})) return;
  asked_.insert({knobs, mode});
  work_.add([this, workload = workload_, knobs, mode](const std::stop_token& stop) -> BackgroundWork::Answer {
    const auto run = std::make_shared<Result<PointResult>>(evaluate(*workload, knobs, mode, stop));
    return [this, run, knobs] {
      if (*run) runs_[knobs] = std::make_shared<const PointResult>(std::move(**run));
      if (!*run) refused_[knobs] = run->diagnostics().front();
      emit changed();
    };
  });
}

void FigureSource::askSamples(const KnobValues& knobs) {
  if (!asked_samples_.insert(knobs).second) return;
  work_.add([this, traces = traces_, knobs](const std::stop_token& stop) -> BackgroundWork::Answer {
    const auto samples = samplesOf(*traces, knobs, *executor_, stop);
    return [this, samples, knobs] {
      if (samples)
        samples_[knobs] = *samples;
      else
        refused_[knobs] = samples.diagnostics().front();
      emit changed();
    };
  });
}

}  // namespace sluice::ui

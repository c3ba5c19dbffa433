#include "engine/explorer/preview.h"

namespace sluice {
namespace {

/// Output -> type, for the first instance of every operator of the document.
std::map<std::string, std::string> outputTypes(const SymbolicResult& result) {
  std::map<std::string, std::string> types;
  for (const FlatOperator& op : result.graph.operators) {
    if (op.name.ends_with(".broadcast")) continue;
    std::size_t port = 0;
    for (const PortSpec& spec : op.spec->outputs) {
      if (port < op.outputs.size())
        types.try_emplace(op.origin + "." + spec.name, text(result.inference.streams[op.outputs[port]]));
      port += spec.width.empty() ? 1 : static_cast<std::size_t>(op.parameters.integer(spec.width));
    }
  }
  return types;
}

std::vector<StepPreview::Shape> changedShapes(const SymbolicResult& before, const SymbolicResult& after) {
  std::map<std::string, StepPreview::Shape> changes;
  for (const auto& [output, type] : outputTypes(before)) changes[output] = {output, type, ""};
  for (const auto& [output, type] : outputTypes(after)) {
    StepPreview::Shape& shape = changes[output];
    shape.output = output;
    shape.after = type;
  }
  std::vector<StepPreview::Shape> shapes;
  for (auto& [output, shape] : changes)
    if (shape.before != shape.after) shapes.push_back(std::move(shape));
  return shapes;
}

struct Stage {
  Scheme scheme;
  SymbolicResult symbolic;
};

Result<Stage> stageOf(Scheme scheme, const KnobValues& knobs) {
  Result<SymbolicResult> symbolic = evaluateSymbolic({scheme.document, scheme.inputs}, knobs);
  if (!symbolic) return symbolic.diagnostics();
  return Stage{std::move(scheme), *std::move(symbolic)};
}

/// Applies one step, and moves `stage` on.
Result<StepPreview> advance(Stage& stage, const KnobValues& knobs, const ScheduleStep& step,
                            std::size_t number) {
  const std::string place = "schedule step " + std::to_string(number) + ", " + step.transformation;
  Result<Scheme> scheme = applyStep(stage.scheme, step, knobs, place);
  if (!scheme) return scheme.diagnostics();
  Result<Stage> next = stageOf(*std::move(scheme), knobs);
  if (!next) return next.diagnostics();
  StepPreview preview{place, difference(stage.scheme, next->scheme), stage.symbolic.total,
                      next->symbolic.total, changedShapes(stage.symbolic, next->symbolic)};
  stage = *std::move(next);
  return preview;
}

Result<Stage> plainStage(const Workload& workload, const KnobValues& knobs) {
  Scheme plain{workload.document, workload.inputs};
  plain.document.schedule.clear();
  return stageOf(std::move(plain), knobs);
}

}  // namespace

Result<std::vector<StepPreview>> previewSchedule(const Workload& workload, const KnobValues& knobs) {
  Result<Stage> stage = plainStage(workload, knobs);
  if (!stage) return stage.diagnostics();
  std::vector<StepPreview> previews;
  const std::vector<ScheduleStep>& steps = workload.document.schedule;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].enabled) continue;
    Result<StepPreview> preview = advance(*stage, knobs, steps[i], i + 1);
    if (!preview) return blameStep(workload.document, workload.inputs, knobs, preview.diagnostics());
    previews.push_back(*std::move(preview));
  }
  return previews;
}

Result<StepPreview> previewStep(const Workload& workload, const KnobValues& knobs, const ScheduleStep& step) {
  Result<Scheme> scheduled = applySchedule(workload.document, workload.inputs, knobs);
  if (!scheduled) return scheduled.diagnostics();
  Result<Stage> stage = stageOf(*std::move(scheduled), knobs);
  if (!stage) return blameStep(workload.document, workload.inputs, knobs, stage.diagnostics());
  Result<StepPreview> preview = advance(*stage, knobs, step, workload.document.schedule.size() + 1);
  if (preview) return preview;
  Document with = workload.document;
  with.schedule.push_back(step);
  return blameStep(with, workload.inputs, knobs, preview.diagnostics());
}

}  // namespace sluice

#include "engine/explorer/preview.h"

#include <algorithm>
#include <optional>

#include "engine/core/cancelled.h"

namespace sluice::inline explorer {
namespace {

/// Output -> type, for the first instance of every operator of the document.
std::map<std::string, std::string> outputTypes(const std::optional<SymbolicResult>& result) {
  std::map<std::string, std::string> types;
  if (!result) return types;
  for (const FlatOperator& op : result->graph.operators) {
    if (op.inferred) continue;
    std::size_t port = 0;
    for (const PortSpec& spec : op.spec->outputs) {
      if (port < op.outputs.size())
        types.try_emplace(op.origin + "." + spec.name, text(result->inference.streams[op.outputs[port]]));
      port += spec.width.empty() ? 1 : static_cast<std::size_t>(op.parameters.integer(spec.width));
    }
  }
  return types;
}

std::vector<StepPreview::Shape> changedShapes(const std::optional<SymbolicResult>& before,
                                              const std::optional<SymbolicResult>& after) {
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

/// The program between two steps. It may be unfinished there: what it computes is not known before a later
/// step compiles or corrects it.
struct Stage {
  ScheduledProgram scheduled;
  std::optional<SymbolicResult> symbolic;
  Diagnostics problems;  ///< where there is no result
};

Stage stageOf(ScheduledProgram scheduled, const KnobValues& knobs, const std::stop_token& stop) {
  Result<SymbolicResult> symbolic = evaluateSymbolic({scheduled.document, scheduled.inputs}, knobs, {}, stop);
  if (!symbolic) return {std::move(scheduled), {}, symbolic.diagnostics()};
  return {std::move(scheduled), *std::move(symbolic), {}};
}

CostValues totalOf(const Stage& stage) {
  return stage.symbolic ? stage.symbolic->total : CostValues();
}

/// Applies one step, and moves `stage` on.
Result<StepPreview> advance(Stage& stage, const KnobValues& knobs, const ScheduleStep& step,
                            std::size_t position, const std::stop_token& stop) {
  const Location place = placeOf(step, position);
  SLUICE_TRY(ScheduledProgram scheduled, applyStep(stage.scheduled, step, knobs, place, stop));
  Stage next = stageOf(std::move(scheduled), knobs, stop);
  if (stop.stop_requested()) return cancelledDiagnostic();
  StepPreview preview{text(place), difference(stage.scheduled, next.scheduled), totalOf(stage), totalOf(next),
                      changedShapes(stage.symbolic, next.symbolic)};
  stage = std::move(next);
  return preview;
}

Stage plainStage(const Workload& workload, const KnobValues& knobs, const std::stop_token& stop) {
  ScheduledProgram plain{workload.document, workload.inputs};
  plain.document.schedule.clear();
  return stageOf(std::move(plain), knobs, stop);
}

/// Whether something is wrong in `after` that is not in `before`.
bool hasNewProblem(const Diagnostics& before, const Diagnostics& after) {
  return std::ranges::any_of(after, [&](const Diagnostic& found) {
    return std::ranges::none_of(before, [&](const Diagnostic& old) { return text(old) == text(found); });
  });
}

}  // namespace

Result<std::vector<StepPreview>> previewSchedule(const Workload& workload, const KnobValues& knobs,
                                                 const std::stop_token& stop) {
  Stage stage = plainStage(workload, knobs, stop);
  std::vector<StepPreview> previews;
  const std::vector<ScheduleStep>& steps = workload.document.schedule;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].enabled) continue;
    Result<StepPreview> preview = advance(stage, knobs, steps[i], i, stop);
    if (!preview) return blameStep(workload.document, workload.inputs, knobs, preview.diagnostics());
    previews.push_back(*std::move(preview));
  }
  if (!stage.symbolic) return blameStep(workload.document, workload.inputs, knobs, stage.problems);
  return previews;
}

Result<StepPreview> previewStep(const Workload& workload, const KnobValues& knobs, const ScheduleStep& step,
                                const std::stop_token& stop) {
  SLUICE_TRY(ScheduledProgram scheduled, applySchedule(workload.document, workload.inputs, knobs, stop));
  Stage stage = stageOf(std::move(scheduled), knobs, stop);
  const Diagnostics before = stage.problems;
  Result<StepPreview> preview = advance(stage, knobs, step, workload.document.schedule.size(), stop);
  if (preview && !hasNewProblem(before, stage.problems)) return preview;
  Document with = workload.document;
  with.schedule.push_back(step);
  return blameStep(with, workload.inputs, knobs, preview ? stage.problems : preview.diagnostics());
}

std::optional<DesignPoint> runWithSteps(const Workload& workload, std::size_t steps, const KnobValues& knobs,
                                        const std::stop_token& stop) {
  Workload beginning = workload;
  std::vector<ScheduleStep>& schedule = beginning.document.schedule;
  schedule.resize(std::min(steps, schedule.size()));
  Result<PointResult> result = evaluate(beginning, knobs, RecordMode::Count, stop);
  if (!result) return std::nullopt;
  return std::move(result->point);
}

}  // namespace sluice::inline explorer

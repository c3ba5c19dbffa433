#include "app/window/schedule/schedule_trace.h"

#include "engine/schedule/schedule.h"

namespace sluice::ui {
namespace {

using State = ScheduleTrace::Step::State;

struct Applied {
  Scheme scheme;
  std::shared_ptr<const CompiledTensors> compiled;
};

/// A step that compiles keeps what it compiled: once is enough.
Result<Applied> applied(const Scheme& before, const ScheduleStep& step, const KnobValues& knobs,
                        const Location& place, const std::stop_token& stop) {
  if (step.transformation != "compile_tensors") {
    Result<Scheme> next = applyStep(before, step, knobs, place, stop);
    if (!next) return next.diagnostics();
    return Applied{*std::move(next), nullptr};
  }
  Result<CompiledStep> next = applyCompileStep(before, step, knobs, place, stop);
  if (!next) return next.diagnostics();
  return Applied{std::move(next->scheme), std::make_shared<const CompiledTensors>(CompiledTensors{
                                              std::move(next->compilation), std::move(next->lowered)})};
}

/// Applies one step; whether the next can be.
bool advance(ScheduleTrace& trace, Scheme& scheme, const ScheduleStep& step, std::size_t position,
             const KnobValues& knobs, const std::stop_token& stop) {
  ScheduleTrace::Step& told = trace.steps[position];
  if (!step.enabled) {
    told.state = State::Disabled;
    trace.stages.push_back(scheme.document);
    return true;
  }
  const Location place = placeOf(step, position);
  Result<Applied> next = applied(scheme, step, knobs, place, stop);
  if (!next) {
    told.state = State::Refused;
    told.diagnostics = next.diagnostics();
    return false;
  }
  told.state = State::Applied;
  const SchemePatch patch = difference(scheme, next->scheme);
  told.summary = summary(patch);
  told.streams = streamsIn(patch.program);
  for (const std::string& path : told.summary.added) trace.made_by[path] = position;
  for (const std::string& path : told.summary.changed) trace.changed_by[path] = position;
  told.compiled = std::move(next->compiled);
  scheme = std::move(next->scheme);
  trace.stages.push_back(scheme.document);
  return true;
}

}  // namespace

std::size_t streamsIn(const GraphPatch& patch) {
  std::size_t count = 0;
  for (const Hunk<Stream>& hunk : patch.streams) count += hunk.added.size();
  for (const auto& [name, inside] : patch.bodies) count += streamsIn(inside);
  return count;
}

ScheduleTrace traceSchedule(const Workload& workload, const KnobValues& knobs, const std::stop_token& stop) {
  ScheduleTrace trace;
  const std::vector<ScheduleStep>& steps = workload.document.schedule;
  trace.steps.resize(steps.size());
  Scheme scheme{workload.document, workload.inputs};
  scheme.document.schedule.clear();
  trace.stages.push_back(scheme.document);
  if (steps.empty()) return trace;
  if (Result<SymbolicResult> plain = evaluateSymbolic({scheme.document, scheme.inputs}, knobs, {}, stop))
    trace.plain = std::make_shared<const SymbolicResult>(*std::move(plain));
  for (std::size_t i = 0; i < steps.size() && advance(trace, scheme, steps[i], i, knobs, stop); ++i) {
  }
  return trace;
}

}  // namespace sluice::ui

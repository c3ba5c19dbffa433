#include "engine/fifo/runnable_traces.h"

#include "engine/core/cancelled.h"
#include "engine/operators/fault_diagnostic.h"

namespace sluice::inline fifo {

Diagnostics underTrace(Diagnostics wrong, const std::string& trace) {
  for (Diagnostic& each : wrong) each.place = Location("trace '" + trace + "'") / each.place;
  return wrong;
}

Diagnostics failureOf(const Result<PointResult>& point) {
  if (!point) return point.diagnostics();
  if (!point->simulation.fault) return {};
  return {faultDiagnostic(point->symbolic.graph, *point->simulation.fault)};
}

Result<WorkloadSet> runnableTraces(WorkloadSet set, const KnobValues& knobs, Executor& executor,
                                   const std::stop_token& stop) {
  std::vector<Diagnostics> wrong(set.traces.size());
  executor.parallelFor(
      wrong.size(),
      [&](std::size_t trace) {
        wrong[trace] = failureOf(evaluate(set.at(trace), knobs, RecordMode::Count, stop));
      },
      stop);
  if (stop.stop_requested()) return cancelledDiagnostic();
  std::vector<TraceMember> runnable;
  std::size_t chosen = 0;
  Diagnostics failed;
  for (std::size_t trace = 0; trace < wrong.size(); ++trace) {
    if (wrong[trace].empty()) {
      if (trace == set.chosen) chosen = runnable.size();
      runnable.push_back(std::move(set.traces[trace]));
      continue;
    }
    failed.push_back(underTrace(std::move(wrong[trace]), set.traces[trace].name).front());
  }
  if (runnable.empty() && !failed.empty()) return failed.front();
  for (Diagnostic& each : failed) {
    each.severity = Severity::Warning;
    each.cause = "left out: " + each.cause;
    set.left_out.push_back(std::move(each));
  }
  set.traces = std::move(runnable);
  set.chosen = chosen;
  if (!failed.empty()) set.workload = std::make_shared<const Workload>(set.at(chosen));
  return set;
}

}  // namespace sluice::inline fifo

#include "engine/fifo/runnable_traces.h"

#include <algorithm>

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

Result<RunnableTraces> runnableTraces(WorkloadSet set, const KnobValues& knobs, Executor& executor,
                                      const std::stop_token& stop) {
  struct Tried {
    Diagnostics wrong;
    bool deadlock = false;
    Cycles cycles = 0;
  };
  std::vector<Tried> tried(set.traces.size());
  executor.parallelFor(
      tried.size(),
      [&](std::size_t trace) {
        const Result<PointResult> point = evaluate(set.at(trace), knobs, RecordMode::Count, stop);
        tried[trace].wrong = failureOf(point);
        if (!tried[trace].wrong.empty()) return;
        tried[trace].deadlock = point->simulation.deadlock.has_value();
        tried[trace].cycles = point->simulation.cycles;
      },
      stop);
  if (stop.stop_requested()) return cancelledDiagnostic();
  RunnableTraces result;
  std::vector<TraceMember> runnable;
  std::size_t chosen = 0;
  Diagnostics failed;
  for (std::size_t trace = 0; trace < tried.size(); ++trace) {
    if (!tried[trace].wrong.empty()) {
      failed.push_back(underTrace(std::move(tried[trace].wrong), set.traces[trace].name).front());
      continue;
    }
    if (trace == set.chosen) chosen = runnable.size();
    if (tried[trace].deadlock) result.runs.locked.push_back(runnable.size());
    result.runs.most_cycles = std::max(result.runs.most_cycles, tried[trace].cycles);
    runnable.push_back(std::move(set.traces[trace]));
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
  result.set = std::move(set);
  return result;
}

}  // namespace sluice::inline fifo

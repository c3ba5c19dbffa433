#include "engine/explorer/point_evaluator.h"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "engine/core/stopwatch.h"
#include "engine/explorer/bounds.h"
#include "engine/explorer/retiming_cache.h"
#include "engine/operators/simulate.h"

namespace sluice::inline explorer {
namespace {

PointOutcome symbolicOnly(const Workload& workload, const PointTask& task) {
  Result<DesignPoint> bounds = boundsOf(workload, task.knobs);
  if (!bounds) return refusedPoint(task, bounds.diagnostics());
  return {*std::move(bounds), {}, false};
}

RecordMode modeOf(const PointTask& task) {
  return task.fidelity == Fidelity::Record ? RecordMode::Record : RecordMode::Count;
}

PointOutcome measured(const PointResult& result, const PointTask& task) {
  PointOutcome outcome{result.point, {}, false};
  outcome.point.fidelity = task.fidelity;
  if (task.fidelity == Fidelity::Record) {
    std::uint64_t peak = 0;
    for (const StreamStats& stream : result.simulation.streams) peak += stream.max_occupancy;
    outcome.point.peak_fifo_tokens = peak;
  }
  return outcome;
}

PointOutcome wholeRun(const Workload& workload, const PointTask& task, const std::stop_token& stop,
                      RetimingCache* traces) {
  RetimingCache::Source source;
  const auto run = [&](const SymbolicResult& symbolic, const InputSet& inputs) {
    return traces->run(symbolic, inputs, stop, source);
  };
  const Result<PointResult> result = traces && task.fidelity == Fidelity::Count
                                         ? evaluateBy(workload, task.knobs, run)
                                         : evaluate(workload, task.knobs, modeOf(task), stop);
  if (!result) {
    PointOutcome outcome = refusedPoint(task, result.diagnostics());
    if (stop.stop_requested()) outcome.point.state = PointState::Cancelled;
    return outcome;
  }
  PointOutcome outcome = measured(*result, task);
  outcome.retimed = source.retimed;
  outcome.why_simulated = std::move(source.why_not);
  return outcome;
}

/// How long the whole run takes if it goes on as it began.
double extrapolated(const SymbolicResult& symbolic, const SimulationResult& run) {
  double share = 0;
  if (symbolic.total.flops && *symbolic.total.flops > 0)
    share = static_cast<double>(run.flops) / *symbolic.total.flops;
  if (symbolic.total.off_chip_bytes && *symbolic.total.off_chip_bytes > 0)
    share = std::max(share, static_cast<double>(run.off_chip_bytes) / *symbolic.total.off_chip_bytes);
  const auto cycles = static_cast<double>(run.cycles);
  return share > 0 && share < 1 ? cycles / share : cycles;
}

PointOutcome shortRun(const Workload& workload, const PointTask& task, const std::stop_token& stop) {
  Result<SymbolicResult> symbolic = evaluateSymbolic(workload, task.knobs);
  if (!symbolic) return refusedPoint(task, symbolic.diagnostics());
  const DesignPoint bounds = boundsOf(*symbolic, task.knobs);
  const auto whole = [&] {
    return measured(simulatePoint(workload, task.knobs, *std::move(symbolic), modeOf(task), stop), task);
  };
  if (bounds.metrics.cycles == 0) return whole();
  SimulationOptions options;
  options.stop = stop;
  options.horizon = static_cast<Cycles>(task.share * static_cast<double>(bounds.metrics.cycles)) + 1;
  const InputSet& inputs = symbolic->scheduled ? symbolic->scheduled->inputs : workload.inputs;
  const SimulationResult run = simulate(symbolic->graph, inputs, options);
  if (run.fault || !run.cancelled) return whole();  // done, stuck or failed that early: it was short anyway
  PointOutcome outcome{bounds, {}, true};
  const double cycles = std::max(extrapolated(*symbolic, run), static_cast<double>(bounds.metrics.cycles));
  outcome.point.metrics.cycles = static_cast<Cycles>(cycles);
  if (stop.stop_requested()) outcome.point.state = PointState::Cancelled;
  return outcome;
}

class LocalEvaluator : public PointEvaluator {
 public:
  LocalEvaluator(const Workload& workload, Executor& executor) : workload_(workload), executor_(executor) {}

  void evaluate(std::span<const PointTask> tasks, const Finished& finished,
                const std::stop_token& stop) override {
    std::mutex one_at_a_time;
    executor_.parallelFor(
        tasks.size(),
        [&](std::size_t task) {
          PointOutcome outcome = evaluateTask(workload_, tasks[task], stop, &traces_);
          const std::lock_guard lock(one_at_a_time);
          if (outcome.point.state != PointState::Cancelled) finished(task, std::move(outcome));
        },
        stop);
  }
  unsigned concurrency() const override { return executor_.concurrency(); }

 private:
  const Workload& workload_;
  Executor& executor_;
  RetimingCache traces_;
};

}  // namespace

PointOutcome refusedPoint(const PointTask& task, const Diagnostics& why) {
  PointOutcome outcome;
  outcome.point.knobs = task.knobs;
  outcome.point.fidelity = task.fidelity;
  outcome.point.state = PointState::Failed;
  outcome.point.cause = text(why.front().place) + ": " + why.front().cause;
  outcome.point.failed_at = operatorIn(why.front().place);
  outcome.refused = why;
  return outcome;
}

PointOutcome evaluateTask(const Workload& workload, const PointTask& task, const std::stop_token& stop,
                          RetimingCache* traces) {
  const Clock::time_point start = Clock::now();
  PointOutcome outcome = task.fidelity == Fidelity::Symbolic ? symbolicOnly(workload, task)
                         : task.share < 1                    ? shortRun(workload, task, stop)
                                                             : wholeRun(workload, task, stop, traces);
  outcome.point.wall_seconds = secondsSince(start);
  return outcome;
}

std::unique_ptr<PointEvaluator> localEvaluator(const Workload& workload, Executor& executor) {
  return std::make_unique<LocalEvaluator>(workload, executor);
}

}  // namespace sluice::inline explorer

#pragma once
// Who evaluates points: the cores of this machine, or the ranks of a cluster. Searches and stores do not know
// which.

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stop_token>

#include "engine/core/executor.h"
#include "engine/explorer/evaluate.h"

namespace sluice::inline explorer {

struct PointTask {
  KnobValues knobs;
  Fidelity fidelity = Fidelity::Count;
  /// A short run: to this share of the point's lower bound of cycles. Its `cycles` are then an estimate of
  /// the whole run's, from the arithmetic and traffic done so far. 1: the whole run.
  double share = 1;
};

struct PointOutcome {
  DesignPoint point;  ///< Failed, with its cause, where elaboration or inference refuse it
  Diagnostics refused;
  bool estimated = false;          ///< a short run that was cut
  bool retimed = false;            ///< from the trace of another point's run
  std::string why_simulated = {};  ///< although it differs from a traced point in depths and times only
};

class RetimingCache;

class PointEvaluator {
 public:
  using Finished = std::function<void(std::size_t task, PointOutcome outcome)>;
  virtual ~PointEvaluator() = default;
  /// Calls `finished` once for each task, from any thread and in any order, one call at a time. After a stop
  /// request tasks may stay out.
  virtual void evaluate(std::span<const PointTask> tasks, const Finished& finished,
                        const std::stop_token& stop) = 0;
  virtual unsigned concurrency() const = 0;
};

/// On this machine. Both must live as long as the evaluator.
std::unique_ptr<PointEvaluator> localEvaluator(const Workload& workload, Executor& executor);
/// Of a task that was refused.
PointOutcome refusedPoint(const PointTask& task, const Diagnostics& why);
/// One task, here and now; re-timed from `traces`, if there are some and they know how.
PointOutcome evaluateTask(const Workload& workload, const PointTask& task, const std::stop_token& stop,
                          RetimingCache* traces = nullptr);

}  // namespace sluice::inline explorer

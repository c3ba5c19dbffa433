#pragma once
// TraceEvaluator: evaluates a design point under every trace of a set, and gives it as one point whose
// metrics are statistics. Searches need know nothing of traces.

#include <functional>
#include <mutex>

#include "engine/distributions/point_samples.h"
#include "engine/distributions/stopping.h"
#include "engine/explorer/point_evaluator.h"
#include "engine/explorer/workload_set.h"

namespace sluice::inline distributions {

/// Where runs come from and go to besides: a result store (sample_store.h). Called by one thread at a time.
class SampleKeeper {
 public:
  virtual ~SampleKeeper() = default;
  /// Calls with (index in `knobs`, point) for what is known of a trace.
  virtual Result<Done> known(std::size_t trace, std::span<const KnobValues> knobs, Fidelity fidelity,
                             const std::function<void(std::size_t, DesignPoint)>& found) = 0;
  virtual void add(std::size_t trace, const DesignPoint& point) = 0;
  /// What has been added is on the disk.
  virtual Result<Done> flush() = 0;
};

struct SetOptions {
  std::vector<Statistic>
      statistics;  ///< that points are to have, and that decide when enough traces were seen
  std::vector<Statistic> shown = {};  ///< that points are to have besides
  SamplingPrecision precision;
  double deadlocks = 0,
         overflows = 0;    ///< the shares of traces that a point may deadlock or overflow under and be Done
  std::uint64_t seed = 1;  ///< of the order in which traces are taken
  SampleKeeper* keeper = nullptr;
  /// Under a lock, after each run: how many there were so far, and how many there are to be at most.
  std::function<void(std::uint64_t runs, std::uint64_t of)> on_run = {};
  /// When a point is there, before it is reported; one call at a time.
  std::function<void(const KnobValues& knobs, std::shared_ptr<const PointSamples> samples)> on_samples = {};
};

class TraceEvaluator : public PointEvaluator {
 public:
  /// All must live as long as the evaluator.
  TraceEvaluator(const WorkloadSet& set, Executor& executor, SetOptions options);

  /// A point's plain metrics are means over the traces that ended. It is Deadlocked, Infeasible or Failed if
  /// more traces are than may be, with the first of them as its cause. At the symbolic level it has bounds
  /// that say nothing.
  void evaluate(std::span<const PointTask> tasks, const Finished& finished,
                const std::stop_token& stop) override;
  unsigned concurrency() const override { return executor_.concurrency(); }

  /// Null: that point was not evaluated to its end.
  const PointSamples* samples(const KnobValues& knobs) const;
  const WorkloadSet& set() const { return set_; }
  const Diagnostics& trouble() const { return trouble_; }  ///< of the keeper
  std::uint64_t runs() const { return runs_; }             ///< evaluations of a point under a trace
  std::uint64_t retimed() const { return retimed_; }       ///< of these, taken from the trace of another run
  std::uint64_t reused() const { return reused_; }         ///< besides: what the keeper knew
  std::uint64_t settled() const { return settled_; }       ///< points that did not need every trace

 private:
  struct Open;
  void evaluateBatch(std::span<const PointTask> tasks, const Finished& finished, const std::stop_token& stop);
  void evaluateTrace(std::size_t trace, std::span<Open> open, const std::stop_token& stop);
  void take(std::size_t trace, Open& open, const PointOutcome& outcome);
  PointOutcome outcomeOf(Open& open) const;
  void judge(DesignPoint& point, const PointSamples& samples) const;

  const WorkloadSet& set_;
  Executor& executor_;
  SetOptions options_;
  std::vector<std::size_t> order_;  ///< in which traces are taken
  std::vector<std::size_t> looks_;
  std::map<KnobValues, std::shared_ptr<const PointSamples>> samples_;
  mutable std::mutex mutex_;
  Diagnostics trouble_;
  std::uint64_t runs_ = 0, retimed_ = 0, reused_ = 0, settled_ = 0, planned_ = 0;
};

/// Of one design, under every trace; null after a stop request. Errors: why the design is refused.
/// `on_run`: SetOptions::on_run.
Result<std::shared_ptr<const PointSamples>> samplesOf(
    const WorkloadSet& set, const KnobValues& knobs, Executor& executor, const std::stop_token& stop = {},
    std::function<void(std::uint64_t runs, std::uint64_t of)> on_run = {});

}  // namespace sluice::inline distributions

#include "engine/distributions/trace_evaluator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/random.h"
#include "engine/explorer/metrics/registry.h"
#include "engine/explorer/retiming_cache.h"

namespace sluice::inline distributions {
namespace {

constexpr std::size_t points_together =
    32;  ///< what an interruption loses; their runs are re-timed from each other

std::string grouped(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

}  // namespace

/// A point whose traces are not all evaluated.
struct TraceEvaluator::Open {
  const PointTask* task;
  std::size_t number;  ///< of the task
  PointSamples samples;
  Diagnostics refused = {};  ///< of the first trace that was refused
  std::size_t refused_trace = 0;
  bool done = false;
};

TraceEvaluator::TraceEvaluator(const WorkloadSet& set, Executor& executor, SetOptions options)
    : set_(set), executor_(executor), options_(std::move(options)), looks_(looksAt(set.traces.size())) {
  order_.resize(set.traces.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  SplitMix64(options_.seed).shuffle(std::span(order_));
  if (options_.precision.relative <= 0) looks_ = {order_.size()};
}

void TraceEvaluator::take(std::size_t trace, Open& open, const PointOutcome& outcome) {
  const std::lock_guard lock(mutex_);
  ++runs_;
  if (outcome.retimed) ++retimed_;
  if (!outcome.refused.empty() && (open.refused.empty() || trace < open.refused_trace)) {
    open.refused = outcome.refused;
    open.refused_trace = trace;
  }
  open.samples.set(trace, outcome.point);
  if (options_.keeper && outcome.refused.empty()) options_.keeper->add(trace, outcome.point);
  if (options_.on_run) options_.on_run(runs_ + reused_, planned_);
}

void TraceEvaluator::evaluateTrace(std::size_t trace, std::span<Open> open, const std::stop_token& stop) {
  if (options_.keeper) {
    const std::lock_guard lock(mutex_);
    std::vector<KnobValues> knobs;
    for (const Open& each : open) knobs.push_back(each.task->knobs);
    const Result<Done> asked = options_.keeper->known(trace, knobs, open.front().task->fidelity,
                                                      [&](std::size_t i, DesignPoint point) {
                                                        if (open[i].done) return;
                                                        open[i].samples.set(trace, point);
                                                        ++reused_;
                                                      });
    if (!asked && trouble_.empty()) trouble_ = asked.diagnostics();
  }
  const Workload workload = set_.at(trace);
  RetimingCache traces;  // of this trace: points that differ in depths and times only are re-timed
  for (Open& each : open) {
    if (each.done || each.samples.state(trace) || stop.stop_requested()) continue;
    PointOutcome outcome = evaluateTask(workload, *each.task, stop, &traces);
    if (outcome.point.state != PointState::Cancelled) take(trace, each, outcome);
  }
}

void TraceEvaluator::judge(DesignPoint& point, const PointSamples& samples) const {
  const auto all = static_cast<double>(samples.evaluated());
  const std::pair<PointState, double> limits[] = {{PointState::Failed, 0},
                                                  {PointState::Deadlocked, options_.deadlocks},
                                                  {PointState::Infeasible, options_.overflows}};
  for (const auto& [state, most] : limits) {
    const std::vector<std::size_t> traces = samples.tracesIn(state);
    if (static_cast<double>(traces.size()) <= most * all) continue;
    point.state = state;
    point.cause = "under " + grouped(traces.size()) + " of " + grouped(samples.evaluated()) +
                  " traces, first '" + set_.traces[traces.front()].name +
                  "': " + samples.cause(traces.front());
    if (state == PointState::Deadlocked) point.deadlock = samples.deadlock();
    return;
  }
}

PointOutcome TraceEvaluator::outcomeOf(Open& open) const {
  PointOutcome outcome;
  outcome.point.knobs = open.task->knobs;
  outcome.point.fidelity = open.task->fidelity;
  outcome.point.wall_seconds = open.samples.wallSeconds();
  judge(outcome.point, open.samples);
  for (const MetricSpec* metric : registeredMetrics()) {
    const double mean = statistic(open.samples, {StatisticKind::Mean, 0, metric});
    if (std::isfinite(mean)) metric->set(outcome.point.metrics, mean);
  }
  for (const std::vector<Statistic>* wanted : {&options_.statistics, &options_.shown})
    for (const Statistic& each : *wanted) {
      const double value = statistic(open.samples, each);
      if (std::isfinite(value)) metricOf(each).set(outcome.point.metrics, value);
    }
  const bool none = open.samples.tracesIn(PointState::Failed).size() == open.samples.evaluated();
  if (none) outcome.refused = open.refused;
  return outcome;
}

void TraceEvaluator::evaluateBatch(std::span<const PointTask> tasks, const Finished& finished,
                                   const std::stop_token& stop) {
  std::vector<Open> open;
  for (std::size_t i = 0; i < tasks.size(); ++i) open.push_back({&tasks[i], i, PointSamples(order_.size())});
  std::size_t from = 0;
  for (const std::size_t look : looks_) {
    executor_.parallelFor(
        look - from, [&](std::size_t i) { evaluateTrace(order_[from + i], open, stop); }, stop);
    // Also what was run of points that a stop has left half done.
    if (options_.keeper && trouble_.empty())
      if (const Result<Done> flushed = options_.keeper->flush(); !flushed) trouble_ = flushed.diagnostics();
    if (stop.stop_requested() || !trouble_.empty()) return;
    for (Open& each : open) {
      if (each.done || !knownWell(each.samples, options_.statistics, order_.size(), options_.precision))
        continue;
      each.done = true;
      if (look < order_.size()) ++settled_, planned_ -= order_.size() - look;
      PointOutcome outcome = outcomeOf(each);
      auto samples = std::make_shared<const PointSamples>(std::move(each.samples));
      if (options_.on_samples) options_.on_samples(each.task->knobs, samples);
      samples_.insert_or_assign(each.task->knobs, std::move(samples));
      finished(each.number, std::move(outcome));
    }
    if (std::ranges::all_of(open, &Open::done)) return;
    from = look;
  }
}

void TraceEvaluator::evaluate(std::span<const PointTask> tasks, const Finished& finished,
                              const std::stop_token& stop) {
  std::vector<PointTask> runs;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].fidelity == Fidelity::Symbolic) {
      PointOutcome nothing;  // a bound of 0 holds under every trace
      nothing.point.knobs = tasks[i].knobs;
      nothing.point.fidelity = Fidelity::Symbolic;
      finished(i, std::move(nothing));
      continue;
    }
    runs.push_back(tasks[i]);
    places.push_back(i);
  }
  planned_ += runs.size() * order_.size();
  for (std::size_t from = 0; from < runs.size() && !stop.stop_requested() && trouble_.empty();
       from += points_together) {
    evaluateBatch(
        std::span(runs).subspan(from, std::min(points_together, runs.size() - from)),
        [&](std::size_t i, PointOutcome outcome) { finished(places[from + i], std::move(outcome)); }, stop);
  }
}

const PointSamples* TraceEvaluator::samples(const KnobValues& knobs) const {
  const auto at = samples_.find(knobs);
  return at == samples_.end() ? nullptr : at->second.get();
}

Result<std::shared_ptr<const PointSamples>> samplesOf(
    const WorkloadSet& set, const KnobValues& knobs, Executor& executor, const std::stop_token& stop,
    std::function<void(std::uint64_t runs, std::uint64_t of)> on_run) {
  std::shared_ptr<const PointSamples> found;
  SetOptions options;
  options.on_run = std::move(on_run);
  options.on_samples = [&found](const KnobValues&, std::shared_ptr<const PointSamples> samples) {
    found = std::move(samples);
  };
  TraceEvaluator evaluator(set, executor, std::move(options));
  const PointTask task{knobs, Fidelity::Count};
  Diagnostics refused;
  evaluator.evaluate(
      std::span(&task, 1), [&](std::size_t, PointOutcome outcome) { refused = std::move(outcome.refused); },
      stop);
  if (!refused.empty()) return refused;
  return found;
}

}  // namespace sluice::inline distributions

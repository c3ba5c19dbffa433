#include "engine/fifo/set_unlock.h"

#include <algorithm>
#include <mutex>

#include "engine/core/cancelled.h"
#include "engine/core/stopwatch.h"
#include "engine/program/stream_id.h"

namespace sluice::inline fifo {
namespace {

/// What becomes of the document under every trace.
Result<TraceRuns> tryAll(const WorkloadSet& set, const Document& document, const KnobValues& knobs,
                         Executor& executor, const std::stop_token& stop) {
  TraceRuns tried;
  Diagnostics wrong;
  std::size_t wrong_trace = set.traces.size();
  std::mutex mutex;
  executor.parallelFor(
      set.traces.size(),
      [&](std::size_t trace) {
        Workload workload = set.at(trace);
        workload.document = document;
        const Result<PointResult> point = evaluate(workload, knobs, RecordMode::Count, stop);
        const std::lock_guard lock(mutex);
        if (Diagnostics failure = failureOf(point); !failure.empty()) {
          if (trace >= wrong_trace) return;  // the first of them is reported, whichever thread was faster
          wrong_trace = trace;
          wrong = underTrace(std::move(failure), set.traces[trace].name);
          return;
        }
        if (point->simulation.deadlock) tried.locked.push_back(trace);
        tried.most_cycles = std::max(tried.most_cycles, point->simulation.cycles);
      },
      stop);
  if (stop.stop_requested()) return cancelledDiagnostic();
  if (!wrong.empty()) return wrong;
  std::ranges::sort(tried.locked);
  return tried;
}

const InputSet& inputsOf(const PointResult& point, const Workload& workload) {
  return point.symbolic.scheduled ? point.symbolic.scheduled->inputs : workload.inputs;
}

/// One attempt: depths for some of the traces.
class Attempt {
 public:
  Attempt(const WorkloadSet& set, const KnobValues& knobs) : set_(set), knobs_(knobs) {}

  Result<Done> add(std::size_t trace, const std::stop_token& stop) {
    Workload workload = set_.at(trace);
    SLUICE_TRY(PointResult point, evaluate(workload, knobs_, RecordMode::Count, stop));
    inputs_.push_back(inputsOf(point, workload));
    if (traces_.empty()) first_ = std::move(point);
    traces_.push_back(trace);
    return Done{};
  }
  void dropLast() { traces_.pop_back(), inputs_.pop_back(); }
  const std::vector<std::size_t>& traces() const { return traces_; }

  DepthSearch search(const SearchBudget& budget) const {
    return {
        depthProblem(first_->symbolic.graph, inputs_.front()), budget, {inputs_.begin() + 1, inputs_.end()}};
  }
  const PointResult& first() const { return *first_; }

 private:
  const WorkloadSet& set_;
  const KnobValues& knobs_;
  std::vector<std::size_t> traces_;
  std::vector<InputSet> inputs_;
  std::optional<PointResult> first_;  ///< all have its graph
};

Repair repairFrom(const DepthSearch& search, const DepthSolution& solution, const PointResult& point,
                  const Document& document) {
  const ScheduledProgram* const scheduled = point.symbolic.scheduled.get();
  const auto streams = streamsById(scheduled ? scheduled->document : document);
  Repair repair;
  for (const auto& [number, depth] : solution.depths) {
    const DepthGroup& group = search.groups()[number];
    repair.changes.push_back({group.origin, fifoName(*streams.at(group.origin), group.origin),
                              group.streams.size(), group.depth, depth,
                              static_cast<double>(depth - group.depth) * group.bytes});
  }
  repair.bytes = solution.bytes;
  repair.minimal = solution.minimal;
  return repair;
}

/// A trace that deadlocks when the FIFO of one change has a slot less; those that were searched for are asked
/// first.
Result<std::size_t> needing(const WorkloadSet& set, const KnobValues& knobs, Repair repair,
                            std::size_t change, const Attempt& attempt, const std::vector<std::size_t>& real,
                            Executor& executor, const std::stop_token& stop) {
  const std::size_t one_less = --repair.changes[change].to;
  if (one_less == repair.changes[change].from)
    repair.changes.erase(repair.changes.begin() + static_cast<std::ptrdiff_t>(change));
  const Document document =
      repaired(set.workload->document, attempt.first().symbolic.scheduled.get(), repair);
  for (const std::size_t trace : attempt.traces()) {
    Workload workload = set.at(trace);
    workload.document = document;
    SLUICE_TRY(const PointResult tried, evaluate(workload, knobs, RecordMode::Count, stop));
    if (tried.simulation.deadlock) return trace;
  }
  SLUICE_TRY(const TraceRuns all, tryAll(set, document, knobs, executor, stop));
  const auto first = std::ranges::find_if(
      all.locked, [&](std::size_t trace) { return std::ranges::find(real, trace) == real.end(); });
  return first == all.locked.end() ? attempt.traces().front() : *first;
}

/// The budget that is left since `start`.
SearchBudget left(SearchBudget budget, Clock::time_point start, std::size_t runs) {
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
  budget.time = std::max(budget.time - spent, std::chrono::milliseconds(1));
  budget.runs -= std::min(budget.runs, runs);
  return budget;
}

/// With the depths for all traces of the attempt; null where none was found. One that no depths free is put
/// among the real ones and taken out of the attempt.
Result<std::optional<Repair>> repairFor(Attempt& attempt, const WorkloadSet& set, SetUnlock& result,
                                        const SearchBudget& budget) {
  DepthSearch search = attempt.search(budget);
  const SimulationResult unlimited = search.runUnlimited();
  std::optional<DepthSolution> solution;
  if (!unlimited.cancelled && (unlimited.finished() || !search.countsDeterminate())) {
    const SimulationResult& sizes = unlimited.finished() ? unlimited : attempt.first().simulation;
    search.setTokenBytes(tokenBytes(attempt.first(), sizes));
    solution = search.solve();
  }
  result.runs += search.runs();
  result.gave_up = search.gaveUp();
  if (solution) return std::optional(repairFrom(search, *solution, attempt.first(), set.workload->document));
  if (!search.gaveUp()) result.real.push_back(attempt.traces().back());
  return std::optional<Repair>();
}

Result<Done> explainChanges(SetUnlock& result, const WorkloadSet& set, const KnobValues& knobs,
                            const Attempt& attempt, Executor& executor, const std::stop_token& stop) {
  for (std::size_t change = 0; change < result.repair->changes.size(); ++change) {
    SLUICE_TRY(const std::size_t trace,
               needing(set, knobs, *result.repair, change, attempt, result.real, executor, stop));
    result.needed_by.push_back(trace);
  }
  return Done{};
}

}  // namespace

Result<SetUnlock> unlockSet(const RunnableTraces& traces, const KnobValues& knobs, Executor& executor,
                            const SearchBudget& budget) {
  const Clock::time_point start = Clock::now();
  const WorkloadSet& set = traces.set;
  SetUnlock result;
  TraceRuns tried = traces.runs;
  result.locked = tried.locked;
  result.runs = set.traces.size();
  Attempt attempt(set, knobs);
  while (!tried.locked.empty() && !result.gave_up) {
    SLUICE_CHECK(attempt.add(tried.locked.front(), budget.stop));
    SLUICE_TRY(std::optional<Repair> repair,
               repairFor(attempt, set, result, left(budget, start, result.runs)));
    if (budget.stop.stop_requested()) return cancelledDiagnostic();
    if (!repair) {
      if (result.gave_up) break;
      attempt.dropLast();
      std::erase(tried.locked, result.real.back());
      continue;
    }
    const Document document =
        repaired(set.workload->document, attempt.first().symbolic.scheduled.get(), *repair);
    SLUICE_TRY(tried, tryAll(set, document, knobs, executor, budget.stop));
    result.runs += set.traces.size();
    std::erase_if(tried.locked, [&](std::size_t trace) {
      return std::ranges::find(result.real, trace) != result.real.end();
    });
    repair->cycles = tried.most_cycles;
    repair->verified = tried.locked.empty();
    result.repair = std::move(repair);
  }
  std::ranges::sort(result.real);
  result.searched = attempt.traces();
  if (result.repair) result.repair->verified = tried.locked.empty();
  if (result.repair && !result.repair->verified) result.repair.reset();
  if (result.repair) SLUICE_CHECK(explainChanges(result, set, knobs, attempt, executor, budget.stop));
  return result;
}

}  // namespace sluice::inline fifo

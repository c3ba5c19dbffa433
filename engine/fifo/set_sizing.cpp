#include "engine/fifo/set_sizing.h"

#include <algorithm>
#include <map>

#include "engine/core/cancelled.h"
#include "engine/fifo/runnable_traces.h"

namespace sluice::inline fifo {
namespace {

/// What each trace asks for.
Result<std::vector<ProgramSizing>> sizeEach(const WorkloadSet& set, const KnobValues& knobs,
                                            const std::string& region, const DepthStrategy& strategy,
                                            const DepthOptions& options, Executor& executor) {
  std::vector<std::optional<Result<ProgramSizing>>> found(set.traces.size());
  executor.parallelFor(
      found.size(),
      [&](std::size_t trace) {
        found[trace].emplace(sizeProgram(set.at(trace), knobs, region, strategy, options));
      },
      options.stop);
  if (options.stop.stop_requested()) return cancelledDiagnostic();
  std::vector<ProgramSizing> all;
  for (std::size_t trace = 0; trace < found.size(); ++trace) {
    if (!*found[trace]) return underTrace(found[trace]->diagnostics(), set.traces[trace].name);
    all.push_back(**std::move(found[trace]));
  }
  return all;
}

struct Wish {
  Repair::Change change;
  std::size_t trace;
};

/// By the FIFO; what a trace does not list it leaves as it is.
std::map<std::string, Wish> largestWishes(const std::vector<ProgramSizing>& all) {
  std::map<std::string, std::size_t> asked;
  std::map<std::string, Wish> wishes;
  for (std::size_t trace = 0; trace < all.size(); ++trace)
    for (const Repair::Change& change : all[trace].changes) {
      ++asked[change.origin];
      const auto [at, fresh] = wishes.try_emplace(change.origin, Wish{change, trace});
      if (!fresh && change.to > at->second.change.to) at->second = {change, trace};
    }
  // Where one trace leaves it as it is, it does not become shallower.
  std::erase_if(wishes, [&](const auto& wish) {
    const Repair::Change& change = wish.second.change;
    return change.to < change.from && asked.at(wish.first) < all.size();
  });
  return wishes;
}

}  // namespace

Result<SetSizing> sizeSet(const WorkloadSet& set, const KnobValues& knobs, const std::string& region,
                          const DepthStrategy& strategy, const DepthOptions& options, Executor& executor) {
  SLUICE_TRY(const std::vector<ProgramSizing> all, sizeEach(set, knobs, region, strategy, options, executor));
  SetSizing sizing;
  sizing.bytes_before = sizing.bytes_after = all.front().bytes_before;
  sizing.most_cycles_before = 0;
  for (const ProgramSizing& each : all) {
    if (!each.cycles_before) sizing.most_cycles_before.reset();
    if (sizing.most_cycles_before)
      sizing.most_cycles_before = std::max(*sizing.most_cycles_before, *each.cycles_before);
  }
  Repair repair;
  for (const auto& [origin, wish] : largestWishes(all)) {
    repair.changes.push_back(wish.change);
    sizing.needed_by.push_back(wish.trace);
    sizing.bytes_after += wish.change.bytes;
  }
  sizing.changes = repair.changes;
  const Workload first = set.at(0);
  SLUICE_TRY(const PointResult point, evaluate(first, knobs, RecordMode::Count, options.stop));
  sizing.document = repaired(first.document, point.symbolic.scheduled.get(), repair);
  std::vector<std::optional<Result<PointResult>>> runs(set.traces.size());
  executor.parallelFor(
      runs.size(),
      [&](std::size_t trace) {
        Workload tried = set.at(trace);
        tried.document = sizing.document;
        runs[trace].emplace(evaluate(tried, knobs, RecordMode::Count, options.stop));
      },
      options.stop);
  if (options.stop.stop_requested()) return cancelledDiagnostic();
  for (std::size_t trace = 0; trace < runs.size(); ++trace) {
    if (!*runs[trace]) return underTrace(runs[trace]->diagnostics(), set.traces[trace].name);
    const SimulationResult& run = (*runs[trace])->simulation;
    if (run.deadlock || run.fault)
      return underTrace(
          {error(run.deadlock ? Code("deadlock") : Code("run-not-finished"), "simulation",
                 "the run with the depths found does not come to its end",
                 "'sluice-cli unlock' over the set finds the depths that free every trace, where depths do")},
          set.traces[trace].name);
    sizing.most_cycles_after = std::max(sizing.most_cycles_after, run.cycles);
  }
  return sizing;
}

}  // namespace sluice::inline fifo

#include "engine/fifo/near_misses.h"

#include <algorithm>

#include "engine/fifo/unlock.h"
#include "engine/program/stream_id.h"

namespace sluice::inline fifo {
namespace {

Cycles timeFull(const OccupancySeries& series, std::uint64_t depth, Cycles end) {
  Cycles full = 0;
  for (std::size_t i = 0; i < series.samples.size(); ++i) {
    const Cycles next = i + 1 < series.samples.size() ? series.samples[i + 1].time : end;
    const auto& sample = series.samples[i];
    if ((series.interval > 1 ? sample.high : sample.last) >= depth && next > sample.time)
      full += next - sample.time;
  }
  return full;
}

/// A FIFO that never came near its depth is none: fewer slots change nothing.
bool wasNearlyFull(const DepthGroup& group, const SimulationResult& run, std::uint64_t within) {
  return std::any_of(group.streams.begin(), group.streams.end(), [&](StreamId id) {
    return run.occupancy.empty() || run.streams[id].max_occupancy + within >= group.depth;
  });
}

std::vector<std::string> membersOf(const FlatGraph& graph, const DeadlockReport& deadlock) {
  std::vector<std::string> names;
  const auto& who = deadlock.cycles.empty() ? deadlock.stranded : deadlock.cycles.front().members;
  for (const OperatorId op : who) names.push_back(graph.operators[op].name);
  return names;
}

}  // namespace

NearMisses nearMisses(const Workload& workload, const PointResult& point, std::uint64_t within,
                      const SearchBudget& budget) {
  const ScheduledProgram* scheduled = point.symbolic.scheduled.get();
  const FlatGraph& graph = point.symbolic.graph;
  const SimulationResult& now = point.simulation;
  const auto streams = streamsById(scheduled ? scheduled->document : workload.document);
  DepthSearch search(depthProblem(graph, scheduled ? scheduled->inputs : workload.inputs), budget);
  NearMisses result;
  for (std::size_t g = 0; g < search.groups().size() && !search.gaveUp(); ++g) {
    const DepthGroup& group = search.groups()[g];
    if (!wasNearlyFull(group, now, within)) continue;
    for (std::uint64_t fewer = 1; fewer <= within && fewer < group.depth; ++fewer) {
      const auto less = search.runWith({{g, group.depth - fewer}});
      if (!less) break;
      if (!less->deadlock) continue;
      NearMiss miss{group.origin,
                    fifoName(*streams.at(group.origin), group.origin),
                    group.streams.size(),
                    group.depth,
                    fewer,
                    membersOf(graph, *less->deadlock),
                    0,
                    0};
      if (const auto wide = search.runWith({{g, unlimited_depth}}); wide && !wide->deadlock && !wide->fault)
        miss.stall = now.cycles - std::min(now.cycles, wide->cycles);
      for (const StreamId id : group.streams)
        if (id < now.occupancy.size())
          miss.full = std::max(miss.full, timeFull(now.occupancy[id], graph.streams[id].depth, now.cycles));
      result.list.push_back(std::move(miss));
      break;
    }
  }
  std::stable_sort(result.list.begin(), result.list.end(), [](const NearMiss& a, const NearMiss& b) {
    return a.fewer != b.fewer ? a.fewer < b.fewer : a.stall > b.stall;
  });
  result.runs = search.runs();
  result.gave_up = search.gaveUp();
  return result;
}

}  // namespace sluice::inline fifo

#include "engine/fifo/depth_frontier.h"

#include <algorithm>

#include "engine/fifo/unlock.h"
#include "engine/program/stream_id.h"

namespace sluice::inline fifo {
namespace {

const Document& programOf(const Workload& workload, const PointResult& point) {
  return point.symbolic.scheduled ? point.symbolic.scheduled->document : workload.document;
}

class Explorer {
 public:
  Explorer(DepthFrontier& frontier, DepthSearch& search, std::size_t first, std::size_t second)
      : frontier_(frontier), search_(search), first_(first), second_(second) {}

  /// Deeper never deadlocks: walk along the edge between the two regions.
  void walk() {
    std::uint64_t b = frontier_.up_to + 1;  // the least that is known to end
    for (std::uint64_t a = 1; a <= frontier_.up_to && !search_.gaveUp(); ++a) {
      std::optional<Cycles> cycles;
      while (b > 1) {
        const std::optional<Cycles> less = run(a, b - 1);
        if (!less) break;
        cycles = less;
        --b;
      }
      for (std::uint64_t deep = b; deep <= frontier_.up_to; ++deep) mark(a, deep);
      if (cycles) corner(a, b, *cycles);
    }
  }

  void runAll() {
    std::uint64_t best = frontier_.up_to + 1;
    for (std::uint64_t a = 1; a <= frontier_.up_to; ++a) {
      std::optional<Cycles> first;
      std::uint64_t least = 0;
      for (std::uint64_t b = 1; b <= frontier_.up_to && !search_.gaveUp(); ++b) {
        const std::optional<Cycles> cycles = run(a, b);
        if (!cycles) continue;
        mark(a, b);
        if (!first) first = cycles, least = b;
      }
      if (first && least < best) corner(a, best = least, *first);
    }
  }

 private:
  /// Cycles, if it ends.
  std::optional<Cycles> run(std::uint64_t a, std::uint64_t b) {
    const auto result = search_.runWith({{first_, a}, {second_, b}});
    if (!result || result->deadlock || result->fault) return std::nullopt;
    return result->cycles;
  }
  void mark(std::uint64_t a, std::uint64_t b) { frontier_.ends[(a - 1) * frontier_.up_to + b - 1] = 1; }
  void corner(std::uint64_t a, std::uint64_t b, Cycles cycles) {
    const auto more = [](std::uint64_t depth, const DepthGroup& group) {
      return (static_cast<double>(depth) - static_cast<double>(group.depth)) * group.bytes;
    };
    frontier_.corners.push_back(
        {a, b, more(a, search_.groups()[first_]) + more(b, search_.groups()[second_]), cycles});
  }

  DepthFrontier& frontier_;
  DepthSearch& search_;
  std::size_t first_, second_;
};

}  // namespace

std::vector<DepthFrontier::Axis> depthAxes(const Workload& workload, const PointResult& point) {
  const auto streams = streamsById(programOf(workload, point));
  std::vector<DepthFrontier::Axis> axes;
  for (const DepthGroup& group : depthProblem(point.symbolic.graph, {}).groups)
    axes.push_back({group.origin, fifoName(*streams.at(group.origin), group.origin), group.depth});
  return axes;
}

std::vector<std::string> suggestedPair(const PointResult& locked, const std::vector<std::string>& repaired) {
  std::vector<std::string> pair;
  const auto add = [&](const std::string& origin) {
    if (pair.size() < 2 && std::find(pair.begin(), pair.end(), origin) == pair.end()) pair.push_back(origin);
  };
  for (const std::string& origin : repaired) add(origin);
  const auto& deadlock = locked.simulation.deadlock;
  if (!deadlock) return pair;
  for (const WaitReason reason : {WaitReason::Full, WaitReason::Empty})
    for (const CircularWait& cycle : deadlock->cycles)
      for (const OperatorId op : cycle.members)
        if (deadlock->find(op)->reason == reason)
          add(locked.symbolic.graph.streams[deadlock->find(op)->stream].origin);
  return pair;
}

Result<DepthFrontier> depthFrontier(const Workload& workload, const PointResult& point,
                                    const std::string& first, const std::string& second, std::uint64_t up_to,
                                    const SearchBudget& budget) {
  const ScheduledProgram* scheduled = point.symbolic.scheduled.get();
  DepthSearch search(depthProblem(point.symbolic.graph, scheduled ? scheduled->inputs : workload.inputs),
                     budget);
  const auto find = [&](const std::string& origin) {
    const auto& groups = search.groups();
    return static_cast<std::size_t>(
        std::find_if(groups.begin(), groups.end(),
                     [&](const DepthGroup& group) { return group.origin == origin; }) -
        groups.begin());
  };
  const std::size_t a = find(first), b = find(second);
  for (const auto& [at, origin] : {std::pair{a, first}, {b, second}})
    if (at == search.groups().size())
      return error("unknown-name", Location(Where::Stream, origin), "there is no FIFO of that name to deepen",
                   "name a stream of the program");
  if (a == b || up_to == 0)
    return error("missing-value", Location(Where::Stream, first), "a frontier needs two FIFOs and a depth",
                 "choose another FIFO");
  search.setTokenBytes(tokenBytes(point, point.simulation));
  const auto axis = [&](std::size_t at) {
    const DepthGroup& group = search.groups()[at];
    const Stream& stream = *findStream(programOf(workload, point), group.origin);
    return DepthFrontier::Axis{group.origin, fifoName(stream, group.origin), group.depth};
  };
  DepthFrontier frontier{axis(a), axis(b), up_to, std::vector<char>(up_to * up_to, 0), {}, true, 0, false};
  frontier.monotone = search.determinate();
  Explorer explorer(frontier, search, a, b);
  if (frontier.monotone)
    explorer.walk();
  else
    explorer.runAll();
  frontier.runs = search.runs();
  frontier.gave_up = search.gaveUp();
  return frontier;
}

}  // namespace sluice::inline fifo

#include "engine/fifo/depth_search.h"

#include <algorithm>
#include <queue>
#include <set>

#include "engine/core/stopwatch.h"
#include "engine/operators/inference.h"
#include "engine/operators/registry.h"
#include "engine/operators/selectors.h"

namespace sluice::inline fifo {
namespace {

constexpr std::size_t most_open = std::size_t{1} << 24;  // depths in all open nodes together

}  // namespace

/// All solutions with at least these depths, the fixed groups at exactly these.
struct DepthSearch::Node {
  Depths depths;
  std::vector<char> fixed;
  double bytes = 0;
  std::size_t number = 0;
};

struct DepthSearch::Costlier {
  bool operator()(const Node& a, const Node& b) const {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.number < b.number;  // equal: the latest first
  }
};

DepthSearch::DepthSearch(DepthProblem problem, const SearchBudget& budget, std::vector<InputSet> also)
    : problem_(std::move(problem)),
      also_(std::move(also)),
      budget_(budget),
      end_(Clock::now() + budget.time) {
  for (const FlatStream& stream : problem_.graph.streams) start_.push_back(stream.depth);
  group_of_.resize(start_.size());
  for (std::size_t g = 0; g < groups().size(); ++g)
    if (!groups()[g].fixed)
      for (const StreamId id : groups()[g].streams) group_of_[id] = g;
}

/// Absent: the budget has ended.
std::optional<SimulationResult> DepthSearch::run(const Depths& depths, RecordMode mode) {
  for (StreamId id = 0; id < start_.size(); ++id) {
    const bool other = group_of_[id] && depths[*group_of_[id]] != groups()[*group_of_[id]].depth;
    problem_.graph.streams[id].depth = other ? depths[*group_of_[id]] : start_[id];
  }
  const auto under = [&](std::size_t input) -> const InputSet& {
    return input == 0 ? problem_.inputs : also_[input - 1];
  };
  std::optional<SimulationResult> result = runUnder(under(hardest_), mode);
  const std::size_t first = hardest_;
  for (std::size_t input = 0; input <= also_.size() && result && !result->deadlock && !result->fault;
       ++input) {
    if (input == first) continue;
    hardest_ = input;
    result = runUnder(under(input), mode);
  }
  if (result && !result->deadlock && !result->fault) hardest_ = first;
  return result;
}

std::optional<SimulationResult> DepthSearch::runUnder(const InputSet& inputs, RecordMode mode) {
  if (runs_ >= budget_.runs || Clock::now() > end_ || budget_.stop.stop_requested()) {
    gave_up_ = true;
    return std::nullopt;
  }
  ++runs_;
  if (budget_.progress) {
    const auto left = std::chrono::duration<double>(end_ - Clock::now()) / budget_.time;
    const double spent = static_cast<double>(runs_) / static_cast<double>(budget_.runs);
    budget_.progress({runs_, std::clamp(std::max(1 - left, spent), 0.0, 1.0), best_bytes_});
  }
  std::stop_source stop;
  SimulationOptions options;
  options.mode = mode;
  options.stop = stop.get_token();
  options.progress = [&](Cycles) {
    if (Clock::now() > end_ || budget_.stop.stop_requested()) stop.request_stop();
  };
  SimulationResult result = simulate(problem_.graph, inputs, options);
  if (result.cancelled) {
    gave_up_ = true;
    return std::nullopt;
  }
  return result;
}

std::optional<SimulationResult> DepthSearch::runWith(const std::map<std::size_t, std::uint64_t>& changed) {
  Depths depths;
  for (const DepthGroup& group : groups()) depths.push_back(group.depth);
  for (const auto& [group, depth] : changed) depths.at(group) = depth;
  return run(depths);
}

SimulationResult DepthSearch::runUnlimited() {
  std::optional<SimulationResult> result = run(Depths(groups().size(), unlimited_depth));
  if (result) return *std::move(result);
  SimulationResult nothing;
  nothing.cancelled = true;
  return nothing;
}

bool DepthSearch::finishes(const Depths& depths) {
  const std::optional<SimulationResult> result = run(depths);
  return result && !result->deadlock && !result->fault;
}

double DepthSearch::cost(const Depths& depths) const {
  double bytes = 0;
  for (std::size_t g = 0; g < groups().size(); ++g)
    bytes += static_cast<double>(depths[g] - groups()[g].depth) * groups()[g].bytes;
  return bytes;
}

/// The groups of the full FIFOs in a wait cycle.
std::vector<std::size_t> DepthSearch::fullGroups(const CircularWait& cycle,
                                                 const DeadlockReport& report) const {
  std::set<std::size_t> groups;
  for (const OperatorId op : cycle.members) {
    const BlockedOperator* blocked = report.find(op);
    if (blocked->reason == WaitReason::Full && group_of_[blocked->stream])
      groups.insert(*group_of_[blocked->stream]);
  }
  return {groups.begin(), groups.end()};
}

/// Parks' rule: as long as it deadlocks, enlarge what is full in every wait cycle, ever faster.
std::optional<DepthSearch::Depths> DepthSearch::grow() {
  Depths depths;
  for (const DepthGroup& group : groups()) depths.push_back(group.depth);
  for (;;) {
    const std::optional<SimulationResult> result = run(depths);
    if (!result || result->fault) return std::nullopt;
    if (!result->deadlock) return depths;
    std::set<std::size_t> full;
    for (const CircularWait& cycle : result->deadlock->cycles)
      for (const std::size_t group : fullGroups(cycle, *result->deadlock)) full.insert(group);
    for (const OperatorId op : result->deadlock->stranded) {
      const BlockedOperator* blocked = result->deadlock->find(op);
      if (blocked->reason == WaitReason::Full && group_of_[blocked->stream])
        full.insert(*group_of_[blocked->stream]);
    }
    if (full.empty()) return std::nullopt;
    for (const std::size_t group : full) depths[group] *= 2;
  }
}

/// The least depth of a group from `from` up to what it has now with which the graph finishes, as it does
/// now.
std::uint64_t DepthSearch::least(Depths& depths, std::size_t group, std::uint64_t from) {
  std::uint64_t fails = from - 1, works = depths[group];
  for (std::uint64_t step = 1; works - fails > 1; step *= 2) {  // mostly near the lower end
    const std::uint64_t next = std::min(fails + step, fails + (works - fails) / 2);
    depths[group] = std::max(next, fails + 1);
    if (finishes(depths)) {
      works = depths[group];
      step = works - fails;  // halve from here on
    } else {
      if (gave_up_) break;
      fails = depths[group];
    }
  }
  depths[group] = works;
  return works;
}

void DepthSearch::shrink(Depths& depths) {
  std::vector<std::size_t> grown;
  for (std::size_t g = 0; g < groups().size(); ++g)
    if (depths[g] > groups()[g].depth) grown.push_back(g);
  std::stable_sort(grown.begin(), grown.end(), [&](std::size_t a, std::size_t b) {
    return groups()[a].bytes > groups()[b].bytes;  // save where a token is dear
  });
  for (const std::size_t group : grown) least(depths, group, groups()[group].depth);
}

/// Depths change when a token arrives; an EagerMerge takes its inputs in that order, a Reassemble those that
/// one selector names. What is enough there at one depth need not be at a larger one.
bool DepthSearch::determinate() const {
  return determinateUnder(problem_.inputs) &&
         std::ranges::all_of(also_, [&](const InputSet& inputs) { return determinateUnder(inputs); });
}

bool DepthSearch::determinateUnder(const InputSet& inputs) const {
  return std::none_of(
      problem_.graph.operators.begin(), problem_.graph.operators.end(), [&](const FlatOperator& op) {
        const Arrival arrival = definitionOf(op).arrival;
        if (arrival == Arrival::WatchesAll) return true;
        if (arrival != Arrival::Chooses) return false;
        const std::optional<SelectorRows> rows = selectorRows(problem_.graph, op.inputs.back(), inputs);
        return !rows ||
               std::any_of(rows->begin(), rows->end(), [](const auto& row) { return row.size() > 1; });
      });
}

namespace {

/// The only difference between what comes first and what comes second is the data in it.
bool areAlike(const StreamType& type) {
  const TileType* tile = type.element.tile();
  return tile && tile->rows.kind == DimKind::Static && tile->cols.kind == DimKind::Static;
}

/// Only a sink learns what the stream says.
bool isOnlyWatched(const FlatGraph& graph, StreamId id) {
  const FlatOperator& reader = graph.operators[graph.streams[id].consumer];
  if (!definitionOf(reader).copies) return reader.outputs.empty();
  return std::all_of(reader.outputs.begin(), reader.outputs.end(),
                     [&](StreamId copy) { return isOnlyWatched(graph, copy); });
}

}  // namespace

/// A merge of single tokens that are all alike, or a gathering of such, gives as many whatever the order. So
/// without limits no step takes another's token away, and every order of steps ends in the same state; a run
/// with limits is the beginning of one of these.
bool DepthSearch::countsDeterminate() const {
  if (determinate()) return true;
  const Result<Inference> typed = infer(problem_.graph, problem_.inputs);
  return typed && std::all_of(problem_.graph.operators.begin(), problem_.graph.operators.end(),
                              [&](const FlatOperator& op) {
                                const Arrival arrival = definitionOf(op).arrival;
                                const bool merge = arrival == Arrival::WatchesAll;
                                if (!merge && arrival != Arrival::Chooses) return true;
                                return op.parameters.integer("rank") == 0 &&
                                       areAlike(typed->streams[op.outputs[0]]) &&
                                       (!merge || isOnlyWatched(problem_.graph, op.outputs[1]));
                              });
}

/// The solutions of a deadlocked node: one of the full FIFOs of a wait cycle is deeper. The i-th branch
/// leaves the ones before i as they are, so that no solution is looked at twice.
std::vector<DepthSearch::Node> DepthSearch::branches(const Node& node, const DeadlockReport& report) {
  std::vector<std::size_t> open;
  bool any = false;
  const auto consider = [&](std::vector<std::size_t> full) {
    std::erase_if(full, [&](std::size_t g) { return node.fixed[g]; });
    if (!any || full.size() < open.size()) open = std::move(full);
    any = true;
  };
  for (const CircularWait& cycle : report.cycles) consider(fullGroups(cycle, report));
  for (const OperatorId op : report.stranded) {
    const BlockedOperator* blocked = report.find(op);
    const bool full = blocked->reason == WaitReason::Full && group_of_[blocked->stream];
    consider(full ? std::vector<std::size_t>{*group_of_[blocked->stream]} : std::vector<std::size_t>{});
  }
  std::vector<Node> children;
  Node child = node;
  for (const std::size_t group : open) {
    Depths most(groups().size(), unlimited_depth);
    for (std::size_t g = 0; g < groups().size(); ++g)
      if (child.fixed[g]) most[g] = child.depths[g];
    if (finishes(most)) {
      children.push_back(child);
      children.back().depths[group] = least(most, group, node.depths[group] + 1);
      children.back().bytes = cost(children.back().depths);
    }
    child.fixed[group] = 1;
  }
  return children;
}

/// A process that waits for a slot finds the FIFO full, or sees its last token go at the moment in which the
/// next comes. A port that reads memory ahead also counts the slots before it needs them.
bool DepthSearch::mayHoldUp(std::size_t group, const SimulationResult& result) const {
  return std::any_of(groups()[group].streams.begin(), groups()[group].streams.end(), [&](StreamId id) {
    const StreamStats& stats = result.streams[id];
    const std::uint64_t depth = problem_.graph.streams[id].depth;
    if (stats.max_occupancy + 1 >= depth) return stats.tokens > 0;
    const FlatOperator& producer = problem_.graph.operators[problem_.graph.streams[id].producer];
    return stats.tokens >= depth && definitionOf(producer).memory != MemoryRole::None;
  });
}

/// `result` is the node's run, recorded. As with branches().
std::vector<DepthSearch::Node> DepthSearch::branchesAnywhere(const Node& node,
                                                             const SimulationResult& result) const {
  std::vector<Node> children;
  Node child = node;
  for (std::size_t group = 0; group < groups().size(); ++group) {
    if (child.fixed[group] || groups()[group].fixed || !mayHoldUp(group, result)) continue;
    children.push_back(child);
    ++children.back().depths[group];
    children.back().bytes = cost(children.back().depths);
    child.fixed[group] = 1;
  }
  return children;
}

std::optional<DepthSolution> DepthSearch::solve() {
  std::optional<Depths> best = grow();
  if (best) {
    best_bytes_ = cost(*best);
    shrink(*best);
    best_bytes_ = cost(*best);
  }
  const bool determined = determinate();
  Node root{{}, std::vector<char>(groups().size(), 0), 0, 0};
  for (const DepthGroup& group : groups()) root.depths.push_back(group.depth);
  std::priority_queue<Node, std::vector<Node>, Costlier> open;
  open.push(std::move(root));
  std::size_t numbered = 0;
  while (!open.empty() && !gave_up_) {
    const Node node = open.top();
    open.pop();
    if (best && node.bytes >= cost(*best)) break;  // and so are all that are left
    const auto result = run(node.depths, determined ? RecordMode::Count : RecordMode::Record);
    if (!result || (determined && result->fault)) continue;
    if (!result->deadlock && !result->fault) {
      best = node.depths;
      break;
    }
    for (Node& child : determined ? branches(node, *result->deadlock) : branchesAnywhere(node, *result)) {
      if (best && child.bytes >= cost(*best)) continue;
      child.number = ++numbered;
      open.push(std::move(child));
    }
    gave_up_ = gave_up_ || open.size() * groups().size() > most_open;
  }
  if (!best) return std::nullopt;
  DepthSolution solution;
  for (std::size_t g = 0; g < groups().size(); ++g)
    if ((*best)[g] > groups()[g].depth) solution.depths[g] = (*best)[g];
  solution.bytes = cost(*best);
  solution.minimal = !gave_up_;
  budget_.runs = runs_ + 1 + also_.size();  // what is shown has been run
  end_ = Clock::now() + budget_.time;
  const std::optional<SimulationResult> result = run(*best);
  if (!result || result->deadlock || result->fault) return std::nullopt;
  solution.cycles = result->cycles;
  return solution;
}

}  // namespace sluice::inline fifo

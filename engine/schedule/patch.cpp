#include "engine/schedule/patch.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace sluice::inline schedule {
namespace {

std::string keyOf(const Node& node) {
  return node.name;
}
std::string keyOf(const Stream& stream) {
  return text(stream.from) + " " + text(stream.to);
}
std::string keyOf(const Input& input) {
  return input.name;
}

/// A position in the list before, and one in the list after.
using Kept = std::pair<std::size_t, std::size_t>;

/// The longest of the chains of pairs that grow in both positions. Given in the order of the first.
std::vector<Kept> longestChain(const std::vector<Kept>& pairs) {
  std::vector<std::size_t> ends, before(pairs.size());  // the last pair of the best chain of each length
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    const auto at = std::ranges::lower_bound(ends, pairs[pair].second, {},
                                             [&](std::size_t end) { return pairs[end].second; });
    before[pair] = at == ends.begin() ? pair : *(at - 1);
    if (at == ends.end())
      ends.push_back(pair);
    else
      *at = pair;
  }
  std::vector<Kept> chain(ends.size());
  for (std::size_t left = ends.size(), pair = ends.empty() ? 0 : ends.back(); left-- > 0; pair = before[pair])
    chain[left] = pairs[pair];
  return chain;
}

/// What stays where it is: names are as good as unique, so that equal elements find each other by them.
template <class T>
std::vector<Kept> keptOf(const std::vector<T>& before, const std::vector<T>& after) {
  std::unordered_map<std::string, std::vector<std::size_t>> places;
  for (std::size_t place = after.size(); place-- > 0;) places[keyOf(after[place])].push_back(place);
  std::vector<Kept> pairs;
  for (std::size_t place = 0; place < before.size(); ++place) {
    const auto found = places.find(keyOf(before[place]));
    if (found == places.end() || found->second.empty()) continue;
    if (before[place] == after[found->second.back()]) pairs.emplace_back(place, found->second.back());
    found->second.pop_back();
  }
  return longestChain(pairs);
}

/// The hunks between what two lists have in common. Lists may be long: a compiled program has tens of
/// thousands of nodes.
template <class T>
std::vector<Hunk<T>> hunksOf(const std::vector<T>& before, const std::vector<T>& after) {
  const auto part = [](const std::vector<T>& list, std::size_t from, std::size_t to) {
    const auto at = [&](std::size_t place) { return list.begin() + static_cast<std::ptrdiff_t>(place); };
    return std::vector<T>(at(from), at(to));
  };
  std::vector<Hunk<T>> hunks;
  std::size_t i = 0, j = 0;
  std::vector<Kept> kept = keptOf(before, after);
  kept.emplace_back(before.size(), after.size());
  for (const auto& [stays, now] : kept) {
    if (stays > i || now > j) hunks.push_back({i, part(before, i, stays), part(after, j, now)});
    i = stays + 1, j = now + 1;
  }
  return hunks;
}

template <class T>
std::vector<Hunk<T>> inverted(const std::vector<Hunk<T>>& hunks) {
  std::vector<Hunk<T>> result;
  std::size_t grown = 0, shrunk = 0;
  for (const Hunk<T>& hunk : hunks) {
    result.push_back({hunk.position + grown - shrunk, hunk.added, hunk.removed});
    grown += hunk.added.size();
    shrunk += hunk.removed.size();
  }
  return result;
}

/// False where the list is not the one that the hunks were made for.
template <class T>
bool patchList(std::vector<T>& list, const std::vector<Hunk<T>>& hunks) {
  std::vector<T> result;
  std::size_t next = 0;
  for (const Hunk<T>& hunk : hunks) {
    if (hunk.position < next || hunk.position + hunk.removed.size() > list.size()) return false;
    const auto at = [&](std::size_t position) {
      return list.begin() + static_cast<std::ptrdiff_t>(position);
    };
    if (!std::equal(hunk.removed.begin(), hunk.removed.end(), at(hunk.position))) return false;
    result.insert(result.end(), at(next), at(hunk.position));
    result.insert(result.end(), hunk.added.begin(), hunk.added.end());
    next = hunk.position + hunk.removed.size();
  }
  result.insert(result.end(), list.begin() + static_cast<std::ptrdiff_t>(next), list.end());
  list = std::move(result);
  return true;
}

/// Names of the regions that both graphs have.
std::set<std::string> sharedRegions(const Graph& before, const Graph& after) {
  std::set<std::string> names;
  for (const Node& node : before.nodes) {
    const Node* other = after.find(node.name);
    if (node.body && other && other->body) names.insert(node.name);
  }
  return names;
}

/// The nodes, those regions without what is in them.
std::vector<Node> withoutBodies(const std::vector<Node>& nodes, const std::set<std::string>& regions) {
  std::vector<Node> shells = nodes;
  for (Node& node : shells)
    if (regions.contains(node.name)) node.body->body = {};
  return shells;
}

GraphPatch differenceOf(const Graph& before, const Graph& after) {
  const std::set<std::string> regions = sharedRegions(before, after);
  GraphPatch patch;
  patch.nodes = hunksOf(withoutBodies(before.nodes, regions), withoutBodies(after.nodes, regions));
  patch.streams = hunksOf(before.streams, after.streams);
  for (const std::string& name : regions) {
    GraphPatch inside = differenceOf(before.find(name)->body->body, after.find(name)->body->body);
    // A region with a new shell comes in a hunk, empty: its body is written down even where it is the same.
    if (!inside.empty()) patch.bodies.emplace(name, std::move(inside));
  }
  return patch;
}

bool patchGraph(Graph& graph, const GraphPatch& patch) {
  // Bodies are set aside so that the nodes are compared as the patch has them.
  std::set<std::string> gone;
  for (const Hunk<Node>& hunk : patch.nodes)
    for (const Node& node : hunk.removed) gone.insert(node.name);
  std::set<std::string> kept;
  for (const Hunk<Node>& hunk : patch.nodes)
    for (const Node& node : hunk.added)
      if (gone.contains(node.name) && node.body) kept.insert(node.name);
  std::map<std::string, Graph> bodies;
  for (Node& node : graph.nodes) {
    if (!node.body || (gone.contains(node.name) && !kept.contains(node.name))) continue;
    bodies[node.name] = std::move(node.body->body);
    node.body->body = {};
  }
  if (!patchList(graph.nodes, patch.nodes) || !patchList(graph.streams, patch.streams)) return false;
  for (const auto& [name, inside] : patch.bodies) {
    const auto body = bodies.find(name);
    if (body == bodies.end() || !patchGraph(body->second, inside)) return false;
  }
  for (Node& node : graph.nodes)
    if (const auto body = bodies.find(node.name); node.body && body != bodies.end())
      node.body->body = std::move(body->second);
  return true;
}

GraphPatch invertedGraph(const GraphPatch& patch) {
  GraphPatch result{inverted(patch.nodes), inverted(patch.streams), {}};
  for (const auto& [name, inside] : patch.bodies) result.bodies.emplace(name, invertedGraph(inside));
  return result;
}

void summarise(const GraphPatch& patch, const std::string& prefix, PatchSummary& result) {
  std::set<std::string> added, removed;
  for (const Hunk<Node>& hunk : patch.nodes) {
    for (const Node& node : hunk.added) added.insert(node.name);
    for (const Node& node : hunk.removed) removed.insert(node.name);
  }
  for (const std::string& name : added)
    (removed.contains(name) ? result.changed : result.added).push_back(prefix + name);
  for (const std::string& name : removed)
    if (!added.contains(name)) result.removed.push_back(prefix + name);
  for (const auto& [name, inside] : patch.bodies) summarise(inside, prefix + name + ".", result);
}

}  // namespace

ScheduledPatch difference(const ScheduledProgram& before, const ScheduledProgram& after) {
  ScheduledPatch patch;
  patch.program = differenceOf(before.document.program, after.document.program);
  patch.inputs = hunksOf(before.document.inputs, after.document.inputs);
  for (const auto& [name, data] : before.inputs)
    if (!after.inputs.contains(name)) patch.removed_data.emplace(name, data);
  for (const auto& [name, data] : after.inputs)
    if (!before.inputs.contains(name)) patch.added_data.emplace(name, data);
  return patch;
}

ScheduledPatch inverse(ScheduledPatch patch) {
  patch.program = invertedGraph(patch.program);
  patch.inputs = inverted(patch.inputs);
  std::swap(patch.removed_data, patch.added_data);
  return patch;
}

Result<ScheduledProgram> applyPatch(ScheduledProgram scheduled, const ScheduledPatch& patch) {
  if (!patchGraph(scheduled.document.program, patch.program) ||
      !patchList(scheduled.document.inputs, patch.inputs)) {
    return error("stale-step", "schedule", "the program is no longer the one that this change was made for",
                 "undo the edits since then, or apply the step again");
  }
  for (const auto& [name, data] : patch.removed_data) scheduled.inputs.erase(name);
  scheduled.inputs.insert(patch.added_data.begin(), patch.added_data.end());
  return scheduled;
}

PatchSummary summary(const ScheduledPatch& patch) {
  PatchSummary result;
  summarise(patch.program, "", result);
  return result;
}

}  // namespace sluice::inline schedule

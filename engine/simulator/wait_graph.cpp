#include "engine/simulator/wait_graph.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "engine/core/components.h"

namespace sluice::inline simulator {
namespace {

/// The members in the order in which they wait for each other, from the first operator on. Nodes here are
/// positions in DeadlockReport::blocked.
std::vector<std::size_t> inOrder(const std::vector<std::size_t>& members, const Edges& edges) {
  std::vector<std::size_t> order, pending{*std::min_element(members.begin(), members.end())};
  std::unordered_set<std::size_t> seen;
  while (!pending.empty()) {
    const std::size_t node = pending.back();
    pending.pop_back();
    if (!seen.insert(node).second) continue;
    order.push_back(node);
    pending.insert(pending.end(), edges[node].rbegin(), edges[node].rend());
  }
  return order;
}

void measureDistances(DeadlockReport& report, const Edges& edges, std::vector<std::size_t> roots) {
  Edges waiters(edges.size());
  for (std::size_t node = 0; node < edges.size(); ++node)
    for (const std::size_t next : edges[node]) waiters[next].push_back(node);
  std::vector<char> reached(edges.size(), 0);
  for (const std::size_t root : roots) reached[root] = 1;
  std::uint32_t distance = 0;
  while (!roots.empty()) {
    std::vector<std::size_t> next;
    for (const std::size_t node : roots) {
      report.blocked[node].distance = distance;
      for (const std::size_t waiter : waiters[node])
        if (!std::exchange(reached[waiter], 1)) next.push_back(waiter);
    }
    roots = std::move(next);
    ++distance;
  }
}

}  // namespace

void findCircles(DeadlockReport& report, const std::vector<std::vector<OperatorId>>& waits_for) {
  std::map<OperatorId, std::size_t> position;
  for (std::size_t i = 0; i < report.blocked.size(); ++i) position[report.blocked[i].op] = i;
  Edges edges(report.blocked.size());
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (const OperatorId other : waits_for[i])
      if (const auto at = position.find(other); at != position.end()) edges[i].push_back(at->second);
    report.at = std::max(report.at, report.blocked[i].since);
    if (!edges[i].empty()) continue;
    report.stranded.push_back(report.blocked[i].op);
    roots.push_back(i);
  }
  const Components components = stronglyConnected(edges);
  for (std::size_t knot = 0; knot < components.members.size(); ++knot) {
    if (!components.circular[knot] || components.left[knot]) continue;
    CircularWait& cycle = report.cycles.emplace_back();
    for (const std::size_t member : inOrder(components.members[knot], edges)) {
      cycle.members.push_back(report.blocked[member].op);
      cycle.closed_at = std::max(cycle.closed_at, report.blocked[member].since);
      roots.push_back(member);
    }
  }
  std::sort(report.cycles.begin(), report.cycles.end(),
            [](const CircularWait& a, const CircularWait& b) { return a.members[0] < b.members[0]; });
  measureDistances(report, edges, std::move(roots));
  for (const BlockedOperator& blocked : report.blocked)
    if (blocked.distance > 0) report.victims.push_back(blocked.op);
}

}  // namespace sluice::inline simulator

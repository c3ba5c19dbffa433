#include "engine/simulator/wait_graph.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace sluice::sim {
namespace {

using Edges = std::vector<std::vector<std::size_t>>;  ///< positions in DeadlockReport::blocked
constexpr std::size_t unseen = std::numeric_limits<std::size_t>::max();

/// Tarjan's algorithm with a stack of its own: a chain of waits may be as long as the program.
class Components {
 public:
  explicit Components(const Edges& edges)
      : edges_(edges), order_(edges.size(), unseen), low_(edges.size()), of_(edges.size(), unseen) {
    for (std::size_t node = 0; node < edges.size(); ++node)
      if (order_[node] == unseen) visit(node);
  }
  /// Members of the components without a way out that hold a circle.
  std::vector<std::vector<std::size_t>> knots() const {
    std::vector<char> left(members_.size(), 0), circular(members_.size(), 0);
    for (std::size_t node = 0; node < edges_.size(); ++node) {
      for (const std::size_t next : edges_[node]) (of_[next] == of_[node] ? circular : left)[of_[node]] = 1;
    }
    std::vector<std::vector<std::size_t>> knots;
    for (std::size_t c = 0; c < members_.size(); ++c)
      if (circular[c] && !left[c]) knots.push_back(members_[c]);
    return knots;
  }

 private:
  struct Step {
    std::size_t node, next = 0;
  };

  void enter(std::size_t node) {
    order_[node] = low_[node] = entered_++;
    open_.push_back(node);
    path_.push_back({node});
  }

  void visit(std::size_t root) {
    enter(root);
    while (!path_.empty()) {
      Step& step = path_.back();
      const std::size_t node = step.node;
      if (step.next < edges_[node].size()) {
        const std::size_t next = edges_[node][step.next++];
        if (order_[next] == unseen) {
          enter(next);
        } else if (of_[next] == unseen) {
          low_[node] = std::min(low_[node], order_[next]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) low_[path_.back().node] = std::min(low_[path_.back().node], low_[node]);
      if (low_[node] == order_[node]) close(node);
    }
  }

  void close(std::size_t root) {
    std::vector<std::size_t>& members = members_.emplace_back();
    std::size_t node = unseen;
    while (node != root) {
      node = open_.back();
      open_.pop_back();
      of_[node] = members_.size() - 1;
      members.push_back(node);
    }
  }

  const Edges& edges_;
  std::vector<std::size_t> order_, low_, of_, open_;
  std::vector<Step> path_;
  std::vector<std::vector<std::size_t>> members_;
  std::size_t entered_ = 0;
};

/// The members in the order in which they wait for each other, from the first operator on.
std::vector<std::size_t> inOrder(const std::vector<std::size_t>& members, const Edges& edges) {
  std::vector<std::size_t> order, pending{*std::min_element(members.begin(), members.end())};
  while (!pending.empty()) {
    const std::size_t node = pending.back();
    pending.pop_back();
    if (std::find(order.begin(), order.end(), node) != order.end()) continue;
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
  for (const std::vector<std::size_t>& knot : Components(edges).knots()) {
    CircularWait& circle = report.cycles.emplace_back();
    for (const std::size_t member : inOrder(knot, edges)) {
      circle.members.push_back(report.blocked[member].op);
      circle.closed_at = std::max(circle.closed_at, report.blocked[member].since);
      roots.push_back(member);
    }
  }
  std::sort(report.cycles.begin(), report.cycles.end(),
            [](const CircularWait& a, const CircularWait& b) { return a.members[0] < b.members[0]; });
  measureDistances(report, edges, std::move(roots));
  for (const BlockedOperator& blocked : report.blocked)
    if (blocked.distance > 0) report.victims.push_back(blocked.op);
}

}  // namespace sluice::sim

// Policies: the edge by which each node is reached, their cycles, and the times that follow from them.

#include "engine/csdf/policy_iteration.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace sluice::inline csdf {
namespace {

/// Over all edges, to and fro, before the cycles are looked at once more.
constexpr int sweeps = 16;

}  // namespace

PolicyIteration::PolicyIteration(const std::vector<PolicyEdge>& edges, std::vector<double> times,
                                 double ratio)
    : edges_(edges), times_(std::move(times)), ratio_(ratio), by_(times_.size()), first_(times_.size() + 1) {
  for (const PolicyEdge& edge : edges) ++first_[edge.from + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<double> latest(times_.size(), -std::numeric_limits<double>::infinity());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const double reached = times_[edges[e].from] + edges[e].length - ratio_ * edges[e].height;
    if (reached <= latest[edges[e].to]) continue;
    latest[edges[e].to] = reached;
    by_[edges[e].to] = e;
  }
}

PolicyIteration::Cycle PolicyIteration::best() {
  Cycle best;
  bool any = false;
  seen_.assign(by_.size(), 0);
  std::uint32_t round = 0;
  for (std::size_t start = 0; start < by_.size(); ++start) {
    if (seen_[start] != 0) continue;
    ++round;
    std::size_t node = start;
    while (seen_[node] == 0) {
      seen_[node] = round;
      node = edges_[by_[node]].from;
    }
    if (seen_[node] != round) continue;
    Cycle cycle{node, 0, 0};
    std::size_t at = node;
    do {
      const PolicyEdge& edge = edges_[by_[at]];
      cycle.length += edge.length;
      cycle.height += edge.height;
      at = edge.from;
    } while (at != node);
    const bool better = !any || (cycle.height <= 0 ? best.height > 0
                                                   : best.height > 0 && cycle.length * best.height >
                                                                            best.length * cycle.height);
    if (better) best = cycle;
    any = true;
  }
  return best;
}

std::vector<std::size_t> PolicyIteration::edgesOf(const Cycle& cycle) const {
  std::vector<std::size_t> edges;
  std::size_t at = cycle.node;
  do {
    edges.push_back(by_[at]);
    at = edges_[by_[at]].from;
  } while (at != cycle.node);
  std::ranges::reverse(edges);
  return edges;
}

void PolicyIteration::spread(std::size_t node) {
  enum : std::uint32_t { unknown, reached, elsewhere, open };
  seen_.assign(by_.size(), unknown);
  seen_[node] = reached;
  bool all = true;
  for (std::size_t start = 0; start < by_.size(); ++start) {
    path_.clear();
    std::size_t at = start;
    while (seen_[at] == unknown) {
      seen_[at] = open;
      path_.push_back(at);
      at = edges_[by_[at]].from;
    }
    const std::uint32_t end = seen_[at] == reached ? reached : elsewhere;
    all = all && end == reached;
    for (; !path_.empty(); path_.pop_back()) {
      seen_[path_.back()] = end;
      if (end == reached) take(by_[path_.back()]);
    }
  }
  if (all) return;
  // The others are on cycles of smaller ratios, whose times mean nothing: they are reached from here as well.
  for (std::size_t start = 0; start < by_.size(); ++start)
    if (seen_[start] == reached) path_.push_back(start);
  for (std::size_t next = 0; next < path_.size(); ++next)
    for (std::size_t e = first_[path_[next]]; e < first_[path_[next] + 1]; ++e) {
      if (seen_[edges_[e].to] == reached) continue;
      seen_[edges_[e].to] = reached;
      path_.push_back(edges_[e].to);
      take(e);
    }
}

void PolicyIteration::take(std::size_t e) {
  const PolicyEdge& edge = edges_[e];
  by_[edge.to] = e;
  times_[edge.to] = times_[edge.from] + edge.length - ratio_ * edge.height;
}

bool PolicyIteration::improve(double slack) {
  const auto relax = [&](std::size_t e) {
    const PolicyEdge& edge = edges_[e];
    const double reached = times_[edge.from] + edge.length - ratio_ * edge.height;
    if (reached <= times_[edge.to] + slack) return false;
    times_[edge.to] = reached;
    by_[edge.to] = e;
    return true;
  };
  bool any = false, more = true;
  for (int sweep = 0; sweep < sweeps && more; ++sweep) {
    more = false;
    if (sweep % 2 == 0)
      for (std::size_t e = 0; e < edges_.size(); ++e) more = relax(e) || more;
    else
      for (std::size_t e = edges_.size(); e-- > 0;) more = relax(e) || more;
    any = any || more;
  }
  return any;
}

std::vector<std::size_t> PolicyIteration::run(double slack, const std::stop_token& stop) {
  constexpr int most_rounds = 1000;
  for (int round = 0; !stop.stop_requested(); ++round) {
    const Cycle cycle = best();
    if (cycle.height <= 0) return edgesOf(cycle);
    ratio_ = cycle.length / cycle.height;
    spread(cycle.node);
    if (round == most_rounds || !improve(slack)) return edgesOf(cycle);
  }
  return {};
}

}  // namespace sluice::inline csdf

// One strongly connected component after the other: policy iteration, then Newton's method in integers.

#include "engine/csdf/cycle_ratio.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/components.h"
#include "engine/csdf/policy_iteration.h"
#include "engine/csdf/wide.h"

namespace sluice::inline csdf {
namespace {

/// Of weights times nodes, so that sums along paths do not wrap around.
constexpr Wide most_weight = Wide{1} << 120;

Wide magnitude(Wide number) {
  return number < 0 ? -number : number;
}

Wide commonDivisor(Wide a, Wide b) {
  a = magnitude(a), b = magnitude(b);
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

/// An edge within a component, with its height in the component's unit.
struct LocalEdge {
  std::uint32_t from = 0, to = 0;
  std::size_t index = 0;
  Wide height = 0;
};

/// Longest paths from all nodes at once; finds a cycle on which they grow without end.
template <class Number>
class Relaxation {
 public:
  Relaxation(std::size_t nodes, const std::vector<LocalEdge>& edges, std::vector<Number> weights,
             Number slack)
      : edges_(edges),
        weights_(std::move(weights)),
        slack_(slack),
        first_(nodes + 1),
        by_(nodes, none),
        seen_(nodes),
        potentials(nodes) {
    for (const LocalEdge& edge : edges) ++first_[edge.from + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
  }

  /// Its edges, as positions of `edges`; empty: there is none, or it was stopped.
  std::vector<std::size_t> cycle(const std::stop_token& stop) {
    const std::size_t nodes = potentials.size();
    std::vector<std::uint32_t> open(nodes), next;
    std::iota(open.begin(), open.end(), 0u);
    std::vector<char> queued(nodes);
    for (std::size_t pass = 0; !open.empty() && !stop.stop_requested(); ++pass) {
      next.clear();
      for (const std::uint32_t node : open) {
        queued[node] = false;
        for (std::size_t e = first_[node]; e < first_[node + 1]; ++e) relax(e, queued, next);
      }
      open.swap(next);
      if (pass < 4 || pass % 8 == 0)
        if (std::vector<std::size_t> found = parents(); !found.empty()) return found;
    }
    return {};
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  void relax(std::size_t e, std::vector<char>& queued, std::vector<std::uint32_t>& next) {
    const LocalEdge& edge = edges_[e];
    const Number reached = potentials[edge.from] + weights_[e];
    if (reached <= potentials[edge.to] + slack_) return;
    potentials[edge.to] = reached;
    by_[edge.to] = e;
    if (!queued[edge.to]) {
      queued[edge.to] = true;
      next.push_back(edge.to);
    }
  }

  /// A cycle among the edges that nodes were reached by last.
  std::vector<std::size_t> parents() {
    ++round_;
    const std::size_t before = round_;
    for (std::size_t start = 0; start < by_.size(); ++start) {
      if (seen_[start] >= before) continue;
      const std::size_t mark = ++round_;
      std::size_t node = start;
      while (seen_[node] < before) {
        seen_[node] = mark;
        if (by_[node] == none) break;
        node = edges_[by_[node]].from;
      }
      if (by_[node] == none || seen_[node] != mark) continue;
      std::vector<std::size_t> found;
      std::size_t at = node;
      do {
        found.push_back(by_[at]);
        at = edges_[by_[at]].from;
      } while (at != node);
      std::ranges::reverse(found);
      return found;
    }
    return {};
  }

  const std::vector<LocalEdge>& edges_;  ///< by `from`
  std::vector<Number> weights_;
  Number slack_;
  std::vector<std::size_t> first_, by_, seen_;
  std::size_t round_ = 0;

 public:
  std::vector<Number> potentials;
};

/// One component; the ratio found so far is the one to beat.
class ComponentSearch {
 public:
  ComponentSearch(const std::vector<std::size_t>& members, std::vector<LocalEdge> edges,
                  const std::vector<RatioEdge>& all, CycleSearch& search, const std::stop_token& stop)
      : members_(members), edges_(std::move(edges)), all_(all), search_(search), stop_(stop) {
    for (const LocalEdge& edge : edges_)
      largest_ = std::max(largest_, static_cast<double>(all_[edge.index].length));
    search_.overflow = search_.overflow || !commonUnit();
  }

  /// In floating point; leaves potentials that are nearly those of the largest ratio.
  void approach(RatioStart& start) {
    nearly_.resize(members_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) nearly_[i] = start.potentials[members_[i]];
    std::vector<PolicyEdge> edges;
    edges.reserve(edges_.size());
    for (const LocalEdge& edge : edges_) {
      const RatioEdge& whole = all_[edge.index];
      edges.push_back({edge.from, edge.to, static_cast<double>(whole.length), whole.height.value()});
    }
    PolicyIteration policy(edges, std::move(nearly_), start.ratio);
    const std::vector<std::size_t> cycle = policy.run(largest_ * 1e-9, stop_);
    nearly_ = std::move(policy.times());
    if (!cycle.empty()) take(cycle);
    for (std::size_t i = 0; i < members_.size(); ++i) start.potentials[members_[i]] = nearly_[i];
  }

  /// In integers, which decide.
  void decide() {
    while (!over() && step()) {
    }
    if (!over()) checkInstant();
  }

 private:
  bool over() const {
    return search_.overflow || stop_.stop_requested() || (search_.cycle && search_.cycle->impossible);
  }
  Rational ratioSoFar() const { return search_.cycle ? search_.cycle->ratio : Rational{}; }

  bool commonUnit() {
    for (const LocalEdge& edge : edges_) {
      const Wide denominator = all_[edge.index].height.denominator;
      unit_ = unit_ / commonDivisor(unit_, denominator) * denominator;
      if (unit_ > most_weight >> 60) return false;
    }
    for (LocalEdge& edge : edges_) {
      const Rational& height = all_[edge.index].height;
      edge.height = height.numerator * (unit_ / height.denominator);
      if (magnitude(edge.height) > most_weight / static_cast<Wide>(members_.size() + 1)) return false;
    }
    return true;
  }

  /// Takes over a cycle if its ratio is larger; false if it is not.
  bool take(const std::vector<std::size_t>& cycle) {
    Wide length = 0, height = 0;
    MaximumCycle found;
    for (const std::size_t e : cycle) {
      found.edges.push_back(edges_[e].index);
      length += all_[edges_[e].index].length;
      height += edges_[e].height;
    }
    if (height <= 0) {
      found.impossible = true;
      search_.cycle = std::move(found);
      return true;
    }
    const Wide divisor = commonDivisor(unit_, height);
    Wide denominator = height / divisor;
    const Wide shared = commonDivisor(length, denominator);
    denominator /= shared;
    const Wide factor = unit_ / divisor;
    if (denominator > INT64_MAX || (length / shared != 0 && factor > INT64_MAX / (length / shared))) {
      search_.overflow = true;
      return true;
    }
    found.ratio = {static_cast<std::int64_t>(length / shared * factor),
                   static_cast<std::int64_t>(denominator)};
    const Rational best = ratioSoFar();
    if (Wide{found.ratio.numerator} * best.denominator <= Wide{best.numerator} * found.ratio.denominator)
      return false;
    search_.cycle = std::move(found);
    return true;
  }

  /// A cycle that weighs more than nothing in integers; true if it was taken over.
  bool takePositive(std::vector<Wide> weights, double scale) {
    Wide largest = 0;
    for (const Wide weight : weights) largest = std::max(largest, magnitude(weight));
    double reach = 0;
    for (const double each : nearly_) reach = std::max(reach, std::abs(each));
    if (largest > most_weight / static_cast<Wide>(members_.size() + 1) || reach * scale > 1e36) {
      search_.overflow = true;
      return false;
    }
    Relaxation<Wide> relaxation(members_.size(), edges_, std::move(weights), 0);
    if (scale > 0)
      for (std::size_t i = 0; i < nearly_.size(); ++i)
        relaxation.potentials[i] = static_cast<Wide>(std::floor(nearly_[i] * scale));
    const std::vector<std::size_t> cycle = relaxation.cycle(stop_);
    return !cycle.empty() && take(cycle);
  }

  /// length - ratio * height, in integers.
  bool step() {
    const Rational best = ratioSoFar();
    Wide scale = unit_ * best.denominator;
    Wide factor = best.numerator;
    const Wide shared = factor == 0 ? scale : commonDivisor(scale, factor);
    scale /= shared, factor /= shared;
    std::vector<Wide> weights;
    weights.reserve(edges_.size());
    for (const LocalEdge& edge : edges_) {
      Wide length = 0, height = 0;
      if (__builtin_mul_overflow(Wide{all_[edge.index].length}, scale, &length) ||
          __builtin_mul_overflow(factor, edge.height, &height) || magnitude(length) > most_weight ||
          magnitude(height) > most_weight) {
        search_.overflow = true;
        return false;
      }
      weights.push_back(length - height);
    }
    return takePositive(std::move(weights), static_cast<double>(scale));
  }

  /// Cycles that take no time and that nothing is on: what waits on them waits for ever.
  void checkInstant() {
    const bool any = std::ranges::any_of(edges_, [&](const LocalEdge& edge) {
      return all_[edge.index].causal && all_[edge.index].length == 0;
    });
    if (!any) return;
    std::vector<Wide> weights;
    weights.reserve(edges_.size());
    for (const LocalEdge& edge : edges_)
      weights.push_back(-edge.height * static_cast<Wide>(members_.size() + 1) +
                        (all_[edge.index].causal ? 1 : 0));
    takePositive(std::move(weights), 0);
  }

  const std::vector<std::size_t>& members_;  ///< nodes
  std::vector<LocalEdge> edges_;             ///< by `from`
  const std::vector<RatioEdge>& all_;
  CycleSearch& search_;
  const std::stop_token& stop_;
  double largest_ = 1;
  Wide unit_ = 1;  ///< heights are multiples of 1 / unit_
  std::vector<double> nearly_;
};

/// The edges within each component, sorted by where they begin.
std::vector<std::vector<LocalEdge>> localEdges(const Components& components,
                                               const std::vector<RatioEdge>& edges) {
  std::vector<std::uint32_t> place(components.of.size());
  for (const auto& members : components.members)
    for (std::size_t i = 0; i < members.size(); ++i) place[members[i]] = static_cast<std::uint32_t>(i);
  std::vector<std::vector<LocalEdge>> within(components.members.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const RatioEdge& edge = edges[i];
    const std::size_t component = components.of[edge.from];
    if (component == components.of[edge.to])
      within[component].push_back({place[edge.from], place[edge.to], i, 0});
  }
  for (std::vector<LocalEdge>& each : within) std::ranges::stable_sort(each, {}, &LocalEdge::from);
  return within;
}

}  // namespace

CycleSearch maximumCycleRatio(std::size_t nodes, const std::vector<RatioEdge>& edges, RatioStart& start,
                              const std::stop_token& stop) {
  Edges leads(nodes);
  for (const RatioEdge& edge : edges) leads[edge.from].push_back(edge.to);
  const Components components = stronglyConnected(leads);
  if (start.potentials.size() != nodes) start.potentials.assign(nodes, 0);
  CycleSearch search;
  std::vector<ComponentSearch> parts;
  std::vector<std::vector<LocalEdge>> within = localEdges(components, edges);
  for (std::size_t c = 0; c < within.size(); ++c)
    if (!within[c].empty())
      parts.emplace_back(components.members[c], std::move(within[c]), edges, search, stop);
  for (ComponentSearch& part : parts) part.approach(start);
  for (ComponentSearch& part : parts) part.decide();
  if (search.cycle) start.ratio = search.cycle->ratio.value();
  search.stopped = stop.stop_requested();
  return search;
}

}  // namespace sluice::inline csdf

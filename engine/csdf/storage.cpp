// Distributions of storage in the order of their sizes, with the cuts that critical cycles give.

#include "engine/csdf/storage.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>

#include "engine/csdf/wide.h"

namespace sluice::inline csdf {
namespace {

/// No distribution that has at most `capacities` on these channels has a shorter period.
struct Cut {
  std::vector<std::size_t> channels;
  std::vector<std::int64_t> capacities;
  std::optional<Rational> period;  ///< absent: it locks up
};

/// Absent is the longest.
bool shorter(const std::optional<Rational>& a, const std::optional<Rational>& b) {
  if (!a || !b) return a.has_value() && !b;
  return Wide{a->numerator} * b->denominator < Wide{b->numerator} * a->denominator;
}

using Capacities = std::vector<std::int64_t>;

struct Distribution {
  std::int64_t storage = 0;
  Capacities capacities;
};

/// The smallest first; of equal ones always the same.
struct Later {
  bool operator()(const Distribution& a, const Distribution& b) const {
    return a.storage != b.storage ? a.storage > b.storage : a.capacities > b.capacities;
  }
};

/// What the capacity of a channel grows by; less makes no difference.
std::int64_t stepOf(const CsdfChannel& channel) {
  std::int64_t step = 0;
  for (const auto* rates :
       {&channel.production, &channel.consumption, &channel.initial_production, &channel.initial_consumption})
    for (const std::int64_t rate : *rates) step = std::gcd(step, rate);
  return step;
}

class StorageSearch {
 public:
  StorageSearch(const CsdfGraph& graph, const StorageBudget& budget) : graph_(graph), budget_(budget) {}

  Result<StorageFrontier> run() {
    SLUICE_TRY(const CsdfThroughput unbounded, csdfThroughput(graph_, budget_.stop));
    if (!unbounded.live) return std::move(frontier_);
    goal_ = *unbounded.period;
    SLUICE_CHECK(findLeast());
    push({frontier_.least_storage, frontier_.least});
    while (!open_.empty() && shorter(goal_, best_) && within()) SLUICE_CHECK(look());
    frontier_.complete = !shorter(goal_, best_);
    frontier_.distributions = seen_.size();
    return std::move(frontier_);
  }

 private:
  /// Each channel alone between its two actors, which take no time.
  Result<Done> findLeast() {
    frontier_.least.assign(graph_.channels.size(), -1);
    steps_.assign(graph_.channels.size(), 0);
    for (std::size_t i = 0; i < graph_.channels.size(); ++i) {
      const CsdfChannel& channel = graph_.channels[i];
      if (serialises(channel) || stepOf(channel) == 0) continue;
      steps_[i] = stepOf(channel);
      SLUICE_TRY(frontier_.least[i], leastOf(channel, steps_[i]));
      if (__builtin_add_overflow(frontier_.least_storage, frontier_.least[i], &frontier_.least_storage))
        return csdfOverflow(graph_, "the capacities of its channels");
    }
    return Done{};
  }

  Result<std::int64_t> leastOf(CsdfChannel channel, std::int64_t step) {
    CsdfGraph pair{graph_.name, {graph_.actors[channel.from]}, {}, 1};
    if (channel.from != channel.to) pair.actors.push_back(graph_.actors[channel.to]);
    for (CsdfActor& actor : pair.actors) std::ranges::fill(actor.times, 0);
    channel.to = channel.from == channel.to ? 0 : 1;
    channel.from = 0;
    pair.channels = {channel};
    const auto lives = [&](std::int64_t steps) -> Result<bool> {
      SLUICE_TRY(const CsdfThroughput answer,
                 csdfThroughput(withCapacities(pair, {channel.tokens + steps * step}), budget_.stop));
      return answer.live;
    };
    std::int64_t enough = 1, too_few = -1;
    for (;; enough *= 2) {
      SLUICE_TRY(const bool live, lives(enough));
      if (live) break;
      if (enough > most_csdf_number * 1000 / step)
        return csdfOverflow(graph_, "the capacities of channel '" + channel.name + "'");
      too_few = enough;
    }
    while (enough - too_few > 1) {
      const std::int64_t middle = too_few + (enough - too_few) / 2;
      SLUICE_TRY(const bool live, lives(middle));
      (live ? enough : too_few) = middle;
    }
    return channel.tokens + enough * step;
  }

  bool within() {
    if (budget_.stop.stop_requested() || frontier_.evaluations >= budget_.evaluations ||
        seen_.size() >= budget_.distributions)
      return false;
    if (!budget_.go_on || ++looked_ % 16 != 0) return true;
    return budget_.go_on({frontier_.evaluations, open_.top().storage, frontier_.points.size()});
  }

  void push(Distribution distribution) {
    if (seen_.insert(distribution.capacities).second) open_.push(std::move(distribution));
  }

  static bool applies(const Cut& cut, const Capacities& capacities) {
    for (std::size_t i = 0; i < cut.channels.size(); ++i)
      if (capacities[cut.channels[i]] > cut.capacities[i]) return false;
    return true;
  }

  /// A cut that shows the distribution to be no faster than the last point: the one with the fewest channels.
  const Cut* cutOf(const Capacities& capacities) const {
    const Cut* least = nullptr;
    for (const Cut& cut : cuts_)
      if ((!least || cut.channels.size() < least->channels.size()) && !shorter(cut.period, best_) &&
          applies(cut, capacities))
        least = &cut;
    return least;
  }

  Result<Done> look() {
    const Distribution next = open_.top();
    const Cut* cut = cutOf(next.capacities);
    if (!cut) {
      SLUICE_CHECK(evaluate(next));
      cut = cutOf(next.capacities);  // its own critical cycle, unless none of its channels is on it
    }
    open_.pop();
    if (!cut) return Done{};
    for (std::size_t i = 0; i < cut->channels.size(); ++i) {
      const std::size_t channel = cut->channels[i];
      Distribution larger = next;
      larger.capacities[channel] = cut->capacities[i] + steps_[channel];
      if (__builtin_add_overflow(larger.storage, larger.capacities[channel] - next.capacities[channel],
                                 &larger.storage))
        return csdfOverflow(graph_, "the capacities of its channels");
      push(std::move(larger));
    }
    return Done{};
  }

  Result<Done> evaluate(const Distribution& distribution) {
    ++frontier_.evaluations;
    SLUICE_TRY(const CsdfThroughput answer,
               csdfThroughput(withCapacities(graph_, distribution.capacities), budget_.stop));
    if (shorter(answer.period, best_)) {
      best_ = answer.period;
      if (!frontier_.points.empty() && frontier_.points.back().storage == distribution.storage)
        frontier_.points.pop_back();
      frontier_.points.push_back({distribution.storage, distribution.capacities, *answer.period});
    }
    addCut(distribution, answer);
    return Done{};
  }

  void addCut(const Distribution& distribution, const CsdfThroughput& answer) {
    std::vector<std::size_t> bounded;  // channels of the graph by their channels back
    for (std::size_t i = 0; i < distribution.capacities.size(); ++i)
      if (distribution.capacities[i] >= 0) bounded.push_back(i);
    std::set<std::size_t> channels;
    for (const CriticalFiring& firing : answer.critical)
      if (firing.channel && *firing.channel >= graph_.channels.size())
        channels.insert(bounded[*firing.channel - graph_.channels.size()]);
    // Initial phases that lock up have no cycle: more of any channel may help.
    if (!answer.live && answer.critical.empty()) channels.insert(bounded.begin(), bounded.end());
    Cut cut{{channels.begin(), channels.end()}, {}, answer.period};
    for (const std::size_t channel : cut.channels) cut.capacities.push_back(distribution.capacities[channel]);
    cuts_.push_back(std::move(cut));
  }

  const CsdfGraph& graph_;
  const StorageBudget& budget_;
  StorageFrontier frontier_;
  std::optional<Rational> goal_, best_;  ///< periods; absent: it locks up
  std::vector<std::int64_t> steps_;
  std::priority_queue<Distribution, std::vector<Distribution>, Later> open_;
  std::set<Capacities> seen_;
  std::vector<Cut> cuts_;
  std::uint64_t looked_ = 0;
};

}  // namespace

Result<StorageFrontier> storageFrontier(const CsdfGraph& graph, const StorageBudget& budget) {
  return StorageSearch(graph, budget).run();
}

}  // namespace sluice::inline csdf

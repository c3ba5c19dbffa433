// Distributions of storage in the order of their sizes, with the cuts that critical cycles give.

#include "engine/csdf/storage.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <set>

#include "engine/core/cancelled.h"
#include "engine/csdf/wide.h"

namespace sluice::inline csdf {
namespace {

/// Absent is the longest.
bool shorter(const std::optional<Rational>& a, const std::optional<Rational>& b) {
  if (!a || !b) return a.has_value() && !b;
  return Wide{a->numerator} * b->denominator < Wide{b->numerator} * a->denominator;
}

using Capacities = std::vector<std::int64_t>;
constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// With at most `capacities` on these channels no period is shorter.
struct Cut {
  std::vector<std::size_t> channels;
  Capacities capacities;
  std::optional<Rational> period;  ///< absent: it deadlocks
};

/// All distributions between the least capacities and the most of each channel. They are those of another set
/// that have at most a cut's capacities on its first `place` channels, and more on the next: so the sets that
/// a cut makes of one have nothing in common.
struct Branch {
  std::int64_t storage = 0;  ///< none of them has less
  std::int64_t own = 0;      ///< of the least capacities alone
  std::uint32_t number = 0;  ///< of equal ones the later one goes first, which is nearer to its end
  std::uint32_t parent = 0, cut = 0;
  std::uint16_t place = 0;
};

struct Later {
  bool operator()(const Branch& a, const Branch& b) const {
    if (a.storage != b.storage) return a.storage > b.storage;
    return a.own != b.own ? a.own < b.own : a.number < b.number;
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
  StorageSearch(const CsdfGraph& graph, const StorageBudget& budget, const StorageGoal& goal)
      : graph_(graph), budget_(budget), wanted_(goal) {}

  Result<StorageFrontier> run() {
    if (const Result<Done> searched = search(); !searched && !isCancelled(searched.diagnostics()))
      return searched.diagnostics();
    frontier_.branches = branches_.size();
    return std::move(frontier_);
  }

 private:
  Result<Done> search() {
    SLUICE_TRY(const CsdfThroughput unbounded, csdfThroughput(graph_, budget_.stop));
    if (!unbounded.live) return Done{};
    goal_ = *unbounded.period;
    SLUICE_CHECK(findLeast());
    frontier_.searched_below = frontier_.least_storage;
    solver_.emplace(withCapacities(graph_, frontier_.least));
    for (std::size_t i = 0; i < frontier_.least.size(); ++i)
      if (frontier_.least[i] >= 0) bounded_.push_back(i);
    push({frontier_.least_storage, frontier_.least_storage, 0, 0, 0, 0});
    while (!open_.empty() && shorter(goal_, best_) && within()) {
      SLUICE_CHECK(look());
      if (!open_.empty()) frontier_.searched_below = open_.top().storage;
    }
    frontier_.complete = !shorter(goal_, best_);
    return Done{};
  }

  /// Each channel alone between its two actors, which take no time.
  Result<Done> findLeast() {
    frontier_.least.assign(graph_.channels.size(), -1);
    steps_.assign(graph_.channels.size(), 0);
    for (std::size_t i = 0; i < graph_.channels.size(); ++i) {
      const CsdfChannel& channel = graph_.channels[i];
      if (serialises(channel) || stepOf(channel) == 0 || weightOf(i) == 0) continue;
      steps_[i] = stepOf(channel);
      SLUICE_TRY(frontier_.least[i], leastOf(channel, steps_[i]));
    }
    SLUICE_TRY(frontier_.least_storage, storageOf(frontier_.least));
    return Done{};
  }

  std::int64_t weightOf(std::size_t channel) const {
    return wanted_.weights.empty() ? 1 : wanted_.weights[channel];
  }

  Result<std::int64_t> storageOf(const Capacities& capacities) const {
    std::int64_t storage = 0;
    for (std::size_t channel = 0; channel < capacities.size(); ++channel) {
      std::int64_t own = 0;
      if (capacities[channel] < 0) continue;
      if (__builtin_mul_overflow(capacities[channel], weightOf(channel), &own) ||
          __builtin_add_overflow(storage, own, &storage))
        return csdfOverflow(graph_, "the capacities of its channels");
    }
    return storage;
  }

  /// Whether a cut of this period says that nothing within it is looked for.
  bool excludes(const std::optional<Rational>& period) const {
    return wanted_.fastest ? shorter(goal_, period) : !shorter(period, best_);
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
        branches_.size() >= budget_.branches)
      return false;
    if (!budget_.go_on || ++looked_ % 16 != 0) return true;
    return budget_.go_on({frontier_.evaluations, open_.top().storage, frontier_.points.size()});
  }

  void push(Branch branch) {
    branch.number = static_cast<std::uint32_t>(branches_.size());
    branches_.push_back(branch);
    open_.push(branch);
  }

  /// The least and the most capacities of a branch.
  void unfold(const Branch& branch) {
    least_ = frontier_.least;
    most_.assign(least_.size(), unlimited);
    for (std::uint32_t at = branch.number; at != 0; at = branches_[at].parent) {
      const Cut& cut = cuts_[branches_[at].cut];
      const std::size_t place = branches_[at].place;
      for (std::size_t i = 0; i < place; ++i) {
        std::int64_t& most = most_[cut.channels[i]];
        most = std::min(most, cut.capacities[i]);
      }
      std::int64_t& least = least_[cut.channels[place]];
      least = std::max(least, cut.capacities[place] + steps_[cut.channels[place]]);
    }
  }

  static bool applies(const Cut& cut, const Capacities& capacities) {
    for (std::size_t i = 0; i < cut.channels.size(); ++i)
      if (capacities[cut.channels[i]] > cut.capacities[i]) return false;
    return true;
  }

  /// Channels of a cut, by place, that the branch may have more on.
  std::vector<std::uint16_t> waysOut(const Cut& cut) const {
    std::vector<std::uint16_t> ways;
    for (std::size_t i = 0; i < cut.channels.size(); ++i)
      if (cut.capacities[i] + steps_[cut.channels[i]] <= most_[cut.channels[i]])
        ways.push_back(static_cast<std::uint16_t>(i));
    return ways;
  }

  /// Raises the least capacities where only one channel leads out of a cut; false: none does, somewhere.
  bool follow() {
    for (bool raised = true; raised;) {
      raised = false;
      applying_.clear();
      for (const std::uint32_t index : binding_) {
        const Cut& cut = cuts_[index];
        if (!applies(cut, least_)) continue;
        std::vector<std::uint16_t> ways = waysOut(cut);
        if (ways.empty()) return false;
        if (ways.size() == 1) {
          const std::size_t channel = cut.channels[ways[0]];
          least_[channel] = cut.capacities[ways[0]] + steps_[channel];
          raised = true;
          continue;
        }
        applying_.push_back({index, std::move(ways)});
      }
    }
    std::ranges::stable_sort(applying_, {}, [](const Applying& each) { return each.ways.size(); });
    return true;
  }

  /// Tokens that the branch has at least, beyond its least capacities: each cut is given as much as the
  /// cheapest way out of it costs and other cuts have not been given there. Whichever channels a distribution
  /// has more on, these cost no less than what the cuts that they lead out of were given there.
  std::int64_t more() {
    given_.assign(least_.size(), 0);
    std::int64_t sum = 0;
    for (const Applying& each : applying_) {
      const Cut& cut = cuts_[each.cut];
      std::int64_t cheapest = unlimited;
      for (const std::uint16_t i : each.ways) {
        const std::size_t channel = cut.channels[i];
        const std::int64_t more = cut.capacities[i] + steps_[channel] - least_[channel];
        cheapest = std::min(cheapest, more * weightOf(channel) - given_[channel]);
      }
      if (cheapest <= 0) continue;
      for (const std::uint16_t i : each.ways) given_[cut.channels[i]] += cheapest;
      sum += cheapest;
    }
    return sum;
  }

  Result<Done> look() {
    Branch next = open_.top();
    unfold(next);
    if (!follow()) {
      open_.pop();
      return Done{};
    }
    SLUICE_TRY(const std::int64_t own, storageOf(least_));
    std::int64_t least = 0;
    if (__builtin_add_overflow(own, more(), &least))
      return csdfOverflow(graph_, "the capacities of its channels");
    if (least > next.storage) {
      open_.pop();
      next.storage = least, next.own = own;
      open_.push(next);
      return Done{};
    }
    if (applying_.empty()) return evaluate(own);
    open_.pop();
    const Applying& cut = applying_.front();
    for (const std::uint16_t place : cut.ways) {
      const std::size_t channel = cuts_[cut.cut].channels[place];
      const std::int64_t more = cuts_[cut.cut].capacities[place] + steps_[channel] - least_[channel];
      const std::int64_t raised = own + more * weightOf(channel);
      push({std::max(next.storage, raised), raised, 0, next.number, cut.cut, place});
    }
    return Done{};
  }

  Result<Done> evaluate(std::int64_t storage) {
    if (budget_.go_on && !budget_.go_on({frontier_.evaluations, storage, frontier_.points.size()}))
      return cancelledDiagnostic();
    ++frontier_.evaluations;
    for (std::size_t i = 0; i < bounded_.size(); ++i)
      solver_->setTokens(graph_.channels.size() + i,
                         least_[bounded_[i]] - graph_.channels[bounded_[i]].tokens);
    SLUICE_TRY(const CsdfThroughput answer, solver_->solve(budget_.stop));
    addCut(answer);
    if (excludes(answer.period)) {
      binding_.push_back(static_cast<std::uint32_t>(cuts_.size() - 1));
      return Done{};
    }
    best_ = answer.period;
    if (!frontier_.points.empty() && frontier_.points.back().storage == storage) frontier_.points.pop_back();
    frontier_.points.push_back({storage, least_, *answer.period});
    binding_.clear();
    for (std::uint32_t i = 0; i < cuts_.size(); ++i)
      if (excludes(cuts_[i].period)) binding_.push_back(i);
    return Done{};
  }

  void addCut(const CsdfThroughput& answer) {
    std::set<std::size_t> channels;
    for (const CriticalFiring& firing : answer.critical)
      if (firing.channel && *firing.channel >= graph_.channels.size())
        channels.insert(bounded_[*firing.channel - graph_.channels.size()]);
    // Initial phases that deadlock have no cycle: more of any channel may help.
    if (!answer.live && answer.critical.empty()) channels.insert(bounded_.begin(), bounded_.end());
    Cut cut{{channels.begin(), channels.end()}, {}, answer.period};
    for (const std::size_t channel : cut.channels) cut.capacities.push_back(least_[channel]);
    cuts_.push_back(std::move(cut));
  }

  /// A cut that the least capacities of a branch are within, and the places of its channels that lead out.
  struct Applying {
    std::uint32_t cut = 0;
    std::vector<std::uint16_t> ways;
  };

  const CsdfGraph& graph_;
  const StorageBudget& budget_;
  const StorageGoal& wanted_;
  StorageFrontier frontier_;
  Rational goal_;
  std::optional<Rational> best_;  ///< the last point's period; absent: all so far deadlock
  std::vector<std::int64_t> steps_;
  std::vector<std::size_t> bounded_;  ///< channels, in the order of their channels back
  std::optional<CsdfSolver> solver_;
  std::vector<Cut> cuts_;
  std::vector<std::uint32_t>
      binding_;  ///< cuts that show what is within them to be no faster than the last point
  std::vector<Branch> branches_;
  std::priority_queue<Branch, std::vector<Branch>, Later> open_;
  Capacities least_, most_, given_;  ///< of the branch that is looked at
  std::vector<Applying> applying_;   ///< the one with the fewest ways out first
  std::uint64_t looked_ = 0;
};

}  // namespace

Result<StorageFrontier> storageFrontier(const CsdfGraph& graph, const StorageBudget& budget,
                                        const StorageGoal& goal) {
  return StorageSearch(graph, budget, goal).run();
}

}  // namespace sluice::inline csdf

// Repetition vectors of dataflow graphs: balance equations over exact fractions.

#include "engine/csdf/graph.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace sluice::inline csdf {
namespace {

std::int64_t sum(const std::vector<std::int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

std::optional<std::int64_t> leastMultiple(std::int64_t a, std::int64_t b) {
  return product(a / std::gcd(a, b), b);
}

/// a * (b / c) in lowest terms.
std::optional<Rational> scaled(const Rational& a, std::int64_t b, std::int64_t c) {
  const std::int64_t g = std::gcd(b, c), p = std::gcd(a.numerator, c / g), q = std::gcd(b / g, a.denominator);
  const auto numerator = product(a.numerator / p, b / g / q),
             denominator = product(a.denominator / q, c / g / p);
  if (!numerator || !denominator) return std::nullopt;
  return Rational{*numerator, *denominator};
}

/// Rounds of every actor, as fractions of those of the first one of its part.
class Balance {
 public:
  explicit Balance(const CsdfGraph& graph)
      : graph_(graph), rounds_(graph.actors.size()), reached_by_(graph.actors.size()) {
    channels_.resize(graph.actors.size());
    for (std::size_t c = 0; c < graph.channels.size(); ++c) {
      channels_[graph.channels[c].from].push_back(c);
      channels_[graph.channels[c].to].push_back(c);
    }
  }

  Result<Repetition> solve() {
    for (std::size_t actor = 0; actor < rounds_.size() && !conflict_ && !overflow_; ++actor) {
      if (rounds_[actor].numerator != 0) continue;
      rounds_[actor] = {1, static_cast<std::int64_t>(graph_.actors[actor].phases())};
      std::vector<std::size_t> open{actor};
      while (!open.empty() && !conflict_ && !overflow_) {
        const std::size_t next = open.back();
        open.pop_back();
        for (const std::size_t channel : channels_[next]) spread(next, channel, open);
      }
    }
    if (overflow_) return csdfOverflow(graph_, "the rounds of its actors in one iteration");
    if (conflict_) return Repetition{false, *conflict_, cycleOf(*conflict_), {}};
    return whole();
  }

 private:
  void spread(std::size_t actor, std::size_t index, std::vector<std::size_t>& open) {
    const CsdfChannel& channel = graph_.channels[index];
    std::int64_t own = producedPerRound(channel), others = consumedPerRound(channel);
    if (own == 0 && others == 0) return;
    if (own == 0 || others == 0) {
      conflict_ = index;
      return;
    }
    const bool forwards = channel.from == actor;
    const std::size_t other = forwards ? channel.to : channel.from;
    if (!forwards) std::swap(own, others);
    const std::optional<Rational> rounds = scaled(rounds_[actor], own, others);
    if (!rounds) {
      overflow_ = true;
    } else if (rounds_[other].numerator == 0) {
      rounds_[other] = *rounds;
      reached_by_[other] = index;
      open.push_back(other);
    } else if (!(rounds_[other] == *rounds)) {
      conflict_ = index;
    }
  }

  /// The channels by which an actor was reached from the first one of its part, its own first.
  std::vector<std::size_t> wayTo(std::size_t actor) const {
    std::vector<std::size_t> way;
    while (reached_by_[actor]) {
      const CsdfChannel& channel = graph_.channels[*reached_by_[actor]];
      way.push_back(*reached_by_[actor]);
      actor = channel.from == actor ? channel.to : channel.from;
    }
    return way;
  }

  /// From where the ways to both ends of the channel part, along one, and back by the channel and the other.
  std::vector<std::size_t> cycleOf(std::size_t conflict) const {
    const CsdfChannel& channel = graph_.channels[conflict];
    if (producedPerRound(channel) == 0 || consumedPerRound(channel) == 0) return {conflict};
    std::vector<std::size_t> there = wayTo(channel.from), back = wayTo(channel.to);
    while (!there.empty() && !back.empty() && there.back() == back.back()) there.pop_back(), back.pop_back();
    // From the consumer up its way, down the other one to the producer, and by the channel to the consumer.
    std::vector<std::size_t> cycle = back;
    cycle.insert(cycle.end(), there.rbegin(), there.rend());
    cycle.push_back(conflict);
    return cycle;
  }

  Result<Repetition> whole() const {
    std::optional<std::int64_t> multiple = 1;
    for (const Rational& each : rounds_) {
      multiple = leastMultiple(*multiple, each.denominator);
      if (!multiple) return csdfOverflow(graph_, "the rounds of its actors in one iteration");
    }
    Repetition repetition;
    std::int64_t divisor = 0;
    for (const Rational& each : rounds_) {
      const auto rounds = product(each.numerator, *multiple / each.denominator);
      if (!rounds) return csdfOverflow(graph_, "the rounds of its actors in one iteration");
      repetition.of_actor.push_back(*rounds);
      divisor = std::gcd(divisor, *rounds);
    }
    for (std::int64_t& rounds : repetition.of_actor) rounds /= divisor;
    for (const CsdfChannel& channel : graph_.channels)
      if (!product(producedPerRound(channel), repetition.of_actor[channel.from]))
        return csdfOverflow(graph_, "the tokens of channel '" + channel.name + "' in one iteration");
    return repetition;
  }

  const CsdfGraph& graph_;
  std::vector<Rational> rounds_;
  std::vector<std::vector<std::size_t>> channels_;
  std::vector<std::optional<std::size_t>> reached_by_;  ///< by actor: the channel
  std::optional<std::size_t> conflict_;
  bool overflow_ = false;
};

}  // namespace

Rational lowest(std::int64_t numerator, std::int64_t denominator) {
  const std::int64_t divisor = std::gcd(numerator, denominator);
  return {numerator / divisor, denominator / divisor};
}

std::string text(const Rational& rational) {
  const std::string numerator = std::to_string(rational.numerator);
  return rational.denominator == 1 ? numerator : numerator + "/" + std::to_string(rational.denominator);
}

Result<Repetition> repetitionVector(const CsdfGraph& graph) {
  return Balance(graph).solve();
}

std::string inconsistencyText(const CsdfGraph& graph, const Repetition& repetition) {
  constexpr std::size_t most_named = 12;
  const auto name = [&](std::size_t actor) { return "'" + graph.actors[actor].name + "'"; };
  const CsdfChannel& conflict = graph.channels[repetition.conflict];
  std::string told;
  std::optional<Rational> rounds = Rational{1, 1};
  std::size_t at = conflict.to;
  std::size_t number = 0;
  for (const std::size_t index : repetition.conflict_cycle) {
    const CsdfChannel& channel = graph.channels[index];
    const std::int64_t given = producedPerRound(channel), taken = consumedPerRound(channel);
    const bool forwards = channel.from == at;
    if (rounds && given > 0 && taken > 0)
      rounds = forwards ? scaled(*rounds, given, taken) : scaled(*rounds, taken, given);
    at = forwards ? channel.to : channel.from;
    if (++number > most_named) continue;
    told += (told.empty() ? "" : ", ") + name(channel.from) + " -> " + name(channel.to) + " (channel '" +
            channel.name + "': " + std::to_string(given) + " given in a round, " + std::to_string(taken) +
            " taken)";
  }
  if (number > most_named) told += " and " + std::to_string(number - most_named) + " channels more";
  if (repetition.conflict_cycle.size() == 1 && conflict.from != conflict.to)
    return told + ": what one end gives the other never takes";
  if (!rounds) return told;
  return told + ": around this cycle " + name(conflict.to) + " would go round " + text(*rounds) +
         " times for each time that it goes round";
}

bool serialises(const CsdfChannel& channel) {
  const auto ones = [](const std::vector<std::int64_t>& rates) {
    return std::ranges::all_of(rates, [](std::int64_t rate) { return rate == 1; });
  };
  return channel.from == channel.to && channel.tokens == 1 && ones(channel.production) &&
         ones(channel.consumption) && ones(channel.initial_production) && ones(channel.initial_consumption);
}

std::int64_t producedPerRound(const CsdfChannel& channel) {
  return sum(channel.production);
}
std::int64_t consumedPerRound(const CsdfChannel& channel) {
  return sum(channel.consumption);
}

std::int64_t steadyTokens(const CsdfChannel& channel) {
  return channel.tokens + sum(channel.initial_production) - sum(channel.initial_consumption);
}

CsdfGraph withCapacities(const CsdfGraph& graph, const std::vector<std::int64_t>& capacities) {
  CsdfGraph bounded = graph;
  for (std::size_t i = 0; i < graph.channels.size(); ++i) {
    const CsdfChannel& channel = graph.channels[i];
    if (capacities[i] < 0) continue;
    bounded.channels.push_back({channel.name + "_room", channel.to, channel.from, channel.consumption,
                                channel.production, channel.initial_consumption, channel.initial_production,
                                capacities[i] - channel.tokens});
  }
  return bounded;
}

Diagnostic csdfOverflow(const CsdfGraph& graph, std::string what) {
  return error("overflow", Location("graph '" + graph.name + "'"),
               std::move(what) + " are more than exact arithmetic holds",
               "divide the rates, tokens and times of the graph by what they have in common");
}

}  // namespace sluice::inline csdf

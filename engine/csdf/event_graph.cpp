// Which firing waits for which, over all iterations at once.
//
// The producer's K rounds bring W tokens over a channel, the consumer's K rounds take R. Shifted by any
// multiple of gcd(W, R) tokens against each other the two patterns meet again, so a pair of events is one
// constraint: that of the largest shift at which the consumer waits for the producer. A shift of s tokens is
// s / Q of a period, where Q tokens cross the channel in one iteration.

#include "engine/csdf/event_graph.h"

#include <algorithm>
#include <numeric>

namespace sluice::inline csdf {
namespace {

std::int64_t roundedDown(std::int64_t number, std::int64_t step) {
  const std::int64_t rest = number % step;
  return number - (rest < 0 ? rest + step : rest);
}

/// The tokens that the events of an actor bring to or take from a channel; only those that do.
struct Pattern {
  struct Part {
    std::uint32_t event = 0;
    std::int64_t time = 0, before = 0, tokens = 0;  ///< `before`: by all earlier events
  };
  std::vector<Part> parts;
  std::int64_t tokens = 0;  ///< by all events
};

Pattern patternOf(const CsdfActor& actor, const std::vector<std::int64_t>& rates, std::int64_t rounds,
                  std::size_t first) {
  Pattern pattern;
  auto event = static_cast<std::uint32_t>(first);
  for (std::int64_t round = 0; round < rounds; ++round)
    for (std::size_t phase = 0; phase < rates.size(); ++phase, ++event) {
      if (rates[phase] > 0)
        pattern.parts.push_back({event, actor.times[phase], pattern.tokens, rates[phase]});
      pattern.tokens += rates[phase];
    }
  return pattern;
}

/// The constraints of one channel, in the order of its consumer's events.
class Constraints {
 public:
  Constraints(Pattern producer, Pattern consumer, std::int64_t tokens, bool serial)
      : producer_(std::move(producer)),
        consumer_(std::move(consumer)),
        tokens_(tokens),
        serial_(serial),
        step_(std::gcd(producer_.tokens, consumer_.tokens)) {}

  /// Gives every (producer part, consumer part, shift) to `take` until that says no.
  template <class Take>
  bool each(const Take& take) const {
    const auto meetings = static_cast<std::size_t>(producer_.tokens / step_);
    for (const Pattern::Part& to : consumer_.parts) {
      const std::int64_t last = to.before + to.tokens - tokens_;  // of the tokens that it waits for, from 1
      if (serial_ && meetings < producer_.parts.size()) {
        for (std::int64_t token = last - roundedDown(last - 1, step_); token <= producer_.tokens;
             token += step_) {
          const Pattern::Part& from = partOf(token);
          if (token - step_ > from.before) continue;  // an earlier token of it has a larger shift
          if (!offer(from, to, last, last - token, take)) return false;
        }
      } else {
        for (const Pattern::Part& from : producer_.parts)
          if (!offer(from, to, last, roundedDown(last - from.before - 1, step_), take)) return false;
      }
    }
    return true;
  }

 private:
  const Pattern::Part& partOf(std::int64_t token) const {
    const auto behind = std::ranges::upper_bound(producer_.parts, token - 1, {}, &Pattern::Part::before);
    return *(behind - 1);
  }

  /// A firing whose first token an earlier one takes was waited for before. Where firings of the producer do
  /// not overlap, the one that brings the last token is enough.
  template <class Take>
  bool offer(const Pattern::Part& from, const Pattern::Part& to, std::int64_t last, std::int64_t shift,
             const Take& take) const {
    const std::int64_t begin = from.before + shift;
    if (begin < last - to.tokens) return true;
    if (serial_ && begin + from.tokens < last) return true;
    return take(from, to, shift);
  }

  Pattern producer_, consumer_;
  std::int64_t tokens_;
  bool serial_;
  std::int64_t step_;
};

}  // namespace

EventGraph::EventGraph(const CsdfGraph& graph, const Repetition& repetition,
                       const std::vector<std::int64_t>& rounds)
    : graph_(graph), repetition_(repetition), rounds_(rounds), serial_(graph.actors.size()) {
  for (const CsdfChannel& channel : graph.channels)
    if (serialises(channel)) serial_[channel.from] = true;
  for (std::size_t actor = 0; actor < graph.actors.size(); ++actor) {
    first_.push_back(events_);
    const std::size_t phases = graph.actors[actor].phases();
    if (static_cast<std::size_t>(rounds[actor]) > most_events / phases) too_large_ = true;
    if (too_large_) return;
    events_ += static_cast<std::size_t>(rounds[actor]) * phases;
    too_large_ = events_ > most_events;
  }
  first_.push_back(events_);
  for (std::size_t actor = 0; actor < graph.actors.size() && !too_large_; ++actor) addOrder(actor);
  for (std::size_t channel = 0; channel < graph.channels.size() && !too_large_; ++channel)
    if (!serialises(graph.channels[channel])) addChannel(channel);
}

std::size_t EventGraph::actorOf(std::uint32_t event) const {
  const auto behind = std::ranges::upper_bound(first_, static_cast<std::size_t>(event));
  return static_cast<std::size_t>(behind - first_.begin()) - 1;
}

void EventGraph::addOrder(std::size_t actor) {
  const std::vector<std::int64_t>& times = graph_.actors[actor].times;
  const bool serial = serial_[actor];
  const std::size_t count = first_[actor + 1] - first_[actor];
  for (std::size_t i = 0; i < count; ++i) {
    const bool back = i + 1 == count;
    RatioEdge edge{static_cast<std::uint32_t>(first_[actor] + i),
                   static_cast<std::uint32_t>(first_[actor] + (back ? 0 : i + 1)),
                   serial ? times[i % times.size()] : 0};
    if (back) edge.height = lowest(rounds_[actor], repetition_.of_actor[actor]);
    edge.causal = serial;
    edges_.push_back(edge);
  }
}

void EventGraph::addChannel(std::size_t index) {
  const CsdfChannel& channel = graph_.channels[index];
  const std::int64_t per_round = producedPerRound(channel);
  if (per_round == 0) return;
  const std::int64_t per_iteration = per_round * repetition_.of_actor[channel.from];
  const auto pattern = [&](std::size_t actor, const std::vector<std::int64_t>& rates) {
    return patternOf(graph_.actors[actor], rates, rounds_[actor], first_[actor]);
  };
  const Constraints constraints(pattern(channel.from, channel.production),
                                pattern(channel.to, channel.consumption), steadyTokens(channel),
                                serial_[channel.from]);
  const bool fits = constraints.each([&](const auto& from, const auto& to, std::int64_t shift) {
    if (edges_.size() >= most_edges) return false;
    edges_.push_back({from.event, to.event, from.time, lowest(-shift, per_iteration),
                      static_cast<std::int32_t>(index), true});
    return true;
  });
  too_large_ = too_large_ || !fits;
}

}  // namespace sluice::inline csdf

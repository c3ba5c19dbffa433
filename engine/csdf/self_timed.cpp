// Firings in any order that the tokens allow; times follow from the tokens that each takes.

#include "engine/csdf/self_timed.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "engine/core/cancelled.h"
#include "engine/core/components.h"
#include "engine/csdf/wide.h"

namespace sluice::inline csdf {
namespace {

Diagnostic tooManyFirings(const CsdfGraph& graph) {
  return error("too-many", Location("graph '" + graph.name + "'"),
               "its execution has more than " + std::to_string(SelfTimedExecution::most_firings) +
                   " firings before it repeats",
               "choose rates that have more in common, so that fewer firings make an iteration");
}

/// Actors that wait for each other, directly or by way of others, with the channels between them.
struct Part {
  CsdfGraph graph;
  Repetition repetition;   ///< of the part alone
  std::int64_t times = 0;  ///< that it goes round in an iteration of the whole graph
};

std::vector<Part> partsOf(const CsdfGraph& graph, const Repetition& repetition) {
  Edges edges(graph.actors.size());
  for (const CsdfChannel& channel : graph.channels) edges[channel.from].push_back(channel.to);
  const Components components = stronglyConnected(edges);
  std::vector<Part> parts(components.members.size());
  std::vector<std::size_t> place(graph.actors.size());
  for (std::size_t i = 0; i < graph.actors.size(); ++i) {
    Part& part = parts[components.of[i]];
    place[i] = part.graph.actors.size();
    part.graph.actors.push_back(graph.actors[i]);
    part.repetition.of_actor.push_back(repetition.of_actor[i]);
    part.times = std::gcd(part.times, repetition.of_actor[i]);
  }
  for (Part& part : parts) {
    part.graph.name = graph.name;
    part.graph.times_per_unit = graph.times_per_unit;
    for (std::int64_t& rounds : part.repetition.of_actor) rounds /= part.times;
  }
  for (const CsdfChannel& channel : graph.channels) {
    if (components.of[channel.from] != components.of[channel.to]) continue;
    CsdfChannel& inner = parts[components.of[channel.from]].graph.channels.emplace_back(channel);
    inner.from = place[channel.from], inner.to = place[channel.to];
  }
  return parts;
}

bool isLess(const Rational& a, const Rational& b) {
  return static_cast<Wide>(a.numerator) * b.denominator < static_cast<Wide>(b.numerator) * a.denominator;
}

}  // namespace

SelfTimedExecution::SelfTimedExecution(const CsdfGraph& graph, const Repetition& repetition)
    : graph_(graph), repetition_(repetition), actors_(graph.actors.size()), waiting_(graph.channels.size()) {
  for (std::size_t c = 0; c < graph.channels.size(); ++c) {
    actors_[graph.channels[c].from].outputs.push_back(c);
    actors_[graph.channels[c].to].inputs.push_back(c);
    available_.push_back(graph.channels[c].tokens);
    if (graph.channels[c].tokens > 0) waiting_[c].push_back({graph.channels[c].tokens, 0});
  }
}

std::int64_t SelfTimedExecution::rate(const std::vector<std::int64_t>& initial,
                                      const std::vector<std::int64_t>& phases, std::int64_t firing) {
  const auto at = static_cast<std::size_t>(firing);
  return at < initial.size() ? initial[at] : phases[(at - initial.size()) % phases.size()];
}

bool SelfTimedExecution::ready(std::size_t index) const {
  const Actor& actor = actors_[index];
  return actor.fired < actor.wanted && std::ranges::all_of(actor.inputs, [&](std::size_t c) {
           const CsdfChannel& channel = graph_.channels[c];
           return available_[c] >= rate(channel.initial_consumption, channel.consumption, actor.fired);
         });
}

void SelfTimedExecution::fire(std::size_t index) {
  Actor& actor = actors_[index];
  std::int64_t start = actor.started;
  for (const std::size_t c : actor.inputs) {
    const CsdfChannel& channel = graph_.channels[c];
    std::int64_t wanted = rate(channel.initial_consumption, channel.consumption, actor.fired);
    available_[c] -= wanted;
    while (wanted > 0) {
      Tokens& front = waiting_[c].front();
      const std::int64_t taken = std::min(wanted, front.count);
      start = std::max(start, front.time);
      wanted -= taken, front.count -= taken;
      if (front.count == 0) waiting_[c].pop_front();
    }
  }
  const CsdfActor& kind = graph_.actors[index];
  const std::int64_t end = start + rate(kind.initial_times, kind.times, actor.fired);
  for (const std::size_t c : actor.outputs) {
    const CsdfChannel& channel = graph_.channels[c];
    const std::int64_t given = rate(channel.initial_production, channel.production, actor.fired);
    available_[c] += given;
    if (given > 0) waiting_[c].push_back({given, end});
  }
  actor.started = start;
  ++actor.fired;
  ++firings_;
}

Result<bool> SelfTimedExecution::iterate(std::int64_t iterations, const std::stop_token& stop) {
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    const CsdfActor& kind = graph_.actors[i];
    std::int64_t more = 0;
    if (__builtin_mul_overflow(repetition_.of_actor[i], static_cast<std::int64_t>(kind.phases()), &more) ||
        more > static_cast<std::int64_t>(most_firings) ||
        iterations > static_cast<std::int64_t>(most_firings))
      return tooManyFirings(graph_);
    actors_[i].wanted +=
        more * iterations + (begun_ ? 0 : static_cast<std::int64_t>(kind.initial_times.size()));
  }
  begun_ = true;
  for (bool any = true; any;) {
    any = false;
    for (std::size_t i = 0; i < actors_.size(); ++i)
      while (ready(i)) {
        fire(i);
        any = true;
        if (firings_ > most_firings) return tooManyFirings(graph_);
        if (firings_ % 4096 == 0 && stop.stop_requested()) return cancelledDiagnostic();
      }
  }
  return std::ranges::all_of(actors_, [](const Actor& actor) { return actor.fired == actor.wanted; });
}

std::vector<std::int64_t> SelfTimedExecution::state(std::int64_t since) const {
  std::vector<std::int64_t> state;
  for (const Actor& actor : actors_) state.push_back(actor.started - since);
  for (std::size_t c = 0; c < waiting_.size(); ++c) {
    const std::int64_t started = actors_[graph_.channels[c].to].started;
    for (const Tokens& each : waiting_[c]) {
      state.push_back(each.count);
      state.push_back(std::max(each.time, started) - since);  // when exactly it came is of no more interest
    }
    state.push_back(-1);
  }
  return state;
}

Result<std::optional<Rational>> SelfTimedExecution::period(const std::stop_token& stop) {
  struct Seen {
    std::int64_t iteration = 0, time = 0;
  };
  std::map<std::vector<std::int64_t>, Seen> states;
  for (std::int64_t iteration = 1;; ++iteration) {
    SLUICE_TRY(const bool ends, iterate(1, stop));
    if (!ends) return std::optional<Rational>();
    const std::int64_t now = actors_.empty() ? 0 : actors_[0].started;
    const auto [known, is_new] = states.try_emplace(state(now), Seen{iteration, now});
    if (is_new) continue;
    const std::int64_t time = now - known->second.time,
                       count = (iteration - known->second.iteration) * graph_.times_per_unit;
    return std::optional(lowest(time, count));
  }
}

Result<std::optional<Rational>> selfTimedPeriod(const CsdfGraph& graph, const std::stop_token& stop) {
  SLUICE_TRY(const Repetition repetition, repetitionVector(graph));
  if (!repetition.consistent) return std::optional<Rational>();
  SLUICE_TRY(const bool begins, SelfTimedExecution(graph, repetition).iterate(1, stop));
  if (!begins) return std::optional<Rational>();
  Rational slowest;
  for (const Part& part : partsOf(graph, repetition)) {
    SLUICE_TRY(const std::optional<Rational> once,
               SelfTimedExecution(part.graph, part.repetition).period(stop));
    if (!once) return std::optional<Rational>();
    Rational period = *once;
    if (__builtin_mul_overflow(period.numerator, part.times, &period.numerator))
      return csdfOverflow(graph, "the period of an iteration");
    period = lowest(period.numerator, period.denominator);
    if (isLess(slowest, period)) slowest = period;
  }
  return std::optional(slowest);
}

}  // namespace sluice::inline csdf

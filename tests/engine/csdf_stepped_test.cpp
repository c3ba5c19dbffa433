// Hostile cyclo-static graphs - phases that happen once, that move nothing and take no time, many tokens on
// channels of an actor to itself - against an execution of the test's own that steps through time.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "engine/csdf/sdf3.h"
#include "engine/csdf/throughput.h"

namespace sluice::csdf_stepped_test {

using List = std::vector<std::int64_t>;

class HostileGrower {
 public:
  explicit HostileGrower(unsigned seed) : random_(seed) {}

  CsdfGraph graph() {
    CsdfGraph graph{"hostile", {}, {}, 1};
    const std::int64_t actors = 2 + below(4);
    for (std::int64_t i = 0; i < actors; ++i) {
      CsdfActor actor{"a" + std::to_string(i), {}, {}};
      for (std::int64_t p = below(4); p >= 0; --p) actor.times.push_back(below(2) == 0 ? 0 : below(7));
      for (std::int64_t p = below(3) == 0 ? 1 + below(2) : 0; p > 0; --p)
        actor.initial_times.push_back(below(5));
      rounds_.push_back(1 + below(4));
      graph.actors.push_back(std::move(actor));
    }
    for (std::size_t i = 0; i < graph.actors.size(); ++i) {
      if (i > 0) connect(graph, static_cast<std::size_t>(below(static_cast<std::int64_t>(i))), i);
      if (below(3) == 0) connect(graph, i, i);
    }
    if (below(2) == 0)
      connect(graph, static_cast<std::size_t>(below(actors)), static_cast<std::size_t>(below(actors)));
    List capacities;
    for (const CsdfChannel& channel : graph.channels) {
      const std::int64_t once = sum(channel.initial_production) + sum(channel.initial_consumption);
      capacities.push_back(channel.tokens + once +
                           below(2 * (sum(channel.production) + sum(channel.consumption)) + 1));
    }
    return withCapacities(graph, capacities);
  }

 private:
  std::int64_t below(std::int64_t most) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most));
  }
  static std::int64_t sum(const List& list) {
    return std::accumulate(list.begin(), list.end(), std::int64_t{0});
  }

  /// Mostly phases without tokens.
  List rates(std::size_t phases, std::int64_t total) {
    List rates(phases);
    while (total > 0) {
      const std::int64_t part = 1 + below(total);
      rates[static_cast<std::size_t>(below(static_cast<std::int64_t>(phases)))] += part;
      total -= part;
    }
    return rates;
  }
  List once(std::size_t phases) {
    List rates;
    for (; phases > 0; --phases) rates.push_back(below(3));
    return rates;
  }

  void connect(CsdfGraph& graph, std::size_t from, std::size_t to) {
    if (below(2) == 0) std::swap(from, to);
    const std::int64_t common = std::gcd(rounds_[from], rounds_[to]), scale = 1 + below(3);
    const CsdfActor &maker = graph.actors[from], &taker = graph.actors[to];
    const std::int64_t made = scale * rounds_[to] / common, taken = scale * rounds_[from] / common;
    graph.channels.push_back({"c" + std::to_string(graph.channels.size()), from, to,
                              rates(maker.phases(), made), rates(taker.phases(), taken),
                              once(maker.initial_times.size()), once(taker.initial_times.size()),
                              below(3) == 0 ? 0 : below(3 * (made + taken))});
  }

  std::mt19937 random_;
  List rounds_;
};

std::int64_t at(const List& once, const List& ever, std::size_t firing) {
  return firing < once.size() ? once[firing] : ever[(firing - once.size()) % ever.size()];
}

/// Goes from one end of a firing to the next, and begins at each moment whatever can begin. A firing waits
/// for the very tokens that it takes, in the order in which they were put in.
class SteppedExecution {
 public:
  SteppedExecution(const CsdfGraph& graph, const Repetition& repetition, std::size_t iterations)
      : graph_(graph), arrivals_(graph.channels.size()), taken_(graph.channels.size(), 0) {
    for (std::size_t c = 0; c < graph.channels.size(); ++c)
      arrivals_[c].assign(static_cast<std::size_t>(graph.channels[c].tokens), 0);
    for (std::size_t a = 0; a < graph.actors.size(); ++a) {
      starts_.emplace_back();
      wanted_.push_back(graph.actors[a].initial_times.size() +
                        iterations * static_cast<std::size_t>(repetition.of_actor[a]) *
                            graph.actors[a].phases());
    }
  }

  /// True: every actor has fired as often as it should.
  bool run() {
    for (std::int64_t now = 0; now >= 0; now = nextArrival(now))
      for (bool any = true; any;) {
        any = false;
        for (std::size_t a = 0; a < graph_.actors.size(); ++a)
          for (; canStart(a, now); any = true) start(a, now);
      }
    for (std::size_t a = 0; a < starts_.size(); ++a)
      if (starts_[a].size() != wanted_[a]) return false;
    return true;
  }

  const List& starts(std::size_t actor) const { return starts_[actor]; }

 private:
  std::int64_t need(std::size_t channel) const {
    const CsdfChannel& c = graph_.channels[channel];
    return at(c.initial_consumption, c.consumption, starts_[c.to].size());
  }

  bool canStart(std::size_t actor, std::int64_t now) const {
    if (starts_[actor].size() == wanted_[actor]) return false;
    for (std::size_t c = 0; c < graph_.channels.size(); ++c) {
      if (graph_.channels[c].to != actor) continue;
      const std::size_t end = taken_[c] + static_cast<std::size_t>(need(c));
      if (end > arrivals_[c].size()) return false;
      for (std::size_t token = taken_[c]; token < end; ++token)
        if (arrivals_[c][token] > now) return false;
    }
    return true;
  }

  void start(std::size_t actor, std::int64_t now) {
    const std::size_t firing = starts_[actor].size();
    const std::int64_t end = now + at(graph_.actors[actor].initial_times, graph_.actors[actor].times, firing);
    for (std::size_t c = 0; c < graph_.channels.size(); ++c)
      if (graph_.channels[c].to == actor) taken_[c] += static_cast<std::size_t>(need(c));
    for (std::size_t c = 0; c < graph_.channels.size(); ++c) {
      const CsdfChannel& channel = graph_.channels[c];
      if (channel.from != actor) continue;
      const std::int64_t given = at(channel.initial_production, channel.production, firing);
      arrivals_[c].insert(arrivals_[c].end(), static_cast<std::size_t>(given), end);
    }
    starts_[actor].push_back(now);
  }

  /// The next moment at which a token arrives that nobody has taken; below 0: none will.
  std::int64_t nextArrival(std::int64_t now) const {
    std::int64_t next = -1;
    for (std::size_t c = 0; c < arrivals_.size(); ++c)
      for (std::size_t token = taken_[c]; token < arrivals_[c].size(); ++token)
        if (arrivals_[c][token] > now && (next < 0 || arrivals_[c][token] < next)) next = arrivals_[c][token];
    return next;
  }

  const CsdfGraph& graph_;
  std::vector<List> arrivals_;  ///< of every token of a channel, taken ones too
  std::vector<std::size_t> taken_;
  std::vector<List> starts_;  ///< of every firing of an actor
  std::vector<std::size_t> wanted_;
};

/// The period of an iteration in the second half of a run, where the actor's starts repeat after some
/// iterations.
std::optional<Rational> periodIn(const List& starts, std::size_t once, std::size_t firings) {
  const std::size_t iterations = (starts.size() - once) / firings;
  for (std::size_t every = 1; every <= iterations / 4; ++every) {
    const auto of = [&](std::size_t firing) { return starts[once + firing]; };
    const std::size_t step = every * firings, last = iterations * firings - step;
    const std::int64_t more = of(last + step - 1) - of(last - 1);
    bool repeats = true;
    for (std::size_t firing = iterations / 2 * firings; repeats && firing < last; ++firing)
      repeats = of(firing + step) - of(firing) == more;
    if (repeats) return lowest(more, static_cast<std::int64_t>(every));
  }
  return std::nullopt;
}

TEST(CsdfStepped, HostileGraphsHaveThePeriodOfTheExecutionAndSurviveTheirFile) {
  int live = 0, dead = 0, once = 0, timeless = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    const CsdfGraph graph = HostileGrower(seed).graph();
    const Result<CsdfThroughput> answer = csdfThroughput(graph);
    ASSERT_TRUE(answer) << text(answer.diagnostics());
    ASSERT_TRUE(answer->repetition.consistent);
    const Result<ReadCsdf> again = readSdf3(writeSdf3(graph), "again.xml");
    ASSERT_TRUE(again) << text(again.diagnostics());
    ASSERT_EQ(csdfThroughput(again->graph)->period, answer->period) << writeSdf3(graph);
    SteppedExecution execution(graph, answer->repetition, 60);
    ASSERT_EQ(execution.run(), answer->live) << writeSdf3(graph);
    (answer->live ? live : dead)++;
    if (!answer->live) continue;
    const CsdfActor& first = graph.actors[0];
    const auto period = periodIn(execution.starts(0), first.initial_times.size(),
                                 static_cast<std::size_t>(answer->repetition.of_actor[0]) * first.phases());
    ASSERT_TRUE(period) << writeSdf3(graph);
    ASSERT_EQ(*period, *answer->period) << writeSdf3(graph);
    once += std::ranges::any_of(graph.actors, [](const CsdfActor& a) { return !a.initial_times.empty(); });
    timeless += answer->period->numerator == 0;
  }
  EXPECT_GT(live, 400);
  EXPECT_GT(dead, 100);
  EXPECT_GT(once, 100);
  EXPECT_GT(timeless, 5);
}

}  // namespace sluice::csdf_stepped_test

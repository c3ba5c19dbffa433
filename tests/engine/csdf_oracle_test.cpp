// Random cyclo-static graphs: the exact throughput against the self-timed execution, which knows no
// schedules, and the frontier of storage against every distribution there is.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "engine/csdf/sdf3.h"
#include "engine/csdf/self_timed.h"
#include "engine/csdf/storage.h"
#include "engine/explorer/evaluate.h"
#include "engine/interchange/csdf_program.h"

namespace sluice::csdf_oracle_test {

class Grower {
 public:
  explicit Grower(unsigned seed) : random_(seed) {}

  std::int64_t upTo(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random_);
  }

  /// Consistent; every actor is connected to one before it.
  CsdfGraph graph(std::int64_t actors, std::int64_t phases, std::int64_t rounds) {
    CsdfGraph graph{"random", {}, {}, 1};
    rounds_.clear();
    for (std::int64_t i = 0; i < actors; ++i) {
      CsdfActor actor{"a" + std::to_string(i), {}, {}};
      for (std::int64_t p = upTo(phases - 1); p >= 0; --p) actor.times.push_back(upTo(5));
      rounds_.push_back(1 + upTo(rounds - 1));
      graph.actors.push_back(std::move(actor));
    }
    for (std::size_t i = 0; i < graph.actors.size(); ++i) {
      if (i > 0) connect(graph, static_cast<std::size_t>(upTo(static_cast<std::int64_t>(i) - 1)), i);
      const std::vector<std::int64_t> ones(graph.actors[i].phases(), 1);
      if (upTo(2) > 0) graph.channels.push_back({"s", i, i, ones, ones, {}, {}, 1 + upTo(8) / 7});
    }
    for (std::int64_t more = upTo(1); more > 0; --more)
      connect(graph, static_cast<std::size_t>(upTo(actors - 1)), static_cast<std::size_t>(upTo(actors - 1)));
    return graph;
  }

  std::vector<std::int64_t> capacities(const CsdfGraph& graph) {
    std::vector<std::int64_t> all;
    for (const CsdfChannel& channel : graph.channels)
      all.push_back(serialises(channel)
                        ? -1
                        : channel.tokens + upTo(2 * (producedPerRound(channel) + consumedPerRound(channel))));
    return all;
  }

 private:
  std::vector<std::int64_t> rates(std::size_t phases, std::int64_t sum) {
    std::vector<std::int64_t> rates(phases);
    for (; sum > 0; --sum) ++rates[static_cast<std::size_t>(upTo(static_cast<std::int64_t>(phases) - 1))];
    return rates;
  }

  void connect(CsdfGraph& graph, std::size_t from, std::size_t to) {
    if (upTo(1)) std::swap(from, to);
    const std::int64_t common = std::gcd(rounds_[from], rounds_[to]), scale = 1 + upTo(1);
    const std::int64_t made = scale * rounds_[to] / common, taken = scale * rounds_[from] / common;
    graph.channels.push_back({"c" + std::to_string(graph.channels.size()),
                              from,
                              to,
                              rates(graph.actors[from].phases(), made),
                              rates(graph.actors[to].phases(), taken),
                              {},
                              {},
                              upTo(2) > 0 ? upTo(made + taken) : 0});
  }

  std::mt19937 random_;
  std::vector<std::int64_t> rounds_;
};

TEST(CsdfOracle, ThroughputIsThatOfTheExecution) {
  int live = 0, dead = 0, raised = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    Grower grower(seed);
    const CsdfGraph open = grower.graph(2 + seed % 4, 3, 4);
    const CsdfGraph graph = withCapacities(open, grower.capacities(open));
    const Result<CsdfThroughput> answer = csdfThroughput(graph);
    ASSERT_TRUE(answer) << text(answer.diagnostics());
    ASSERT_TRUE(answer->repetition.consistent);
    const Result<std::optional<Rational>> run = selfTimedPeriod(graph);
    ASSERT_TRUE(run) << text(run.diagnostics());
    ASSERT_EQ(answer->live, run->has_value()) << writeSdf3(graph);
    ASSERT_EQ(answer->period, *run) << writeSdf3(graph);
    const Result<CsdfThroughput> loose = csdfThroughput(open);
    const Result<std::optional<Rational>> loose_run = selfTimedPeriod(open);
    ASSERT_TRUE(loose && loose_run);
    ASSERT_EQ(loose->period, *loose_run) << writeSdf3(open);
    (answer->live ? live : dead)++;
    raised += answer->solved > 1;
  }
  EXPECT_GT(live, 500);
  EXPECT_GT(dead, 200);
  EXPECT_GT(raised, 100);
}

/// The shortest period of every size up to `most` tokens, from all distributions.
std::map<std::int64_t, Rational> everyDistribution(const CsdfGraph& graph, std::int64_t most) {
  std::map<std::int64_t, Rational> best;
  std::vector<std::int64_t> capacities;
  const auto visit = [&](const auto& self, std::int64_t used) -> void {
    const std::size_t i = capacities.size();
    if (i == graph.channels.size()) {
      const auto period = selfTimedPeriod(withCapacities(graph, capacities));
      if (!period || !*period) return;
      const auto [known, is_new] = best.try_emplace(used, **period);
      if ((*period)->value() < known->second.value()) known->second = **period;
      return;
    }
    const bool bounded = !serialises(graph.channels[i]);
    for (std::int64_t size = bounded ? graph.channels[i].tokens : -1;
         used + std::max<std::int64_t>(size, 0) <= most; ++size) {
      capacities.push_back(size);
      self(self, used + std::max<std::int64_t>(size, 0));
      capacities.pop_back();
      if (!bounded) break;
    }
  };
  visit(visit, 0);
  return best;
}

TEST(CsdfOracle, StorageIsTheBestOfAllDistributions) {
  std::size_t points = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Grower grower(seed);
    CsdfGraph graph = grower.graph(2 + seed % 2, 2, 3);
    for (std::size_t i = 0; i < graph.actors.size(); ++i) {  // else nothing bounds some of them
      const std::vector<std::int64_t> ones(graph.actors[i].phases(), 1);
      graph.channels.push_back({"serial", i, i, ones, ones, {}, {}, 1});
    }
    StorageBudget budget;
    budget.evaluations = 60;
    const Result<StorageFrontier> frontier = storageFrontier(graph, budget);
    ASSERT_TRUE(frontier) << text(frontier.diagnostics());
    if (frontier->points.empty()) continue;
    const std::int64_t most = std::min<std::int64_t>(frontier->points.back().storage, 16);
    std::vector<std::pair<std::int64_t, Rational>> expected, found;
    for (const auto& [storage, period] : everyDistribution(graph, most))
      if (expected.empty() || period.value() < expected.back().second.value())
        expected.emplace_back(storage, period);
    for (const StoragePoint& point : frontier->points)
      if (point.storage <= most) found.emplace_back(point.storage, point.period);
    EXPECT_EQ(found, expected) << writeSdf3(graph);
    points += found.size();
  }
  EXPECT_GT(points, 60u);
}

std::uint64_t cyclesOf(const Workload& workload, std::int64_t iterations) {
  const Result<PointResult> result = evaluate(workload, {{"iterations", iterations}}, RecordMode::Count);
  EXPECT_TRUE(result) << text(result.diagnostics());
  if (!result) return 0;
  EXPECT_EQ(result->point.state, PointState::Done) << result->point.cause;
  return result->point.metrics.cycles;
}

TEST(CsdfOracle, ProgramsRunAtTheExactPeriod) {
  int runs = 0, exact = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Grower grower(seed);
    CsdfGraph open = grower.graph(2 + seed % 4, 3, 4);
    for (CsdfActor& actor : open.actors)
      for (std::int64_t& time : actor.times) ++time;  // one at least: a token takes a cycle
    const CsdfGraph graph = withCapacities(open, grower.capacities(open));
    const Result<CsdfThroughput> answer = csdfThroughput(graph);
    ASSERT_TRUE(answer);
    const Result<CsdfProgram> program = csdfProgram(graph, "random.xml");
    ASSERT_TRUE(program) << text(program.diagnostics());
    const auto workload = makeWorkload(program->document, ".");
    ASSERT_TRUE(workload) << text(workload.diagnostics());
    if (!answer->live) {
      const Result<PointResult> stuck = evaluate(**workload, {{"iterations", 8}}, RecordMode::Count);
      ASSERT_TRUE(stuck) << text(stuck.diagnostics());
      EXPECT_EQ(stuck->point.state, PointState::Deadlocked);
      ASSERT_TRUE(stuck->simulation.deadlock);
      EXPECT_FALSE(stuck->simulation.deadlock->cycles.empty()) << "who waits for whom is not told";
      continue;
    }
    // A schedule that repeats after three iterations is not over with a power of two: less than an iteration
    // off.
    const auto more = static_cast<double>(cyclesOf(**workload, 512) - cyclesOf(**workload, 256));
    EXPECT_NEAR(more, 256 * answer->period->value(), answer->period->value()) << writeSdf3(graph);
    exact += more == 256 * answer->period->value();
    ++runs;
  }
  EXPECT_GT(exact, runs / 2);
  EXPECT_GT(runs, 15);
}

/// Somebody else's graph with too few tokens on its cycle: the run tells the cycle that the exact answer
/// names.
TEST(CsdfOracle, ADeadGraphLocksUpOnTheCycleOfTheExactAnswer) {
  Result<ReadCsdf> read = loadSdf3(SLUICE_SOURCE_DIR "/tests/data/sdf3/sample.xml");
  ASSERT_TRUE(read);
  CsdfGraph& graph = read->graph;
  std::ranges::find(graph.channels, "channel_3", &CsdfChannel::name)->tokens = 2;
  const Result<CsdfThroughput> answer = csdfThroughput(graph);
  ASSERT_TRUE(answer);
  ASSERT_FALSE(answer->live);
  std::set<std::string> named, waiting;
  for (const CriticalFiring& firing : answer->critical) named.insert(graph.actors[firing.actor].name);
  const Result<CsdfProgram> program = csdfProgram(graph, "dead.xml");
  ASSERT_TRUE(program);
  const auto workload = makeWorkload(program->document, ".");
  ASSERT_TRUE(workload);
  const Result<PointResult> stuck = evaluate(**workload, {}, RecordMode::Count);
  ASSERT_TRUE(stuck && stuck->simulation.deadlock);
  ASSERT_EQ(stuck->simulation.deadlock->cycles.size(), 1u);
  for (const OperatorId op : stuck->simulation.deadlock->cycles[0].members)
    waiting.insert(stuck->symbolic.graph.operators[op].name);
  EXPECT_EQ(waiting, named);
}

TEST(CsdfOracle, WrittenAndReadAgainAGraphIsTheSame) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    CsdfGraph graph = Grower(seed).graph(4, 3, 4);
    graph.times_per_unit = seed % 2 ? 1 : 10;
    if (seed % 2 == 0) graph.actors[0].times[0] = 7;  // 0.7
    const Result<ReadCsdf> again = readSdf3(writeSdf3(graph), "again");
    ASSERT_TRUE(again) << text(again.diagnostics());
    EXPECT_EQ(writeSdf3(again->graph), writeSdf3(graph));
    EXPECT_EQ(csdfThroughput(again->graph)->period, csdfThroughput(graph)->period);
  }
}

}  // namespace sluice::csdf_oracle_test

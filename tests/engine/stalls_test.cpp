// Stall attribution: sums to all lost cycles, agrees with following the chain at every single cycle, and with
// examples whose answer is known.

#include "engine/simulator/stalls.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <map>
#include <numeric>

#include "engine/operators/simulate.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/flat_builder.h"
#include "tests/engine/support/random_graphs.h"

namespace sluice::stalls_test {

struct Measured {
  FlatGraph graph;
  SimulationResult result;
  StallReport stalls;
  std::vector<StallRow> rows;  ///< of every cause, all its victims
};

std::vector<StallRow> allRows(const FlatGraph& graph, const Timeline& timeline, const StallReport& stalls) {
  const std::size_t all = std::numeric_limits<std::size_t>::max();
  std::vector<StallRow> rows;
  for (const StallVictims& victims : stallVictims(graph, timeline, mostBlamed(stalls, all), all))
    rows.insert(rows.end(), victims.rows.begin(), victims.rows.end());
  return rows;
}

Measured run(FlatGraph graph, const InputSet& inputs = {}) {
  SimulationOptions options;
  options.mode = RecordMode::Timeline;
  SimulationResult result = simulate(graph, inputs, options);
  StallReport stalls = attributeStalls(graph, *result.timeline);
  std::vector<StallRow> rows = allRows(graph, *result.timeline, stalls);
  return {std::move(graph), std::move(result), std::move(stalls), std::move(rows)};
}

/// Cycles of a row's victim, or of everybody, that `cause` is to blame for.
Cycles blamed(const Measured& of, const StallCause& cause, std::optional<OperatorId> victim = {}) {
  Cycles sum = 0;
  for (const StallRow& row : of.rows)
    if (row.cause == cause && (!victim || row.victim == *victim)) sum += row.lost;
  return sum;
}
Cycles lostBy(const Measured& of, OperatorId victim) {
  Cycles sum = 0;
  for (const StallRow& row : of.rows)
    if (row.victim == victim) sum += row.lost;
  return sum;
}

TEST(Stalls, CausesSumToEveryLostCycle) {
  int deadlocks = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const RandomGraph random = randomGraph(seed);
    const Measured each = run(random.graph, random.inputs);
    const Timeline& timeline = *each.result.timeline;
    deadlocks += each.result.deadlock ? 1 : 0;
    Cycles lost = 0;
    for (OperatorId id = 0; id < random.graph.operators.size(); ++id) {
      const Cycles before = lost;
      for (Cycles cycle = 0; cycle < timeline.end();) {
        const StateAt state = timeline.stateAt(id, cycle);
        const Cycles until = std::min(state.until, timeline.end());
        if (static_cast<std::size_t>(state.state) < wait_kinds) lost += until - cycle;
        cycle = until;
      }
      ASSERT_EQ(lostBy(each, id), lost - before) << "seed " << seed << " " << random.graph.operators[id].name;
    }
    ASSERT_EQ(each.stalls.lost, lost) << "seed " << seed;
  }
  EXPECT_GT(deadlocks, 5);
}

TEST(Stalls, CausesAreTheSumsOfTheirVictims) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const RandomGraph random = randomGraph(seed);
    const Measured each = run(random.graph, random.inputs);
    std::map<StallCause, std::array<Cycles, wait_kinds>> expected, actual;
    for (const StallRow& row : each.rows)
      expected[row.cause][static_cast<std::size_t>(row.state)] += row.lost;
    for (const StallBlame& blame : each.stalls.causes) {
      actual[blame.cause] = blame.by_state;
      ASSERT_EQ(blame.lost, std::accumulate(blame.by_state.begin(), blame.by_state.end(), Cycles{0}));
    }
    ASSERT_EQ(actual, expected) << "seed " << seed;
    EXPECT_TRUE(std::is_sorted(each.stalls.causes.begin(), each.stalls.causes.end(),
                               [](const StallBlame& a, const StallBlame& b) { return a.lost > b.lost; }));
  }
}

TEST(Stalls, VictimsThatAreLeftOutAreCounted) {
  int left_out = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const RandomGraph random = randomGraph(seed);
    const Measured each = run(random.graph, random.inputs);
    const std::vector<StallCause> causes = mostBlamed(each.stalls, 3);
    const auto few = stallVictims(random.graph, *each.result.timeline, causes, 2);
    ASSERT_EQ(few.size(), causes.size());
    for (std::size_t i = 0; i < causes.size(); ++i) {
      std::vector<StallRow> all;
      for (const StallRow& row : each.rows)
        if (row.cause == causes[i]) all.push_back(row);
      ASSERT_EQ(few[i].rows.size(), std::min<std::size_t>(2, all.size()));
      ASSERT_EQ(few[i].left_out, all.size() - few[i].rows.size());
      left_out += few[i].left_out > 0 ? 1 : 0;
      for (std::size_t row = 0; row < few[i].rows.size(); ++row)
        ASSERT_EQ(few[i].rows[row].lost, all[row].lost) << "seed " << seed << ": the first ones";
    }
  }
  EXPECT_GT(left_out, 20);
}

/// Operators that were followed one by one, each through all that wait: n^2 steps, and as many entries.
TEST(Stalls, ALongChainHasAsManyCausesAsOperators) {
  constexpr int maps = 20'000;
  const auto workload = testing_support::workloadOf(testing_support::chainDocument(maps, 4, 2));
  const auto result = evaluate(*workload, {}, RecordMode::Timeline);
  ASSERT_TRUE(result);
  const FlatGraph& graph = result->symbolic.graph;
  const Timeline& timeline = *result->simulation.timeline;
  const StallReport stalls = attributeStalls(graph, timeline);
  EXPECT_GT(stalls.causes.size(), maps / 2);
  EXPECT_LE(stalls.causes.size(), 2 * graph.operators.size() + 3);
  Cycles lost = 0;
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    const StateCycles states = timeline.statesWithin(id, 0, timeline.end());
    for (std::size_t kind = 0; kind < wait_kinds; ++kind) lost += states[kind];
  }
  EXPECT_EQ(stalls.lost, lost);
  const StallRow worst = stallVictims(graph, timeline, mostBlamed(stalls, 1), 1).front().rows.front();
  Cycles found = 0;
  for (const StallInterval& interval : stallIntervals(graph, timeline, worst)) {
    found += interval.end - interval.begin;
    EXPECT_EQ(stallAt(graph, timeline, worst.victim, interval.begin).cause, worst.cause);
  }
  EXPECT_EQ(found, worst.lost);
}

/// The same sums by following the chain anew at every cycle of every process.
TEST(Stalls, AgreeWithFollowingTheChainAtEveryCycle) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const RandomGraph random = randomGraph(seed);
    const Measured each = run(random.graph, random.inputs);
    const Timeline& timeline = *each.result.timeline;
    if (timeline.end() > 3000) continue;
    std::map<std::tuple<OperatorId, ProcessState, StallCause>, Cycles> expected, actual;
    for (OperatorId id = 0; id < random.graph.operators.size(); ++id) {
      for (Cycles cycle = 0; cycle < timeline.end(); ++cycle) {
        const ProcessState state = timeline.stateAt(id, cycle).state;
        if (static_cast<std::size_t>(state) >= wait_kinds) continue;
        ++expected[{id, state, stallAt(random.graph, timeline, id, cycle).cause}];
        ++compared;
      }
    }
    for (const StallRow& row : each.rows) actual[{row.victim, row.state, row.cause}] += row.lost;
    ASSERT_EQ(actual, expected) << "seed " << seed;
  }
  EXPECT_GT(compared, 50000);
}

TEST(Stalls, NobodyIsBlamedWhileWaitingButForWhatIsOnItsWay) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const RandomGraph random = randomGraph(seed);
    const Measured each = run(random.graph, random.inputs);
    const Timeline& timeline = *each.result.timeline;
    for (const StallRow& row : each.rows) {
      const std::vector<StallInterval> intervals = stallIntervals(random.graph, timeline, row);
      Cycles sum = 0;
      for (const StallInterval& interval : intervals) {
        ASSERT_LT(interval.begin, interval.end);
        sum += interval.end - interval.begin;
        EXPECT_EQ(timeline.stateAt(row.victim, interval.begin).state, row.state);
      }
      ASSERT_EQ(sum, row.lost) << "seed " << seed << ": the intervals of a row hold its cycles";
    }
  }
}

/// TileGen -> fast map -> slow map -> Consumer.
TEST(Stalls, TheSlowMapIsToBlameForEverybody) {
  FlatBuilder builder;
  const Output source = builder.through(
      "TileGen", {{"shape", std::vector<std::int64_t>{200}}, {"tile", std::vector<std::int64_t>{1, 16}}});
  const Output fast =
      builder.through("Map", {{"function", std::string("exp")}, {"compute_bw", 16}}, {source});
  const Output slow = builder.through("Map", {{"function", std::string("exp")}, {"compute_bw", 2}}, {fast});
  builder.consumeTheRest();
  const Measured each = run(builder.build());
  const StallCause cause{StallSource::Process, slow.op};
  for (const OperatorId victim : {source.op, fast.op, OperatorId{3}}) {
    const double share =
        static_cast<double>(blamed(each, cause, victim)) / static_cast<double>(lostBy(each, victim));
    // The source also waits while the first tiles fill the fast map.
    EXPECT_GT(share, victim == source.op ? 0.85 : 0.97) << each.graph.operators[victim].name;
  }
  EXPECT_EQ(each.stalls.causes.front().cause, cause);
}

TEST(Stalls, MemoryIsToBlameForAStreamingLoad) {
  const auto workload = testing_support::workloadOf(testing_support::streamingDocument(50, 64, 64));
  const auto result = evaluate(*workload, {}, RecordMode::Timeline);
  ASSERT_TRUE(result);
  const StallReport stalls = attributeStalls(result->symbolic.graph, *result->simulation.timeline);
  Cycles memory = 0;
  for (const StallBlame& blame : stalls.causes)
    if (blame.cause.source == StallSource::OffChip) memory += blame.lost;
  EXPECT_GT(static_cast<double>(memory), 0.95 * static_cast<double>(stalls.lost));
}

TEST(Stalls, ACircleIsADeadlockFromTheMomentThatItClosed) {
  const auto workload = testing_support::sampleWorkload(std::filesystem::path(SLUICE_SOURCE_DIR) /
                                                        "sample_workloads" / "deadlock_fork_join.sluice");
  const auto result = evaluate(*workload, defaultKnobs(workload->document), RecordMode::Timeline);
  ASSERT_TRUE(result);
  const DeadlockReport& deadlock = *result->simulation.deadlock;
  const Timeline& timeline = *result->simulation.timeline;
  const FlatGraph& graph = result->symbolic.graph;
  for (const CircularWait& circle : deadlock.cycles) {
    for (const OperatorId member : circle.members) {
      EXPECT_EQ(stallAt(graph, timeline, member, timeline.end() - 1).cause.source, StallSource::Deadlock);
      if (timeline.stateAt(member, circle.closed_at - 1).since == 0) continue;
      EXPECT_NE(stallAt(graph, timeline, member, circle.closed_at - 1).cause.source, StallSource::Deadlock);
    }
  }
}

}  // namespace sluice::stalls_test

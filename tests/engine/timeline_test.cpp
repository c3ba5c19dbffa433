// The timeline of a run: against the slow model where that knows, against sums that the simulator counts by
// itself, and against a plain look at every cycle.

#include "engine/simulator/timeline.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "engine/operators/simulate.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/flat_builder.h"
#include "tests/engine/support/random_graphs.h"
#include "tests/engine/support/slow_model.h"

namespace sluice::timeline_test {

SimulationResult recorded(const FlatGraph& graph, const InputSet& inputs,
                          std::size_t events = std::size_t{1} << 22) {
  SimulationOptions options;
  options.mode = RecordMode::Timeline;
  options.timeline_events = events;
  return simulate(graph, inputs, options);
}

bool hasTwoActivities(const FlatOperator& op) {
  return op.spec->kind == "Kernel" || op.spec->kind == "LayoutConverter";
}

Cycles lost(const ProcessTimeline& process, ProcessState kind) {
  Cycles sum = 0;
  for (const Wait& wait : process.track(kind).waits()) sum += wait.lost;
  return sum;
}

TEST(Timeline, RecordingChangesNothingThatIsCounted) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const RandomGraph random = randomGraph(seed);
    const SimulationResult counted = simulate(random.graph, random.inputs);
    const SimulationResult with = recorded(random.graph, random.inputs);
    ASSERT_EQ(counted.cycles, with.cycles) << "seed " << seed;
    ASSERT_EQ(counted.deadlock.has_value(), with.deadlock.has_value());
    for (std::size_t op = 0; op < counted.operators.size(); ++op)
      ASSERT_EQ(counted.operators[op].finished, with.operators[op].finished) << "seed " << seed;
    ASSERT_TRUE(with.timeline);
    EXPECT_FALSE(counted.timeline);
  }
}

TEST(Timeline, OccupancyIsThatOfTheSlowModelAtEveryCycle) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const RandomGraph random = randomGraph(seed);
    const slow::SlowResult slow = slow::simulateSlowly(random.graph, random.inputs);
    if (slow.faulted()) continue;
    const SimulationResult fast = recorded(random.graph, random.inputs);
    std::mt19937_64 dice(seed);
    for (StreamId stream = 0; stream < random.graph.streams.size(); ++stream) {
      for (int i = 0; i < 40; ++i, ++compared) {
        const Cycles cycle = dice() % (fast.timeline->end() + 2);
        ASSERT_EQ(fast.timeline->occupancyAt(stream, cycle), slow.streams[stream].occupancyAt(cycle))
            << "seed " << seed << " stream " << stream << " cycle " << cycle;
      }
    }
  }
  EXPECT_GT(compared, 10000);
}

TEST(Timeline, WaitsAddUpToWhatTheSimulatorCounts) {
  int starved = 0, blocked = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const RandomGraph random = randomGraph(seed);
    const SimulationResult run = recorded(random.graph, random.inputs);
    if (run.deadlock || run.fault) continue;
    for (OperatorId id = 0; id < random.graph.operators.size(); ++id) {
      if (hasTwoActivities(random.graph.operators[id])) continue;
      const ProcessTimeline& process = run.timeline->processes()[id];
      EXPECT_EQ(lost(process, ProcessState::Starved), run.operators[id].blocked_on_input)
          << "seed " << seed << " " << random.graph.operators[id].name;
      EXPECT_EQ(lost(process, ProcessState::Blocked), run.operators[id].blocked_on_output)
          << "seed " << seed << " " << random.graph.operators[id].name;
      EXPECT_EQ(lost(process, ProcessState::Unit), run.operators[id].blocked_on_unit);
      EXPECT_EQ(process.finished, run.operators[id].finished);
      starved += run.operators[id].blocked_on_input > 0 ? 1 : 0;
      blocked += run.operators[id].blocked_on_output > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(starved, 100);
  EXPECT_GT(blocked, 100);
}

TEST(Timeline, StatesOfAStretchAreThoseOfItsCycles) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomGraph random = randomGraph(seed);
    const SimulationResult run = recorded(random.graph, random.inputs);
    const Timeline& timeline = *run.timeline;
    if (timeline.end() > 20000) continue;
    std::mt19937_64 dice(seed);
    for (OperatorId id = 0; id < random.graph.operators.size(); ++id) {
      if (hasTwoActivities(random.graph.operators[id])) continue;
      const Cycles from = dice() % (timeline.end() + 1), to = from + 1 + dice() % 200;
      StateCycles expected{};
      for (Cycles cycle = from; cycle < to; ++cycle)
        ++expected[static_cast<std::size_t>(timeline.stateAt(id, cycle).state)];
      EXPECT_EQ(timeline.statesWithin(id, from, to), expected) << "seed " << seed << " op " << id;
    }
  }
}

TEST(Timeline, ExtremesAndMeanOfAStretchAreThoseOfItsCycles) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomGraph random = randomGraph(seed);
    const SimulationResult run = recorded(random.graph, random.inputs);
    const Timeline& timeline = *run.timeline;
    std::mt19937_64 dice(seed);
    for (StreamId id = 0; id < random.graph.streams.size(); ++id) {
      const Cycles from = dice() % (timeline.end() + 1), to = from + 1 + dice() % 300;
      const OccupancyTrack::Range range = timeline.streams()[id].within(from, to);
      std::uint32_t low = ~0u, high = 0;
      double sum = 0;
      for (Cycles cycle = from; cycle < to; ++cycle) {
        const std::uint32_t level = timeline.occupancyAt(id, cycle);
        low = std::min(low, level), sum += level;
        high = std::max(high, level);
      }
      // Within one cycle the level may have been lower or higher than at its end.
      EXPECT_LE(range.low, low);
      EXPECT_GE(range.high, high);
      EXPECT_NEAR(range.mean, sum / static_cast<double>(to - from), 1e-9);
    }
  }
}

TEST(Timeline, StepsFromEventToEventMissNothing) {
  int steps = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomGraph random = randomGraph(seed);
    const SimulationResult run = recorded(random.graph, random.inputs);
    const Timeline& timeline = *run.timeline;
    if (timeline.end() > 5000) continue;
    const TimelineSelection selection{{0}, {0}};
    const auto look = [&](Cycles cycle) {
      const StateAt state = timeline.stateAt(0, cycle);
      return std::tuple(state.state, state.stream, timeline.occupancyAt(0, cycle));
    };
    std::vector<Cycles> events;
    for (std::optional<Cycles> at = timeline.nextEvent(selection, 0); at;
         at = timeline.nextEvent(selection, *at), ++steps) {
      ASSERT_TRUE(events.empty() || *at > events.back());
      events.push_back(*at);
    }
    for (Cycles cycle = 1; cycle < timeline.end(); ++cycle) {
      if (look(cycle) == look(cycle - 1)) continue;
      EXPECT_TRUE(std::binary_search(events.begin(), events.end(), cycle))
          << "seed " << seed << " at " << cycle;
    }
    // Backwards the same events come in the opposite order.
    std::vector<Cycles> back;
    for (std::optional<Cycles> at = timeline.previousEvent(selection, Wait::never - 1); at && *at > 0;
         at = timeline.previousEvent(selection, *at))
      back.insert(back.begin(), *at);
    EXPECT_EQ(back, events) << "seed " << seed;
  }
  EXPECT_GT(steps, 500);
}

/// A source as fast as a cycle a tile, two maps of which the second takes 4 cycles a tile.
FlatGraph slowSecond() {
  FlatBuilder builder;
  const Output source = builder.through(
      "TileGen", {{"shape", std::vector<std::int64_t>{100}}, {"tile", std::vector<std::int64_t>{1, 16}}});
  const Output first =
      builder.through("Map", {{"function", std::string("exp")}, {"compute_bw", 16}}, {source});
  builder.through("Map", {{"function", std::string("exp")}, {"compute_bw", 4}}, {first});
  builder.consumeTheRest();
  return builder.build();
}

TEST(Timeline, TellsWhoIsStarvedAndWhoIsBlocked) {
  const FlatGraph graph = slowSecond();
  const SimulationResult run = recorded(graph, {});
  const Timeline& timeline = *run.timeline;
  const Cycles middle = timeline.end() / 2;
  const auto share = [&](OperatorId op, ProcessState state) {
    const StateCycles cycles = timeline.statesWithin(op, middle - 40, middle + 40);
    return static_cast<double>(cycles[static_cast<std::size_t>(state)]) / 80;
  };
  EXPECT_GT(share(1, ProcessState::Blocked), 0.7);  // by the slow one
  EXPECT_EQ(share(2, ProcessState::Running), 1.0);
  EXPECT_GT(share(3, ProcessState::Starved), 0.7);  // the consumer
  for (Cycles cycle = middle - 40; cycle < middle + 40; ++cycle) {
    const StateAt state = timeline.stateAt(1, cycle);
    EXPECT_LE(state.since, cycle);
    EXPECT_GT(state.until, cycle);
    if (state.state == ProcessState::Blocked) {
      EXPECT_EQ(state.stream, graph.operators[1].outputs[0]);
    }
  }
  EXPECT_EQ(timeline.stateAt(0, timeline.end()).state, ProcessState::Done);
}

TEST(Timeline, StaysInItsBudgetAndSaysSo) {
  const auto workload = testing_support::workloadOf(testing_support::chainDocument(4, 40000, 3));
  const auto whole = evaluate(*workload, {}, RecordMode::Timeline);
  ASSERT_TRUE(whole);
  ASSERT_TRUE(whole->simulation.timeline->exact());
  const FlatGraph& graph = whole->symbolic.graph;
  const SimulationResult small = recorded(graph, {}, 1000);
  EXPECT_GT(whole->simulation.timeline->events(), 100000u);
  EXPECT_FALSE(small.timeline->exact());
  // Every stream may have the samples of an occupancy plot, every process a few waits of each kind.
  EXPECT_LT(small.timeline->events(),
            1000 + graph.streams.size() * 8192 + graph.operators.size() * wait_kinds * 2 * 64);
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    for (const ProcessState kind : {ProcessState::Starved, ProcessState::Blocked}) {
      EXPECT_EQ(lost(small.timeline->processes()[id], kind),
                lost(whole->simulation.timeline->processes()[id], kind));
    }
  }
}

TEST(Timeline, ADeadlockHasNoEnd) {
  const auto workload = testing_support::sampleWorkload(std::filesystem::path(SLUICE_SOURCE_DIR) /
                                                        "sample_workloads" / "deadlock_fork_join.sluice");
  const auto result = evaluate(*workload, defaultKnobs(workload->document), RecordMode::Timeline);
  ASSERT_TRUE(result);
  const SimulationResult& run = result->simulation;
  ASSERT_TRUE(run.deadlock);
  for (const BlockedOperator& blocked : run.deadlock->blocked) {
    const StateAt state = run.timeline->stateAt(blocked.op, run.deadlock->at);
    EXPECT_EQ(state.state,
              blocked.reason == WaitReason::Full ? ProcessState::Blocked : ProcessState::Starved);
    EXPECT_EQ(state.stream, blocked.stream);
    EXPECT_LE(state.since, blocked.since);
    EXPECT_EQ(run.timeline->stateAt(blocked.op, run.timeline->end() * 3).state, state.state);
  }
}

}  // namespace sluice::timeline_test

// Re-timing a traced run for other FIFO depths, latencies and bandwidths: what it answers is what a fresh
// simulation finds, clock for clock, on random graphs and on the samples; where it cannot know it says why.

#include "engine/operators/retime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "engine/core/random.h"
#include "engine/explorer/explore.h"
#include "engine/operators/simulate.h"
#include "engine/program/fields.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/random_graphs.h"

namespace sluice::retime_test {

using namespace testing_support;
using testing::HasSubstr;

struct Tally {
  int unchanged = 0, again = 0;  ///< answered: without, and with running operators again
  std::map<std::string, int> refused;
  int refusedBy(const std::string& piece) const {
    int sum = 0;
    for (const auto& [why, count] : refused) sum += why.find(piece) == std::string::npos ? 0 : count;
    return sum;
  }
};

void compare(const Retimer& retimer, const Retimer::Answer& answer, const FlatGraph& changed,
             const InputSet& inputs, Tally& tally) {
  if (!answer.cycles) {
    EXPECT_FALSE(answer.why_not.empty());
    ++tally.refused[answer.why_not];
    return;
  }
  ++(answer.again.empty() ? tally.unchanged : tally.again);
  const SimulationResult fresh = simulate(changed, inputs);
  ASSERT_FALSE(fresh.deadlock || fresh.fault);
  EXPECT_EQ(*answer.cycles, fresh.cycles);
  std::vector<OperatorStats> stats = retimer.run().operators;
  for (const auto& [op, now] : answer.again) stats[op] = now;
  for (std::size_t i = 0; i < fresh.operators.size(); ++i) {
    const OperatorStats &a = stats[i], &b = fresh.operators[i];
    ASSERT_EQ(a.finished, b.finished) << changed.operators[i].name;
    ASSERT_EQ(a.busy, b.busy) << changed.operators[i].name;
    ASSERT_EQ(a.blocked_on_input, b.blocked_on_input) << changed.operators[i].name;
    ASSERT_EQ(a.blocked_on_output, b.blocked_on_output) << changed.operators[i].name;
    ASSERT_EQ(a.flops, b.flops) << changed.operators[i].name;
  }
}

void tryOtherDepths(Retimer& retimer, const InputSet& inputs, SplitMix64& random, Tally& tally) {
  FlatGraph changed = retimer.graph();
  std::map<StreamId, std::uint64_t> depths;
  for (std::uint64_t left = 1 + random.below(3); left > 0; --left) {
    const auto stream = static_cast<StreamId>(random.below(changed.streams.size()));
    depths[stream] = 1 + random.below(random.below(2) ? 4 : 200);
  }
  for (const auto& [stream, depth] : depths) changed.streams[stream].depth = depth;
  const std::vector<std::pair<StreamId, std::uint64_t>> asked(depths.begin(), depths.end());
  compare(retimer, retimer.withDepths(asked), changed, inputs, tally);
  const Retimer::Answer other_door = retimer.as(changed);
  EXPECT_EQ(other_door.cycles.has_value(), retimer.withDepths(asked).cycles.has_value());
}

/// Another number for a latency or a bandwidth of one operator; false: it has none.
bool changeTime(FlatOperator& op, SplitMix64& random) {
  for (const char* name : {"compute_bw", "switch_cycles"}) {
    if (!op.parameters.values().contains(name)) continue;
    op.parameters.set(name, BoundInteger{static_cast<std::int64_t>(1 + random.below(2000)), {}});
    return true;
  }
  return false;
}

void tryOtherTimes(Retimer& retimer, const InputSet& inputs, SplitMix64& random, Tally& tally) {
  FlatGraph changed = retimer.graph();
  if (!changeTime(changed.operators[random.below(changed.operators.size())], random)) return;
  compare(retimer, retimer.as(changed), changed, inputs, tally);
}

/// Another latency or bandwidth of the off-chip memory.
void tryOtherMemory(Retimer& retimer, const InputSet& inputs, SplitMix64& random, Tally& tally) {
  FlatGraph changed = retimer.graph();
  BoundMachine& machine = changed.machine;
  std::uint64_t* const numbers[] = {&machine.hbm_latency, &machine.hbm_channels, &machine.hbm_start_up,
                                    &machine.hbm_initiation_interval, &machine.dram.tRCD};
  *numbers[random.below(std::size(numbers))] = 1 + random.below(40);
  compare(retimer, retimer.as(changed), changed, inputs, tally);
}

/// Loads and stores whose work takes longer than memory does.
RandomGraph slowGraph(std::uint64_t seed, HbmModel model) {
  RandomGraph random = randomMemoryGraph(seed);
  random.graph.machine.hbm_model = model;
  random.graph.machine.dram = Dram::preset(model);
  for (FlatOperator& op : random.graph.operators) {
    if (op.parameters.values().contains("compute_bw")) op.parameters.set("compute_bw", BoundInteger{1, {}});
  }
  return random;
}

TEST(Retime, AnotherMemoryAnswersAsInAFreshSimulation) {
  Tally node, banks;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const bool with_banks = seed % 4 == 3;
    const RandomGraph random = slowGraph(seed, with_banks ? HbmModel::Hbm2 : HbmModel::Node);
    if (random.graph.streams.empty()) continue;
    Retimer retimer(random.graph, random.inputs);
    SplitMix64 numbers(seed);
    for (int i = 0; i < 6; ++i) tryOtherMemory(retimer, random.inputs, numbers, with_banks ? banks : node);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(node.again, 100);
  EXPECT_GT(banks.again, 20);
}

TEST(Retime, AnswersAsAFreshSimulationOnRandomGraphs) {
  Tally depths, times;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    const RandomGraph random = seed % 4 == 0 ? randomMemoryGraph(seed) : randomGraph(seed);
    if (random.graph.streams.empty()) continue;
    Retimer retimer(random.graph, random.inputs);
    ASSERT_EQ(retimer.run().cycles, simulate(random.graph, random.inputs).cycles);
    SplitMix64 numbers(seed);
    for (int i = 0; i < 6; ++i) tryOtherDepths(retimer, random.inputs, numbers, depths);
    for (int i = 0; i < 4; ++i) tryOtherTimes(retimer, random.inputs, numbers, times);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(depths.unchanged, 300);
  EXPECT_GT(depths.again, 150);
  EXPECT_GT(times.unchanged + times.again, 100);
  for (const char* why : {"takes what arrives first", "did not finish", "a fresh simulation"})
    EXPECT_GT(depths.refusedBy(why) + times.refusedBy(why), 5) << why;
}

TEST(Retime, AnswersAsAFreshSimulationOnSamples) {
  Tally tally;
  for (const char* name : {"swiglu", "simple_moe", "moe_mixtral", "gnn", "attention_qwen"}) {
    SCOPED_TRACE(name);
    const auto workload =
        sampleWorkload(SLUICE_SOURCE_DIR "/sample_workloads/" + std::string(name) + ".sluice");
    const auto symbolic = evaluateSymbolic(*workload, defaultKnobs(workload->document));
    ASSERT_TRUE(symbolic);
    const InputSet& inputs = symbolic->scheduled ? symbolic->scheduled->inputs : workload->inputs;
    Retimer retimer(symbolic->graph, inputs);
    SplitMix64 numbers(1);
    for (int i = 0; i < 20; ++i) tryOtherDepths(retimer, inputs, numbers, tally);
    for (int i = 0; i < 10; ++i) tryOtherTimes(retimer, inputs, numbers, tally);
    for (int i = 0; i < 4; ++i) tryOtherMemory(retimer, inputs, numbers, tally);
  }
  EXPECT_GT(tally.unchanged, 10);
  EXPECT_GT(tally.again, 10);
}

TEST(Retime, SaysWhyItCannot) {
  const auto workload = workloadOf(chainDocument(3, 40, 2));
  const auto symbolic = evaluateSymbolic(*workload, {});
  ASSERT_TRUE(symbolic);
  FlatGraph graph = symbolic->graph;
  Retimer retimer(graph, {});
  FlatGraph other = graph;
  other.machine.on_chip_bandwidth *= 2;
  EXPECT_THAT(retimer.as(other).why_not, HasSubstr("on-chip bandwidth"));
  other = graph;
  other.operators.pop_back();
  EXPECT_THAT(retimer.as(other).why_not, HasSubstr("more than depths"));
  graph.machine.reference_mode = false;
  const std::pair<StreamId, std::uint64_t> deeper[] = {{0, 77}};
  EXPECT_THAT(Retimer(graph, {}).withDepths(deeper).why_not, HasSubstr("reference mode"));
}

/// A chain with a depth and a bandwidth as knobs.
Document chainWithKnobs() {
  Document document = chainDocument(6, 200, 4);
  document.knobs.clear();
  for (const char* name : {"room", "work"}) {
    Knob knob;
    knob.name = name;
    knob.minimum = knob.initial = 1;
    document.knobs.push_back(knob);
  }
  // Few depths and many times: another depth is another time at which its producer last waited, which goes
  // with its tokens all the way down the chain.
  document.knobs[0].maximum = 2, document.knobs[1].maximum = 18;
  document.program.nodes[1].parameters["compute_bw"] = Value(16);  // all wait for it
  document.program.streams[4].depth = Value("room");
  document.program.nodes[7].kind = "Map";
  document.program.nodes[7].parameters = {{"function", Value("silu")}, {"compute_bw", Value("256*work")}};
  document.program.nodes.push_back(node("last", "Consumer", {}));
  document.program.streams.push_back(stream("sink", "last"));
  return document;
}

TEST(Retime, PointsThatDeadlockFirstDoNotEndIt) {
  Document document = sampleWorkload(std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads" /
                                     "deadlock_fork_join.sluice")
                          ->document;
  ASSERT_EQ(document.knobs.size(), 1u);
  Knob& depth = document.knobs.front();
  depth.kind = KnobKind::Range;
  depth.minimum = depth.initial = 2, depth.maximum = 30, depth.step = 1;
  const auto workload = workloadOf(document);
  const auto explored = explore(*workload, *makeExecutor(1), {});
  ASSERT_TRUE(explored) << text(explored.diagnostics());
  const auto deadlocked =
      std::count_if(explored->points.begin(), explored->points.end(),
                    [](const auto& point) { return point.state == PointState::Deadlocked; });
  ASSERT_GE(deadlocked, 2) << "the shallow ones come first, and do not finish";
  EXPECT_GE(explored->retimed, 10u);
}

TEST(Retime, AnExplorationReTimesWhatDiffersInDepthsAndTimes) {
  const auto workload = workloadOf(chainWithKnobs());
  // With several threads the order in which programs are met decides what is traced, and how much it answers.
  const auto explored = explore(*workload, *makeExecutor(1), {});
  ASSERT_TRUE(explored) << text(explored.diagnostics());
  ASSERT_EQ(explored->points.size(), 36u);
  EXPECT_GT(explored->retimed, 10u);
  for (const DesignPoint& point : explored->points) {
    const auto fresh = evaluate(*workload, point.knobs, RecordMode::Count);
    ASSERT_TRUE(fresh);
    for (const MetricSpec* each : registeredMetrics())
      EXPECT_EQ(exactMetric(point, *each), exactMetric(fresh->point, *each)) << each->name;
  }
}

/// The sample with one design point, but for a depth and one number of the machine as a knob.
Document withMachineKnob(const Field<Machine>& number) {
  Document document =
      sampleWorkload(std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads" / "moe_three_ways.sluice")
          ->document;
  for (Knob& knob : document.knobs) {
    knob.minimum = knob.maximum = knob.initial;
    knob.list = {knob.initial};
    if (knob.kind == KnobKind::Choice)
      knob.choices = {knob.choices[static_cast<std::size_t>(std::exchange(knob.initial, 0))]};
  }
  const std::int64_t* const written = (document.machine.*number.as<Value>()).integer();
  const std::int64_t initial = written ? *written : number.range.minimum;
  Knob machine, depth;
  machine.name = "machine_number", depth.name = "first_depth";
  machine.initial = machine.minimum = number.range.contains(initial + 1) ? initial : initial - 1;
  machine.maximum = machine.minimum + 1;
  depth.initial = depth.minimum = 3, depth.maximum = 6;
  document.knobs.insert(document.knobs.end(), {depth, machine});
  document.machine.*number.as<Value>() = Value("machine_number");
  document.program.streams.front().depth = Value("first_depth");
  return document;
}

TEST(Retime, NoNumberOfTheMachineIsForgotten) {
  for (const Field<Machine>& number : fields<Machine>()) {
    if (!number.bound) continue;
    const auto workload = workloadOf(withMachineKnob(number));
    const auto explored = explore(*workload, *makeExecutor(1), {});
    ASSERT_TRUE(explored) << number.key << ": " << text(explored.diagnostics());
    ASSERT_EQ(explored->points.size(), 8u) << number.key;
    for (const DesignPoint& point : explored->points) {
      const auto fresh = evaluate(*workload, point.knobs, RecordMode::Count);
      ASSERT_TRUE(fresh) << number.key << ": " << text(fresh.diagnostics());
      for (const MetricSpec* each : registeredMetrics())
        EXPECT_EQ(exactMetric(point, *each), exactMetric(fresh->point, *each))
            << number.key << ", " << each->name;
    }
  }
}

}  // namespace sluice::retime_test

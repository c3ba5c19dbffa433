// Re-timing a recorded run for other FIFO depths: what it answers is what a fresh simulation finds, clock for
// clock, on random graphs and on the samples; where it cannot know it says why.

#include "engine/simulator/retime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "engine/core/random.h"
#include "engine/explorer/evaluate.h"
#include "engine/operators/simulate.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/random_graphs.h"

namespace sluice {
namespace {

using namespace testing_support;
using testing::HasSubstr;

SimulationResult recorded(const FlatGraph& graph, const InputSet& inputs) {
  SimulationOptions options;
  options.mode = RecordMode::Record;
  return simulate(graph, inputs, options);
}

struct Tally {
  int answered = 0, waits = 0, other = 0;
  void count(const sim::Retimer::Answer& answer) {
    ++(answer.cycles                                                   ? answered
       : answer.why_not.find("wait for its slot") != std::string::npos ? waits
                                                                       : other);
  }
};

/// Changes the depths of one to three streams and compares.
void tryOther(FlatGraph graph, const InputSet& inputs, const SimulationResult& run, SplitMix64& random,
              Tally& tally) {
  const FlatGraph original = graph;
  const sim::Retimer retimer(original, run);
  std::vector<std::pair<StreamId, std::uint64_t>> depths;
  for (std::uint64_t left = 1 + random.below(3); left > 0; --left) {
    const auto stream = static_cast<StreamId>(random.below(graph.streams.size()));
    depths.emplace_back(stream, 1 + random.below(random.below(2) ? 4 : 200));
    graph.streams[stream].depth = depths.back().second;
  }
  std::map<StreamId, std::uint64_t> last;  // a stream drawn twice has the depth drawn last
  for (const auto& [stream, depth] : depths) last[stream] = depth;
  const std::vector<std::pair<StreamId, std::uint64_t>> asked(last.begin(), last.end());
  const sim::Retimer::Answer answer = retimer.withDepths(asked);
  tally.count(answer);
  if (!answer.cycles) {
    EXPECT_FALSE(answer.why_not.empty());
    return;
  }
  const SimulationResult fresh = simulate(graph, inputs);
  ASSERT_FALSE(fresh.deadlock || fresh.fault);
  EXPECT_EQ(*answer.cycles, fresh.cycles);
  for (std::size_t i = 0; i < fresh.operators.size(); ++i)
    ASSERT_EQ(run.operators[i].finished, fresh.operators[i].finished) << original.operators[i].name;
}

TEST(Retime, AnswersAsAFreshSimulationOnRandomGraphs) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    const RandomGraph random = seed % 4 == 0 ? randomMemoryGraph(seed) : randomGraph(seed);
    if (random.graph.streams.empty()) continue;
    const SimulationResult run = recorded(random.graph, random.inputs);
    SplitMix64 numbers(seed);
    for (int i = 0; i < 6; ++i) tryOther(random.graph, random.inputs, run, numbers, tally);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(tally.answered, 300);
  EXPECT_GT(tally.waits, 300);
  EXPECT_GT(tally.other, 100);
}

TEST(Retime, AnswersAsAFreshSimulationOnSamples) {
  Tally tally;
  for (const char* name : {"swiglu", "simple_moe", "moe_mixtral", "gnn", "attention_qwen"}) {
    SCOPED_TRACE(name);
    const auto workload =
        sampleWorkload(SLUICE_SOURCE_DIR "/sample_workloads/" + std::string(name) + ".sluice");
    const auto symbolic = evaluateSymbolic(*workload, defaultKnobs(workload->document));
    ASSERT_TRUE(symbolic);
    const InputSet& inputs = symbolic->scheme ? symbolic->scheme->inputs : workload->inputs;
    const SimulationResult run = recorded(symbolic->graph, inputs);
    SplitMix64 numbers(1);
    for (int i = 0; i < 10; ++i) tryOther(symbolic->graph, inputs, run, numbers, tally);
  }
  EXPECT_GT(tally.answered, 3);
}

TEST(Retime, SaysWhyItCannot) {
  const auto objection = [](const FlatGraph& graph, const SimulationResult& run) {
    const std::vector<std::pair<StreamId, std::uint64_t>> deeper = {{0, 77}};
    return sim::Retimer(graph, run).withDepths(deeper).why_not;
  };
  const auto workload = workloadOf(chainDocument(3, 40, 2));
  const auto symbolic = evaluateSymbolic(*workload, {});
  ASSERT_TRUE(symbolic);
  FlatGraph graph = symbolic->graph;
  EXPECT_THAT(objection(graph, simulate(graph, {})), HasSubstr("not recorded"));
  const SimulationResult run = recorded(graph, {});
  EXPECT_THAT(objection(graph, run), HasSubstr("wait for its slot any more"))
      << "the source waits for the first map";
  graph.machine.reference_mode = false;
  EXPECT_THAT(objection(graph, run), HasSubstr("reference mode"));
}

}  // namespace
}  // namespace sluice

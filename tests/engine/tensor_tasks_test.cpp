// Kernels and converters in the simulator: against a cycle-by-cycle run, published timelines and the tables
// of StreamTensor's token model (engine/tensor/sizing/README.md), recomputed by simulations that know no
// formula.

#include <gtest/gtest.h>

#include "engine/core/random.h"
#include "engine/operators/inference.h"
#include "engine/operators/simulate.h"
#include "engine/tensor/lowering/fifo_simulation.h"
#include "tests/engine/support/flat_builder.h"
#include "tests/engine/support/token_simulation.h"

namespace sluice::tensor_tasks_test {

using namespace testing_support;
using List = std::vector<std::int64_t>;

DepthProblem problemOf(const TimedGraph& graph) {
  Result<DepthProblem> problem = depthProblem(graph);
  EXPECT_TRUE(problem) << text(problem.diagnostics());
  return *std::move(problem);
}

/// One rate throughout, kernels that drain and kernels that do not, any depths: the same end, stalls, peaks
/// and deadlocks as stepping through the cycles.
TEST(TensorTasks, KernelsRunAsSteppedCycleByCycle) {
  SplitMix64 random(61);
  int deadlocks = 0, stalls = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    TimedGraph graph =
        randomGraph(random, 2 + random.below(6), 1 + static_cast<std::int64_t>(random.below(40)), 10, 4);
    for (TimedKernel& kernel : graph.kernels) kernel.flushable = random.below(2) == 0;
    List depths;
    for (std::size_t stream = 0; stream < graph.streams.size(); ++stream)
      depths.push_back(static_cast<std::int64_t>(1 + random.below(8)));
    const TokenRun stepped = runCycles(graph, depths);
    const SimulatedFifos run = simulateFifos(problemOf(graph), depths);
    ASSERT_EQ(run.deadlock, stepped.deadlock) << "trial " << trial;
    deadlocks += run.deadlock ? 1 : 0;
    if (run.deadlock) continue;
    ASSERT_EQ(run.cycles, static_cast<Cycles>(stepped.end)) << "trial " << trial;
    ASSERT_EQ(run.peak, stepped.peak) << "trial " << trial;
    for (std::size_t stream = 0; stream < graph.streams.size(); ++stream) {
      const std::int64_t stalled = stepped.stalls[graph.streams[stream].producer];
      stalls += stalled > 0 ? 1 : 0;
      ASSERT_EQ(run.stalls[stream], static_cast<Cycles>(stalled)) << "trial " << trial;
    }
  }
  EXPECT_GT(deadlocks, 100);
  EXPECT_GT(stalls, 500);
}

/// K0 > K1 > K2 and K0 > K2; 32 tokens, delays 1 and 6, the other FIFOs of 4. By cycle-by-cycle runs: depth
/// of the FIFO beside K1, last cycle, most tokens in it, cycles in which K0 stands.
TEST(TensorTasks, ForkAndJoinDeadlocksOnlyWhereAPipelineDoesNotDrain) {
  struct Row {
    std::int64_t depth, end, peak, stalls;  ///< end 0: deadlock
  };
  constexpr Row drains[] = {{1, 288, 1, 248}, {2, 145, 2, 105}, {3, 100, 3, 60}, {4, 75, 4, 35},
                            {5, 64, 5, 24},   {6, 55, 6, 15},   {7, 48, 7, 8},   {8, 43, 8, 3},
                            {9, 40, 8, 0},    {10, 40, 8, 0}};
  constexpr Row stands[] = {{1, 0, 1, 0}, {2, 0, 2, 0},   {3, 0, 3, 0},   {4, 0, 4, 0},  {5, 0, 5, 0},
                            {6, 0, 6, 0}, {7, 90, 7, 50}, {8, 52, 8, 12}, {9, 40, 8, 0}, {10, 40, 8, 0}};
  TimedGraph graph = graphOf("0>1 1>2 0>2", {1, 6, 0}, 32);
  for (const bool flushable : {true, false}) {
    graph.kernels[1].flushable = flushable;
    const DepthProblem problem = problemOf(graph);
    for (const Row& row : flushable ? std::span(drains) : std::span(stands)) {
      const SimulatedFifos run = simulateFifos(problem, List{4, 4, row.depth});
      SCOPED_TRACE("depth " + std::to_string(row.depth) + (flushable ? ", drains" : ", stands"));
      ASSERT_EQ(run.deadlock, row.end == 0);
      if (run.deadlock) continue;
      EXPECT_EQ(run.cycles, static_cast<Cycles>(row.end));
      EXPECT_EQ(run.peak[2], row.peak);
      EXPECT_EQ(run.stalls[2], static_cast<Cycles>(row.stalls));
    }
  }
}

double cyclesPerToken(const TimedGraph& graph, const List& depths) {
  TimedGraph longer = graph;
  for (TimedKernel& kernel : longer.kernels) kernel.curve.tokens *= 2;
  for (TimedStream& stream : longer.streams) stream.tokens *= 2;
  const SimulatedFifos once = simulateFifos(problemOf(graph), depths),
                       twice = simulateFifos(problemOf(longer), depths);
  if (once.deadlock || twice.deadlock) return 0;
  return static_cast<double>(twice.cycles - once.cycles) / static_cast<double>(graph.kernels[0].curve.tokens);
}

/// Figure 8(f): kernel 1 with a FIFO beside it. The table has FIFOs that cost no time; through those of the
/// simulator a token takes a cycle on each of the two hops, and a slot one to come back. With a delay shorter
/// by these three, depth and rate are those of the table.
TEST(TensorTasks, RateFallsWithTheDepthBesideASlowKernel) {
  constexpr double published[] = {5.0, 2.492, 1.673, 1.246, 1.0, 1.0, 1.0};  // depths 1 to 7
  for (std::int64_t depth = 1; depth <= 7; ++depth) {
    const double rate = cyclesPerToken(graphOf("0>1 1>2 0>2", {3, 5 - 3, 0}, 1000), {20, 20, depth});
    EXPECT_NEAR(rate, published[depth - 1], 0.01 * published[depth - 1]) << "depth " << depth;
  }
  for (const std::int64_t delay : {1, 4, 9})
    for (std::int64_t depth = 1; depth <= 14; ++depth)
      EXPECT_NEAR(cyclesPerToken(graphOf("0>1 1>2 0>2", {3, delay, 0}, 1000), {20, 20, depth}),
                  std::max(1.0, static_cast<double>(delay + 3) / static_cast<double>(depth)), 0.01)
          << "delay " << delay << ", depth " << depth;
}

/// Figure 8(a): five tokens, a source of delay 3 that starts at time 1 and a target of interval 2: what waits
/// between them, over time.
TEST(TensorTasks, TimelineOfFigureEightA) {
  constexpr std::uint64_t published[] = {0, 0, 0, 0, 1, 1, 2, 2, 3, 2, 2, 1, 1, 0, 0, 0};
  TimedGraph graph;
  graph.kernels = {{"source", {3, {1, 1}, 5}}, {"target", {2, {2, 1}, 5}}, {"done", {0, {1, 1}, 5}}};
  graph.streams = {{0, 1, 5, 32}, {1, 2, 5, 32}};
  DepthProblem problem = problemOf(graph);
  setDepths(problem.graph, problem, std::vector<std::int64_t>(problem.groups.size(), 5));
  SimulationOptions options;
  options.mode = RecordMode::Record;
  const SimulationResult run = simulate(problem.graph, {}, options);
  std::uint64_t waiting = 0;
  std::size_t next = 0;
  const auto& samples = run.occupancy[problem.groups[0].streams[0]].samples;
  for (Cycles time = 0; time < std::size(published); ++time) {
    // The simulation begins when the source does.
    while (next < samples.size() && samples[next].time + 1 <= time) waiting = samples[next++].last;
    EXPECT_EQ(waiting, published[time]) << "time " << time;
  }
  // The last token is done at 15, which the sink sees a cycle later.
  EXPECT_EQ(run.operators[1].finished + 1, 15u);
}

/// Counter-examples to the published path program, delays times ten so that rounding up does not hide them:
/// its depths cannot hold full rate, those of start times do.
TEST(TensorTasks, PathProgramFallsShortAsPredicted) {
  struct Example {
    std::string edges;
    List delays;
  };
  const Example examples[] = {{"0>1 0>2 0>5 1>3 1>4 2>4 3>4 3>5", {20, 10, 30, 10, 40, 20}},
                              {"0>3 0>4 1>2 1>4 2>3", {10, 40, 20, 20, 20}}};
  for (const Example& example : examples) {
    const TimedGraph graph = graphOf(example.edges, example.delays, 2000);
    const SizingOptions options{.fifo = {.hop_latency = 1}};
    const DepthProblem problem = problemOf(graph);
    const Cycles endless = simulateFifos(problem, endlessDepths(problem)).cycles;
    for (const SizingMethod method : {SizingMethod::PathProgram, SizingMethod::StartTime}) {
      const Result<FifoSizing> sizing = sizeFifos(graph, method, options);
      ASSERT_TRUE(sizing);
      List depths;
      for (const SizedFifo& fifo : sizing->fifos) depths.push_back(fifo.depth);
      const SimulatedFifos run = simulateFifos(problem, depths);
      const bool falls_short = run.deadlock || run.cycles > endless + endless / 20;
      EXPECT_EQ(falls_short, sizing->verdict.stall.has_value());
      EXPECT_EQ(falls_short, method == SizingMethod::PathProgram) << example.edges << ": " << run.cycles;
    }
  }
}

/// Fill and drain overlap but for the first fill and the last drain.
TEST(TensorTasks, ConverterLatencyIsThatOfADoubleBuffer) {
  SplitMix64 random(62);
  for (int trial = 0; trial < 200; ++trial) {
    const auto upTo = [&](std::uint64_t most) { return static_cast<std::int64_t>(1 + random.below(most)); };
    const std::int64_t iterations = upTo(6), fill = upTo(9), drain = upTo(9), write = upTo(3), read = upTo(3);
    FlatBuilder builder;
    builder.depth = 100;
    const Output tiles = builder.through(
        "TileGen", {{"shape", List{iterations * fill}}, {"tile", List{1, 1}}, {"interval", 0}});
    const OperatorId converter = builder.add("LayoutConverter",
                                             {{"iterations", iterations},
                                              {"fill", fill},
                                              {"drain", drain},
                                              {"fill_interval", write},
                                              {"drain_interval", read}},
                                             {tiles});
    builder.consumeTheRest();
    const SimulationResult run = simulate(builder.build(), {});
    const std::int64_t period = std::max(fill * write, drain * read);
    // The first tile arrives at 1.
    EXPECT_EQ(run.operators[converter].finished,
              static_cast<Cycles>(1 + fill * write + (iterations - 1) * period + drain * read));
  }
}

}  // namespace sluice::tensor_tasks_test

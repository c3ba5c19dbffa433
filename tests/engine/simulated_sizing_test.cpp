// Depths found by simulation, against all depths there are.

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/tensor/lowering/fifo_simulation.h"
#include "tests/engine/support/token_simulation.h"

namespace sluice::simulated_sizing_test {

using namespace testing_support;
using List = std::vector<std::int64_t>;

/// Small graphs of several rates, tokens of different widths.
TimedGraph smallGraph(SplitMix64& random, std::size_t kernels, std::int64_t tokens) {
  TimedGraph graph = randomGraph(random, kernels, tokens, 5, 2);
  for (TimedKernel& kernel : graph.kernels) kernel.flushable = random.below(4) > 0;
  for (TimedStream& stream : graph.streams)
    stream.token_bits = static_cast<std::int64_t>(8 * (1 + random.below(4)));
  return graph;
}

std::vector<List> closedForms(const TimedGraph& graph) {
  std::vector<List> starts;
  for (const SizingMethod method :
       {SizingMethod::PathProgram, SizingMethod::StartTime, SizingMethod::AsSoonAsPossible}) {
    const Result<FifoSizing> sizing = sizeFifos(graph, method, {.fifo = {.hop_latency = 1}});
    EXPECT_TRUE(sizing);
    starts.emplace_back();
    for (const SizedFifo& fifo : sizing->fifos) starts.back().push_back(fifo.depth);
  }
  return starts;
}

/// The fewest bytes of all depths that end no later than `limit`.
Bytes fewestBytes(const DepthProblem& problem, Cycles limit) {
  Bytes fewest = ~Bytes{0};
  List depths(problem.groups.size(), 1);
  for (;;) {
    if (const Bytes bytes = fifoBytes(problem, depths); bytes < fewest) {
      const SimulatedFifos run = simulateFifos(problem, depths);
      if (!run.deadlock && run.cycles <= limit) fewest = bytes;
    }
    std::size_t at = 0;
    while (at < depths.size() && depths[at] == problem.groups[at].tokens) depths[at++] = 1;
    if (at == depths.size()) return fewest;
    ++depths[at];
  }
}

TEST(SimulatedSizing, IsMostlyTheOptimumOfSmallGraphs) {
  SplitMix64 random(71);
  int optimal = 0, graphs = 0;
  while (graphs < 60) {
    const TimedGraph graph = smallGraph(random, 4, 5);
    if (graph.streams.size() > 5) continue;
    ++graphs;
    const Result<DepthProblem> problem = depthProblem(graph);
    ASSERT_TRUE(problem);
    const SimulatedSizing sizing = sizeBySimulation(*problem, closedForms(graph), {});
    EXPECT_TRUE(sizing.minimal);
    EXPECT_LE(sizing.cycles, sizing.endless_cycles);
    const Bytes fewest = fewestBytes(*problem, sizing.endless_cycles);
    EXPECT_GE(sizing.bytes, fewest);
    EXPECT_LE(sizing.bytes, fewest + fewest / 3);
    optimal += sizing.bytes == fewest ? 1 : 0;
  }
  EXPECT_GE(optimal, 50);
}

/// It keeps the rate, no depth can be one less, and none of the three that keep the rate needs fewer bytes.
TEST(SimulatedSizing, IsMinimalAndNeverWorseThanTheClosedForms) {
  SplitMix64 random(72);
  int smaller = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const TimedGraph graph = smallGraph(random, 3 + random.below(6), 30);
    const Result<DepthProblem> problem = depthProblem(graph);
    ASSERT_TRUE(problem);
    const std::vector<List> starts = closedForms(graph);
    const SimulatedSizing sizing = sizeBySimulation(*problem, starts, {});
    ASSERT_TRUE(sizing.minimal);
    const SimulatedFifos run = simulateFifos(*problem, sizing.depths);
    EXPECT_FALSE(run.deadlock);
    EXPECT_EQ(run.cycles, sizing.cycles);
    EXPECT_LE(run.cycles, sizing.endless_cycles);
    EXPECT_EQ(sizing.bytes, fifoBytes(*problem, sizing.depths));
    for (std::size_t fifo = 0; fifo < sizing.depths.size(); ++fifo) {
      if (sizing.depths[fifo] == 1) continue;
      List less = sizing.depths;
      --less[fifo];
      const SimulatedFifos slower = simulateFifos(*problem, less);
      EXPECT_TRUE(slower.deadlock || slower.cycles > sizing.endless_cycles);
    }
    for (const List& start : starts) {
      const SimulatedFifos closed = simulateFifos(*problem, start);
      if (closed.deadlock || closed.cycles > sizing.endless_cycles) continue;
      EXPECT_LE(sizing.bytes, fifoBytes(*problem, start));
      smaller += sizing.bytes < fifoBytes(*problem, start) ? 1 : 0;
    }
  }
  EXPECT_GT(smaller, 60);
}

TEST(SimulatedSizing, FrontTradesBytesForCycles) {
  SplitMix64 random(73);
  std::size_t points = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const TimedGraph graph = smallGraph(random, 6, 30);
    const Result<DepthProblem> problem = depthProblem(graph);
    ASSERT_TRUE(problem);
    const std::vector<SimulatedSizing> front = simulatedFront(*problem, closedForms(graph), {});
    ASSERT_FALSE(front.empty());
    EXPECT_LE(front.front().cycles, front.front().endless_cycles);
    for (std::size_t i = 1; i < front.size(); ++i) {
      EXPECT_LT(front[i].bytes, front[i - 1].bytes);
      EXPECT_GT(front[i].cycles, front[i - 1].cycles);
    }
    points += front.size();
  }
  EXPECT_GT(points, 40u);
}

/// More tolerance, fewer bytes; the search that is cut off still has depths that keep the rate.
TEST(SimulatedSizing, ToleranceAndCutOff) {
  SplitMix64 random(74);
  for (int trial = 0; trial < 20; ++trial) {
    const TimedGraph graph = smallGraph(random, 6, 30);
    const Result<DepthProblem> problem = depthProblem(graph);
    ASSERT_TRUE(problem);
    const std::vector<List> starts = closedForms(graph);
    const SimulatedSizing exact = sizeBySimulation(*problem, starts, {});
    const SimulatedSizing loose = sizeBySimulation(*problem, starts, {.tolerance = 0.5});
    EXPECT_LE(static_cast<double>(loose.cycles), 1.5 * static_cast<double>(loose.endless_cycles));
    EXPECT_LE(loose.bytes, exact.bytes);
    const SimulatedSizing cut = sizeBySimulation(*problem, starts, {.most_simulations = 5});
    EXPECT_LE(cut.cycles, exact.endless_cycles);
    EXPECT_LE(cut.simulations, 6u);
  }
}

}  // namespace sluice::simulated_sizing_test

// Blocks of BRAM that FIFOs take, and depths that need the fewest.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/explorer/pareto.h"
#include "engine/fifo/strategies/strategies.h"
#include "engine/tensor/sizing/fifo_blocks.h"
#include "tests/engine/support/token_simulation.h"

namespace sluice::fifo_blocks_test {

using namespace testing_support;
using List = std::vector<std::int64_t>;

TEST(FifoBlocks, AreThoseOfTheShapesThatADeviceHas) {
  EXPECT_EQ(fifoBlocks(32, 32), 0) << "1,024 bits are shift registers";
  EXPECT_EQ(fifoBlocks(32, 33), 1);
  EXPECT_EQ(fifoBlocks(4096, 2), 0) << "and so are two tokens of any size";
  EXPECT_EQ(fifoBlocks(4096, 3), 114);  // 113.8 x 36
  EXPECT_EQ(fifoBlocks(36, 512), 1);
  EXPECT_EQ(fifoBlocks(36, 513), 2);
  EXPECT_EQ(fifoBlocks(18, 1024), 1);
  EXPECT_EQ(fifoBlocks(9, 2048), 1);
  EXPECT_EQ(fifoBlocks(4, 4096), 1);
  EXPECT_EQ(fifoBlocks(2, 8192), 1);
  EXPECT_EQ(fifoBlocks(1, 16384), 1);
  EXPECT_EQ(fifoBlocks(1, 16385), 2);
  EXPECT_EQ(fifoBlocks(std::int64_t{1} << 62, 4), std::numeric_limits<std::int64_t>::max());
}

TEST(FifoBlocks, AreFewerBelowEveryDepthThatIsWorthChoosing) {
  for (const std::int64_t bits : {1, 2, 3, 8, 16, 32, 100, 512, 4096}) {
    for (const std::int64_t most : {1, 2, 3, 31, 600, 5000, 20000}) {
      List expected;
      for (std::int64_t depth = 1; depth <= most; ++depth)
        if (depth == most || fifoBlocks(bits, depth) < fifoBlocks(bits, depth + 1)) expected.push_back(depth);
      EXPECT_EQ(fifoBlockDepths(bits, most), expected) << bits << " bits, " << most;
    }
  }
}

/// Kernels whose bursts need deep FIFOs, tokens up to 512 bits wide; so many are as the kernels before them.
TimedGraph wideGraph(SplitMix64& random, std::size_t kernels, std::int64_t tokens) {
  TimedGraph graph = randomGraph(random, kernels, tokens, 3 * static_cast<std::uint64_t>(tokens) / 4, 2);
  for (TimedStream& stream : graph.streams) stream.token_bits = std::int64_t{32} << random.below(5);
  return graph;
}

DepthProblem problemOf(const TimedGraph& graph) {
  Result<DepthProblem> problem = depthProblem(graph);
  EXPECT_TRUE(problem);
  return *std::move(problem);
}

ChosenDepths chosen(const DepthProblem& problem, const DepthOptions& options) {
  Result<ChosenDepths> depths = findDepthStrategy("bram")->choose({problem, {}, options});
  EXPECT_TRUE(depths) << text(depths.diagnostics());
  return *std::move(depths);
}

std::vector<List> levelsOf(const DepthProblem& problem) {
  std::vector<List> levels;
  for (const DepthGroup& group : problem.groups)
    levels.push_back(fifoBlockDepths(group.tokenBits(), group.tokens));
  return levels;
}

/// As fast as unlimited FIFOs, and no FIFO can do with the next fewer blocks.
TEST(FewestBlocks, KeepThePaceAndNoneCanBeLess) {
  SplitMix64 random(81);
  std::int64_t blocks = 0, in_bytes = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const DepthProblem problem = problemOf(wideGraph(random, 4 + random.below(5), 200));
    const ChosenDepths found = chosen(problem, {});
    ASSERT_TRUE(found.search->minimal);
    EXPECT_EQ(found.search->blocks, fifoBlocks(problem, found.depths));
    const SimulatedFifos run = simulateFifos(problem, found.depths);
    EXPECT_FALSE(run.deadlock);
    EXPECT_LE(run.cycles, found.search->endless_cycles);
    const std::vector<List> levels = levelsOf(problem);
    for (std::size_t fifo = 0; fifo < levels.size(); ++fifo) {
      const auto at = std::ranges::find(levels[fifo], found.depths[fifo]);
      ASSERT_NE(at, levels[fifo].end());
      if (at == levels[fifo].begin()) continue;
      List less = found.depths;
      less[fifo] = *(at - 1);
      const SimulatedFifos slower = simulateFifos(problem, less);
      EXPECT_TRUE(slower.deadlock || slower.cycles > found.search->endless_cycles);
    }
    blocks += found.search->blocks;
    const Result<ChosenDepths> bytes = findDepthStrategy("simulated")->choose({problem, {}, {}});
    ASSERT_TRUE(bytes);
    in_bytes += fifoBlocks(problem, bytes->depths);
  }
  EXPECT_LT(blocks, in_bytes) << "the fewest bytes are not the fewest blocks";
}

/// Of all depths that are worth choosing, on small graphs.
TEST(FewestBlocks, AreMostlyTheOptimum) {
  SplitMix64 random(82);
  int optimal = 0, graphs = 0;
  while (graphs < 30) {
    const DepthProblem problem = problemOf(wideGraph(random, 4, 120));
    const std::vector<List> levels = levelsOf(problem);
    std::size_t vectors = 1;
    for (const List& each : levels) vectors *= each.size();
    if (vectors > 2000) continue;
    ++graphs;
    const ChosenDepths found = chosen(problem, {});
    std::int64_t fewest = found.search->blocks;
    std::vector<std::size_t> at(levels.size(), 0);
    for (std::size_t vector = 0; vector < vectors; ++vector) {
      List depths;
      std::size_t rest = vector;
      for (const List& each : levels) {
        depths.push_back(each[rest % each.size()]);
        rest /= each.size();
      }
      if (fifoBlocks(problem, depths) >= fewest) continue;
      const SimulatedFifos run = simulateFifos(problem, depths);
      if (!run.deadlock && run.cycles <= found.search->endless_cycles) fewest = fifoBlocks(problem, depths);
    }
    optimal += found.search->blocks == fewest;
  }
  EXPECT_GE(optimal, 26);
}

/// Two chains of the same kernels beside each other: one depth for each pair of FIFOs.
TEST(AlikeFifos, HaveOneDepth) {
  TimedGraph graph = graphOf("0>1 1>2 2>5 0>3 3>4 4>5", {1, 40, 2, 40, 2, 1}, 100);
  for (TimedStream& stream : graph.streams) stream.token_bits = 512;
  const DepthProblem problem = problemOf(graph);
  const AlikeFifos alike = alikeFifos(problem);
  ASSERT_EQ(alike.group_of.size(), 6u);
  EXPECT_EQ(alike.group_of[1], alike.group_of[4]) << "the same kernels at both ends";
  EXPECT_NE(alike.group_of[0], alike.group_of[1]);
  EXPECT_LT(alike.problem.groups.size(), problem.groups.size());
  EXPECT_EQ(fifoBytes(alike.problem, alike.gathered(List(6, 7))), fifoBytes(problem, List(6, 7)));
  for (const char* name : {"bram", "simulated"}) {
    DepthOptions options;
    options.grouped = true;
    const Result<ChosenDepths> found = findDepthStrategy(name)->choose({problem, {}, options});
    ASSERT_TRUE(found);
    ASSERT_EQ(found->depths.size(), 6u);
    EXPECT_EQ(found->depths[1], found->depths[4]);
    EXPECT_LE(simulateFifos(problem, found->depths).cycles, found->search->endless_cycles);
  }
}

struct Tried {
  double blocks, cycles;
};

/// FIFOAdvisor's measure: what points dominate of the box up to a tenth beyond the blocks of FIFOs that never
/// fill and beyond the most cycles that were met.
double dominated(const std::vector<Tried>& points, double blocks, double cycles) {
  std::vector<double> values;
  for (const Tried& each : points) values.insert(values.end(), {each.blocks, each.cycles});
  return hypervolume(values, 2, std::vector<double>{1.1 * blocks, 1.1 * cycles});
}

/// Random depths of those worth choosing, as many as the search took runs.
TEST(FewestBlocks, FrontDominatesMoreThanRandomDepths) {
  SplitMix64 random(83);
  double logarithms = 0;
  int designs = 0;
  for (int trial = 0; trial < 8; ++trial) {
    const DepthProblem problem = problemOf(wideGraph(random, 10 + random.below(8), 400));
    DepthOptions options;
    options.front = true;
    const ChosenDepths found = chosen(problem, options);
    std::vector<Tried> own, tried;
    double most_cycles = 0;
    for (const SimulatedSizing& point : found.front) {
      own.push_back({static_cast<double>(point.blocks), static_cast<double>(point.cycles)});
      most_cycles = std::max(most_cycles, own.back().cycles);
    }
    const std::vector<List> levels = levelsOf(problem);
    for (std::size_t run = 0; run < found.search->simulations; ++run) {
      List depths;
      for (const List& each : levels) depths.push_back(each[random.below(each.size())]);
      const SimulatedFifos answer = simulateFifos(problem, depths);
      if (answer.deadlock) continue;
      tried.push_back({static_cast<double>(fifoBlocks(problem, depths)), static_cast<double>(answer.cycles)});
      most_cycles = std::max(most_cycles, tried.back().cycles);
    }
    const auto blocks = static_cast<double>(fifoBlocks(problem, endlessDepths(problem)));
    const double of_random = dominated(tried, blocks, most_cycles);
    if (blocks == 0) continue;
    ++designs;
    logarithms += std::log(dominated(own, blocks, most_cycles) / std::max(of_random, 1e-3));
  }
  EXPECT_GT(designs, 5);
  EXPECT_GE(std::exp(logarithms / designs), 1.0);
}

}  // namespace sluice::fifo_blocks_test

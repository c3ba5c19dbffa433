// ScaleHLS's exploration of single kernels against exhaustive search.

#include "engine/tensor/loop_nests/kernel_exploration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/engine/support/loop_nests.h"

namespace sluice::kernel_exploration_test {

using namespace testing_support;
using testing::HasSubstr;
using Factors = std::vector<std::int64_t>;

void forEachTile(const LoopNest& nest, const std::function<void(const Factors&, std::int64_t)>& body) {
  Factors tile;
  const std::function<void(std::int64_t)> extend = [&](std::int64_t product) {
    if (tile.size() == nest.loops.size()) return body(tile, product);
    const std::int64_t extent = nest.loops[tile.size()].extent;
    for (std::int64_t factor = 1; factor <= extent; ++factor) {
      if (extent % factor != 0) continue;
      tile.push_back(factor);
      extend(product * factor);
      tile.pop_back();
    }
  };
  extend(1);
}

bool dominates(const KernelPoint& a, const KernelPoint& b) {
  return a.latency <= b.latency && a.dsp <= b.dsp;
}

TEST(KernelExploration, APipelineByHand) {
  const LoopNest nest = hidaListing().nests[2];
  const auto one = pointsOf(nest, Factors{1, 1, 1}, {});
  // Load, multiply, add, store; four accesses, two of them to C through two ports.
  ASSERT_EQ(one.size(), 10u);
  EXPECT_EQ(one[0].initiation_interval, 1);
  EXPECT_EQ(one[0].latency, 10 + 4095 + 2);
  EXPECT_EQ(one[0].dsp, 6);
  EXPECT_EQ(one[9].initiation_interval, 10);
  EXPECT_EQ(one[9].latency, 10 + 10 * 4095 + 2);
  EXPECT_EQ(one[9].dsp, 1);
  // All parallel iterations at once: every addition waits for the one before.
  const auto wide = pointsOf(nest, Factors{16, 16, 1}, {});
  EXPECT_EQ(wide[0].initiation_interval, 4);
  EXPECT_EQ(wide[0].latency, 10 + 4 * 15 + 2);
  EXPECT_EQ(wide[0].dsp, 256 * 5 / 4 + 1);
}

/// The frontier dominates whatever small tile there is, holds nothing that a tile does not give, and nothing
/// that another point of it dominates; where all tiles are small, it is the frontier of all.
TEST(KernelExploration, TheFrontierAgainstAllTiles) {
  SplitMix64 random(5);
  int complete = 0, whole = 0;
  for (int round = 0; round < 150; ++round) {
    const LoopProgram program = randomPair(random);
    const LoopNest& nest = program.nests[random.below(2)];
    if (iterations(nest) > 4096) continue;
    ExplorationOptions options;
    options.seed = random.next();
    const std::vector<KernelPoint> frontier = exploreKernel(nest, options);
    ASSERT_FALSE(frontier.empty());
    for (std::size_t i = 1; i < frontier.size(); ++i) {
      EXPECT_LT(frontier[i - 1].latency, frontier[i].latency);
      EXPECT_GT(frontier[i - 1].dsp, frontier[i].dsp);
    }
    bool all_dominated = true;
    std::size_t found = 0;
    forEachTile(nest, [&](const Factors& tile, std::int64_t product) {
      if (product == iterations(nest) && product > 1) return;
      for (const KernelPoint& point : pointsOf(nest, tile, options.costs)) {
        const bool dominated = std::any_of(frontier.begin(), frontier.end(),
                                           [&](const KernelPoint& own) { return dominates(own, point); });
        EXPECT_TRUE(dominated || product > 32);
        all_dominated = all_dominated && dominated;
        for (const KernelPoint& own : frontier)
          if (own.tile == tile && own.initiation_interval == point.initiation_interval) ++found;
      }
    });
    EXPECT_EQ(found, frontier.size());
    ++whole;
    if (all_dominated) ++complete;
    EXPECT_TRUE(all_dominated || iterations(nest) > 64);
  }
  RecordProperty("complete", complete);
  EXPECT_GE(complete * 10, whole * 7) << complete << " of " << whole;
}

TEST(KernelExploration, TheFastestProgramWithinTheBudget) {
  SplitMix64 random(13);
  for (int round = 0; round < 40; ++round) {
    const LoopProgram program = randomPair(random);
    ExplorationOptions options;
    options.dsp_budget = static_cast<std::int64_t>(2 + random.below(100));
    options.iterations = 5;
    const auto points = exploreProgram(program, options);
    ASSERT_TRUE(points);
    const auto a = exploreKernel(program.nests[0], options), b = exploreKernel(program.nests[1], options);
    if (a.size() > 30 || b.size() > 30) continue;
    std::int64_t best = INT64_MAX;
    for (const KernelPoint& first : a)
      for (const KernelPoint& second : b)
        if ((first.dsp + second.dsp) * 10 <= options.dsp_budget * 11 + 9)
          best = std::min(best, first.latency + second.latency + 2);
    EXPECT_EQ(points->front().latency, best);
    EXPECT_LE(points->front().dsp * 10, options.dsp_budget * 11 + 9);
    EXPECT_EQ(points->front().kernels.size(), 2u);
  }
}

TEST(KernelExploration, TheSameSeedGivesTheSamePoints) {
  const LoopNest nest = hidaListing().nests[2];
  ExplorationOptions options;
  options.seed = 4;
  const auto once = exploreKernel(nest, options), again = exploreKernel(nest, options);
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].tile, again[i].tile);
    EXPECT_EQ(once[i].latency, again[i].latency);
  }
}

TEST(KernelExploration, Refusals) {
  ExplorationOptions options;
  options.dsp_budget = 1;
  const auto points = exploreProgram(hidaListing(), options);
  ASSERT_FALSE(points);
  EXPECT_THAT(text(points.diagnostics()), HasSubstr("the smallest design has 3"));
}

}  // namespace sluice::kernel_exploration_test

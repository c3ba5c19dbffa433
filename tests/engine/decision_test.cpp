// Knee, sensitivity and choice against what they are by definition.

#include "engine/explorer/decision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/random.h"
#include "engine/explorer/statistics.h"

namespace sluice::decision_test {

TEST(Decision, KneeIsFurthestBelowTheLineOfTheEnds) {
  const std::vector<double> frontier = {0, 100, 1, 30, 2, 15, 5, 12, 10, 0};
  EXPECT_EQ(kneePoint(frontier), 2u);
  // Scaling an objective moves nothing.
  std::vector<double> scaled = frontier;
  for (std::size_t i = 0; i < scaled.size(); i += 2) scaled[i] = 7 + scaled[i] * 1e9;
  EXPECT_EQ(kneePoint(scaled), 2u);
  EXPECT_EQ(kneePoint(std::vector<double>{0, 1, 1, 0}), std::nullopt);
  EXPECT_EQ(kneePoint(std::vector<double>{0, 2, 1, 1, 2, 0}), std::nullopt);      // on the line
  EXPECT_EQ(kneePoint(std::vector<double>{0, 2, 1.5, 1.5, 2, 0}), std::nullopt);  // a bulge, no knee
}

TEST(Decision, EffectsOfAnAdditiveDesignShareItsVariance) {
  std::vector<double> a, b, noise, sum;
  for (int x = 0; x < 4; ++x)
    for (int y = 0; y < 5; ++y)
      for (int z = 0; z < 3; ++z) {
        a.push_back(1 << x);
        b.push_back(y);
        noise.push_back(z);
        sum.push_back(10 * x - 2 * y);
      }
  const KnobEffect of_a = knobEffect(knobLevels(a), sum), of_b = knobEffect(knobLevels(b), sum),
                   of_noise = knobEffect(knobLevels(noise), sum);
  // Variances of 10x (x of 0..3) and 2y (y of 0..4): 100 * 1.25 and 4 * 2.
  EXPECT_NEAR(of_a.share, 125.0 / 133, 1e-9);
  EXPECT_NEAR(of_b.share, 8.0 / 133, 1e-9);
  EXPECT_NEAR(of_noise.share, 0, 1e-9);
  // The direction is Pearson's correlation with the rank.
  std::vector<double> rank_a, rank_b;
  for (std::size_t i = 0; i < a.size(); ++i) {
    rank_a.push_back(std::log2(a[i]));
    rank_b.push_back(b[i]);
  }
  EXPECT_NEAR(of_a.trend, correlation(rank_a, sum), 1e-9);
  EXPECT_NEAR(of_b.trend, correlation(rank_b, sum), 1e-9);
  EXPECT_GT(of_a.trend, 0.9);
  EXPECT_LT(of_b.trend, -0.2);
  EXPECT_EQ(of_a.means.size(), 4u);
  EXPECT_NEAR(of_a.means.at(8) - of_a.means.at(1), 30, 1e-9);
}

TEST(Decision, WhatDoesNotVaryHasNoEffect) {
  const std::vector<double> levels = {1, 2, 3}, same = {5, 5, 5};
  EXPECT_TRUE(std::isnan(knobEffect(knobLevels(levels), same).share));
  EXPECT_TRUE(std::isnan(knobEffect(knobLevels({}), {}).share));
  const std::vector<double> holes = {1, std::numeric_limits<double>::quiet_NaN(), 9};
  EXPECT_NEAR(knobEffect(knobLevels(levels), holes).share, 1, 1e-12);
}

DesignPoint pointOf(Cycles cycles, Bytes bytes, PointState state = PointState::Done) {
  DesignPoint point;
  point.state = state;
  point.metrics.cycles = cycles;
  point.metrics.on_chip_bytes = bytes;
  return point;
}

TEST(Decision, WeightsChooseAndTellWhatIsGivenUp) {
  const std::vector<DesignPoint> points = {pointOf(100, 1000), pointOf(200, 200), pointOf(1000, 100),
                                           pointOf(1, 1, PointState::Infeasible)};
  const std::vector<std::size_t> all = {0, 1, 2, 3};
  EXPECT_EQ(bestPoint(points, all, {{"cycles", 1}})->point, 0u);
  EXPECT_EQ(bestPoint(points, all, {{"on_chip_bytes", 1}})->point, 2u);
  const std::optional<Choice> both = bestPoint(points, all, {{"cycles", 1}, {"on_chip_bytes", 1}});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->point, 1u);
  EXPECT_NEAR(both->given_up.at("cycles"), 100.0 / 900, 1e-12);
  EXPECT_NEAR(both->given_up.at("on_chip_bytes"), 100.0 / 900, 1e-12);
  EXPECT_FALSE(bestPoint(points, std::vector<std::size_t>{3}, {{"cycles", 1}}));
  EXPECT_FALSE(bestPoint(points, all, {{"cycles", 0}}));
  EXPECT_EQ(bestPoint(points, std::vector<std::size_t>{0, 2}, {{"on_chip_bytes", 3}, {"cycles", 1}})->point,
            2u);
}

TEST(Decision, TheBestPointIsNeverDominated) {
  SplitMix64 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<DesignPoint> points;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < 40; ++i) {
      points.push_back(pointOf(1 + random.below(30), 1 + random.below(30)));
      all.push_back(i);
    }
    const auto best = bestPoint(points, all,
                                {{"cycles", 1 + static_cast<double>(random.below(5))},
                                 {"on_chip_bytes", 1 + static_cast<double>(random.below(5))}});
    ASSERT_TRUE(best);
    const Metrics& chosen = points[best->point].metrics;
    for (const DesignPoint& other : points) {
      const bool better =
          other.metrics.cycles < chosen.cycles || other.metrics.on_chip_bytes < chosen.on_chip_bytes;
      const bool as_good =
          other.metrics.cycles <= chosen.cycles && other.metrics.on_chip_bytes <= chosen.on_chip_bytes;
      EXPECT_FALSE(better && as_good);
    }
  }
}

}  // namespace sluice::decision_test

// Frontier and hypervolume against definitions so plain that they cannot be wrong in the same way.

#include "engine/explorer/pareto.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/core/random.h"

namespace sluice::pareto_test {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Points {
  std::size_t objectives = 2;
  std::vector<double> values;
  std::size_t size() const { return values.size() / objectives; }
  double at(std::size_t row, std::size_t k) const { return values[row * objectives + k]; }
};

/// Small integers, so that ties and equal rows are common; now and then a NaN.
Points randomPoints(SplitMix64& random, std::size_t count, std::size_t objectives, std::uint64_t range,
                    bool with_nan) {
  Points points{objectives, {}};
  for (std::size_t i = 0; i < count * objectives; ++i) {
    const bool hole = with_nan && random.below(20) == 0;
    points.values.push_back(hole ? nan : static_cast<double>(random.below(range)));
  }
  return points;
}

bool dominates(const Points& points, std::size_t a, std::size_t b) {
  bool better = false;
  for (std::size_t k = 0; k < points.objectives; ++k) {
    if (!(points.at(a, k) <= points.at(b, k))) return false;  // a NaN dominates nothing
    better = better || points.at(a, k) < points.at(b, k);
  }
  return better;
}

bool equal(const Points& points, std::size_t a, std::size_t b) {
  for (std::size_t k = 0; k < points.objectives; ++k) {
    if (points.at(a, k) != points.at(b, k)) return false;
  }
  return true;
}

std::vector<std::size_t> plainFrontier(const Points& points) {
  std::vector<std::size_t> frontier;
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool out = false;
    for (std::size_t k = 0; k < points.objectives; ++k) out = out || std::isnan(points.at(i, k));
    for (std::size_t j = 0; j < points.size(); ++j)
      out = out || dominates(points, j, i) || (j < i && equal(points, j, i));
    if (!out) frontier.push_back(i);
  }
  std::stable_sort(frontier.begin(), frontier.end(),
                   [&](std::size_t a, std::size_t b) { return points.at(a, 0) < points.at(b, 0); });
  return frontier;
}

/// Counts the unit cells of the grid that some point covers: exact for integer coordinates.
double plainVolume(const Points& points, const std::vector<double>& reference) {
  std::vector<int> cell(points.objectives, 0);
  double volume = 0;
  for (;;) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      bool covered = true;
      for (std::size_t k = 0; k < points.objectives; ++k) covered = covered && points.at(i, k) <= cell[k];
      if (covered) {
        volume += 1;
        break;
      }
    }
    std::size_t k = 0;
    while (k < cell.size() && ++cell[k] >= static_cast<int>(reference[k])) cell[k++] = 0;
    if (k == cell.size()) return volume;
  }
}

TEST(Pareto, FrontierMatchesTheDefinition) {
  SplitMix64 random(1);
  for (int round = 0; round < 600; ++round) {
    const std::size_t objectives = 1 + random.below(4), count = random.below(40);
    const Points points = randomPoints(random, count, objectives, 2 + random.below(12), round % 3 == 0);
    EXPECT_EQ(paretoFrontier(points.values, objectives), plainFrontier(points)) << "round " << round;
  }
}

TEST(Pareto, FrontAfterFrontIsTheFrontierOfTheRest) {
  SplitMix64 random(5);
  for (int round = 0; round < 300; ++round) {
    const Points points =
        randomPoints(random, 1 + random.below(40), 1 + random.below(3), 1 + random.below(8), true);
    std::vector<std::vector<std::size_t>> expected;
    std::vector<std::size_t> rest(points.size());
    std::iota(rest.begin(), rest.end(), std::size_t{0});
    for (;;) {
      std::vector<double> values;
      for (const std::size_t row : rest)
        for (std::size_t k = 0; k < points.objectives; ++k) values.push_back(points.at(row, k));
      std::vector<std::size_t> front;
      for (const std::size_t i : paretoFrontier(values, points.objectives)) front.push_back(rest[i]);
      if (front.empty()) break;
      std::erase_if(
          rest, [&](std::size_t row) { return std::find(front.begin(), front.end(), row) != front.end(); });
      expected.push_back(std::move(front));
    }
    ASSERT_EQ(paretoFronts(points.values, points.objectives), expected) << round;
  }
}

TEST(Pareto, OfEqualRowsTheFirst) {
  const std::vector<double> values = {3, 3, 1, 5, 1, 5, 3, 3, 5, 1};
  EXPECT_EQ(paretoFrontier(values, 2), (std::vector<std::size_t>{1, 0, 4}));
}

TEST(Pareto, NothingFromNothing) {
  EXPECT_TRUE(paretoFrontier({}, 2).empty());
  EXPECT_EQ(hypervolume({}, 2, std::vector<double>{1, 1}), 0);
  EXPECT_TRUE(paretoFrontier(std::vector<double>{nan, 1, 1, nan}, 2).empty());
}

TEST(Pareto, HypervolumeMatchesCountedCells) {
  SplitMix64 random(2);
  for (int round = 0; round < 400; ++round) {
    const std::size_t objectives = 1 + random.below(4), count = random.below(14);
    const Points points = randomPoints(random, count, objectives, 9, round % 5 == 0);
    std::vector<double> reference;
    for (std::size_t k = 0; k < objectives; ++k)
      reference.push_back(static_cast<double>(1 + random.below(8)));
    EXPECT_EQ(hypervolume(points.values, objectives, reference), plainVolume(points, reference))
        << "round " << round;
  }
}

TEST(Pareto, HypervolumeByHand) {
  const std::vector<double> stairs = {1, 3, 2, 2, 3, 1, 9, 9};
  EXPECT_DOUBLE_EQ(hypervolume(stairs, 2, std::vector<double>{4, 4}), 6);
  const std::vector<double> box = {0.5, 0.25, 0.125};
  EXPECT_DOUBLE_EQ(hypervolume(box, 3, std::vector<double>{1, 1, 1}), 0.5 * 0.75 * 0.875);
}

TEST(Pareto, RelativeHypervolumeIsAShareOfItsBox) {
  const std::vector<double> stairs = {0, 10, 5, 5, 10, 0};
  const RelativeHypervolume relative = relativeHypervolume(stairs, 2);
  EXPECT_EQ(relative.reference, (std::vector<double>{11, 11}));
  EXPECT_DOUBLE_EQ(relative.share, (11 * 1 + 6 * 5 + 1 * 5) / 121.0);
  EXPECT_EQ(relativeHypervolume(std::vector<double>{3, 4}, 2).share, 1) << "one point is the whole box";
  EXPECT_EQ(relativeHypervolume(std::vector<double>{3, 4, std::nan(""), 1}, 2).reference[1], 4);
}

TEST(Pareto, AHundredThousandPointsAtOnce) {
  SplitMix64 random(3);
  const Points points = randomPoints(random, 100000, 2, 1u << 30, false);
  const std::vector<std::size_t> frontier = paretoFrontier(points.values, 2);
  ASSERT_FALSE(frontier.empty());
  for (std::size_t i = 1; i < frontier.size(); ++i) {
    EXPECT_LT(points.at(frontier[i - 1], 0), points.at(frontier[i], 0));
    EXPECT_GT(points.at(frontier[i - 1], 1), points.at(frontier[i], 1));
  }
}

TEST(Hypervolume, ByVisitGrowsToThatOfAllPoints) {
  SplitMix64 random(5);
  for (const std::size_t objectives : {1, 2, 3}) {
    for (int round = 0; round < 50; ++round) {
      const std::uint64_t range = round % 2 ? 12 : 1000;
      const Points points = randomPoints(random, 60, objectives, range, round % 5 == 0);
      const std::vector<double> reference(objectives, round % 2 ? 9 : 900);
      const std::vector<double> volumes = hypervolumeByVisit(points.values, objectives, reference);
      ASSERT_EQ(volumes.size(), points.size());
      for (std::size_t i = 0; i < volumes.size(); ++i) {
        const auto until = std::span(points.values).first(objectives * (i + 1));
        const double expected = hypervolume(until, objectives, reference);
        ASSERT_NEAR(volumes[i], expected, 1e-9 * (1 + expected)) << "round " << round << ", point " << i;
      }
    }
  }
}

}  // namespace sluice::pareto_test

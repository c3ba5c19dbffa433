// Curves, Equations 1 and 2, peaks and depths, against published tables and a two-kernel simulation that
// knows no formula.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "engine/core/random.h"
#include "engine/tensor/sizing/timed_graph.h"

namespace sluice::token_model_test {

StreamTiming timing(std::int64_t tokens, std::int64_t delay_of_source, std::int64_t source,
                    std::int64_t target, std::int64_t delay) {
  return {{delay_of_source, {source, 1}, tokens}, {target, 1}, delay};
}

/// StreamTensor, Figure 8(a): five tokens, the Source with interval 1 and initial delay 3 starts at cycle 1,
/// the Target takes 2 cycles a token. Tokens waiting before the Source, in it, between the two, in the
/// Target, and done, per cycle.
TEST(TokenModel, TimelineOfFigure8) {
  constexpr std::array<std::array<std::int64_t, 5>, 16> figure{{{5, 0, 0, 0, 0},
                                                                {4, 1, 0, 0, 0},
                                                                {3, 2, 0, 0, 0},
                                                                {2, 3, 0, 0, 0},
                                                                {1, 3, 1, 0, 0},
                                                                {0, 3, 1, 1, 0},
                                                                {0, 2, 2, 1, 0},
                                                                {0, 1, 2, 1, 1},
                                                                {0, 0, 3, 1, 1},
                                                                {0, 0, 2, 1, 2},
                                                                {0, 0, 2, 1, 2},
                                                                {0, 0, 1, 1, 3},
                                                                {0, 0, 1, 1, 3},
                                                                {0, 0, 0, 1, 4},
                                                                {0, 0, 0, 1, 4},
                                                                {0, 0, 0, 0, 5}}};
  const StreamTiming stream = timing(5, 3, 1, 2, 3);
  EXPECT_EQ(latency(stream.production), 7);
  const FifoBehaviour registered{.hop_latency = 1};
  for (std::size_t cycle = 0; cycle < figure.size(); ++cycle) {
    const std::int64_t time = static_cast<std::int64_t>(cycle) - 1;  // since the Source started
    const std::int64_t entered = tokensAt({0, {1, 1}, 5}, time), left = tokensAt(stream.production, time);
    const std::int64_t waiting = occupancyAt(stream, registered, time);
    const std::int64_t done = tokensAt({3 + 1 + 2, {2, 1}, 5}, time);
    const std::array<std::int64_t, 5> ours{5 - entered, entered - left, waiting, left - waiting - done, done};
    EXPECT_EQ(ours, figure[cycle]) << "cycle " << cycle;
  }
  EXPECT_EQ(maximumOccupancy(stream).equation, OccupancyEquation::One);
  EXPECT_EQ(maximumOccupancy(stream).tokens, 3);
  EXPECT_EQ(peakOccupancy(stream, registered), 3);
}

/// Peaks by cycle-by-cycle simulation: per T of 5, 8, 16 and source interval of 1, 2, 4 one row; in it, per
/// target interval of 1, 2, 4 and delay of D, D + 2, D + 5: the formula, and the simulated peaks of a bypass
/// FIFO, a registered one, and a registered one whose slots are held while the token is processed. The same
/// for D = 1 and D = 3.
constexpr std::array<std::array<std::array<std::int64_t, 4>, 9>, 9> vectors{{
    {{{0, 0, 1, 2},
      {2, 2, 3, 4},
      {5, 5, 5, 5},
      {3, 2, 3, 4},
      {4, 3, 4, 5},
      {5, 5, 5, 5},
      {4, 3, 4, 5},
      {5, 4, 4, 5},
      {5, 5, 5, 5}}},
    {{{0, 0, 1, 1},
      {1, 1, 2, 2},
      {3, 3, 3, 4},
      {0, 0, 1, 2},
      {1, 1, 2, 3},
      {3, 3, 3, 4},
      {3, 2, 3, 4},
      {4, 3, 3, 4},
      {5, 4, 4, 5}}},
    {{{0, 0, 1, 1},
      {1, 1, 1, 1},
      {2, 2, 2, 2},
      {0, 0, 1, 1},
      {1, 1, 1, 2},
      {2, 2, 2, 2},
      {0, 0, 1, 2},
      {1, 1, 1, 2},
      {2, 2, 2, 3}}},
    {{{0, 0, 1, 2},
      {2, 2, 3, 4},
      {5, 5, 6, 7},
      {5, 4, 4, 5},
      {6, 5, 5, 6},
      {7, 6, 7, 8},
      {7, 6, 6, 7},
      {7, 6, 6, 7},
      {8, 7, 7, 8}}},
    {{{0, 0, 1, 1},
      {1, 1, 2, 2},
      {3, 3, 3, 4},
      {0, 0, 1, 2},
      {1, 1, 2, 3},
      {3, 3, 3, 4},
      {5, 4, 4, 5},
      {5, 4, 5, 6},
      {6, 5, 5, 6}}},
    {{{0, 0, 1, 1},
      {1, 1, 1, 1},
      {2, 2, 2, 2},
      {0, 0, 1, 1},
      {1, 1, 1, 2},
      {2, 2, 2, 2},
      {0, 0, 1, 2},
      {1, 1, 1, 2},
      {2, 2, 2, 3}}},
    {{{0, 0, 1, 2},
      {2, 2, 3, 4},
      {5, 5, 6, 7},
      {9, 8, 8, 9},
      {10, 9, 9, 10},
      {11, 10, 11, 12},
      {13, 12, 12, 13},
      {13, 12, 12, 13},
      {14, 13, 13, 14}}},
    {{{0, 0, 1, 1},
      {1, 1, 2, 2},
      {3, 3, 3, 4},
      {0, 0, 1, 2},
      {1, 1, 2, 3},
      {3, 3, 3, 4},
      {9, 8, 8, 9},
      {9, 8, 9, 10},
      {10, 9, 9, 10}}},
    {{{0, 0, 1, 1},
      {1, 1, 1, 1},
      {2, 2, 2, 2},
      {0, 0, 1, 1},
      {1, 1, 1, 2},
      {2, 2, 2, 2},
      {0, 0, 1, 2},
      {1, 1, 1, 2},
      {2, 2, 2, 3}}},
}};

TEST(TokenModel, MaximumTokensOfTheSpecification) {
  constexpr std::array<std::int64_t, 3> tokens{5, 8, 16}, intervals{1, 2, 4}, slack{0, 2, 5};
  for (const std::int64_t initial_delay : {1, 3}) {
    for (std::size_t row = 0; row < 9; ++row) {
      for (std::size_t column = 0; column < 9; ++column) {
        StreamTiming stream = timing(tokens[row / 3], initial_delay, intervals[row % 3],
                                     intervals[column / 3], initial_delay + slack[column % 3]);
        const auto [formula, bypass, registered, held] = vectors[row][column];
        SCOPED_TRACE("row " + std::to_string(row) + ", column " + std::to_string(column));
        EXPECT_EQ(maximumOccupancy(stream).tokens, formula);
        EXPECT_EQ(maximumOccupancy(stream).equation,
                  row % 3 < column / 3 ? OccupancyEquation::One : OccupancyEquation::Two);
        EXPECT_EQ(peakOccupancy(stream, {}), bypass);
        ++stream.delay;  // those registered FIFOs pop a cycle after the delay; ours counts the hop in it
        EXPECT_EQ(peakOccupancy(stream, {.hop_latency = 1}), registered);
        EXPECT_EQ(peakOccupancy(stream, {.hop_latency = 1, .slot_held_while_processed = true}), held);
      }
    }
  }
}

/// Occupancy at the end of each cycle, stepping: pushes on the producer's curve, pops when the consumer is
/// free and a token is there.
std::vector<std::int64_t> steppedOccupancy(const StreamTiming& stream, const FifoBehaviour& fifo,
                                           std::int64_t cycles) {
  std::vector<std::int64_t> pushed_at, freed_at, occupancy;
  std::int64_t taken = 0, consumer_free = stream.delay;
  for (std::int64_t cycle = 0; cycle < cycles; ++cycle) {
    const auto pushed = static_cast<std::int64_t>(pushed_at.size());
    const Interval& interval = stream.production.interval;
    const bool due = (cycle - stream.production.initial_delay) * interval.tokens >= pushed * interval.cycles;
    if (cycle >= stream.production.initial_delay && pushed < stream.production.tokens && due)
      pushed_at.push_back(cycle);
    if (taken < static_cast<std::int64_t>(pushed_at.size()) && cycle >= consumer_free &&
        cycle >= pushed_at[static_cast<std::size_t>(taken)] + fifo.hop_latency) {
      ++taken;
      consumer_free = cycle + stream.consumption.cycles;
      freed_at.push_back(fifo.slot_held_while_processed ? consumer_free : cycle);
    }
    const auto free = std::count_if(freed_at.begin(), freed_at.end(), [&](auto at) { return at <= cycle; });
    occupancy.push_back(static_cast<std::int64_t>(pushed_at.size()) - free);
  }
  return occupancy;
}

TEST(TokenModel, OccupancyAndPeakAreThoseOfAStepByStepRun) {
  std::size_t settings = 0;
  for (std::int64_t tokens = 1; tokens <= 9; tokens += 2) {
    for (std::int64_t source = 1; source <= 5; ++source) {
      for (std::int64_t target = 1; target <= 5; ++target) {
        for (std::int64_t delay = 2; delay <= 30; ++delay) {
          for (const std::int64_t hop : {0, 1, 3}) {
            for (const bool held : {false, true}) {
              const StreamTiming stream = timing(tokens, 2, source, target, delay);
              const FifoBehaviour fifo{hop, held, false};
              const std::vector<std::int64_t> stepped = steppedOccupancy(stream, fifo, 90);
              ASSERT_EQ(peakOccupancy(stream, fifo), *std::ranges::max_element(stepped))
                  << tokens << ' ' << source << ' ' << target << ' ' << delay << ' ' << hop << ' ' << held;
              for (std::size_t cycle = 0; cycle < stepped.size(); ++cycle)
                ASSERT_EQ(occupancyAt(stream, fifo, static_cast<std::int64_t>(cycle)), stepped[cycle]);
              ++settings;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(settings, 5u * 25 * 29 * 6);
}

/// How far Equations 1 and 2 are from the truth (engine/tensor/sizing/README.md).
TEST(TokenModel, EquationsMissByAtMostWhatIsKnown) {
  for (std::int64_t source = 1; source <= 4; ++source) {
    for (std::int64_t target = 1; target <= 4; ++target) {
      for (std::int64_t delay = 3; delay <= 20; ++delay) {
        const StreamTiming stream = timing(12, 3, source, target, delay);
        const std::int64_t excess = maximumOccupancy(stream).tokens - peakOccupancy(stream, {});
        EXPECT_GE(excess, 0);
        EXPECT_LE(excess, source < target ? 1 : 0);
        if (source == target && occupancyEquation1(stream) < 12) {
          EXPECT_EQ(occupancyEquation1(stream), occupancyEquation2(stream) + 1);
        }
      }
    }
  }
}

/// Intervals that are fractions: the published estimate and the peak together never promise too little.
TEST(TokenModel, FractionalIntervalsAreNeverUnderestimated) {
  SplitMix64 random(7);
  for (int trial = 0; trial < 3000; ++trial) {
    const auto draw = [&](std::uint64_t most) { return static_cast<std::int64_t>(1 + random.below(most)); };
    StreamTiming stream{{draw(5), {draw(12), draw(4)}, draw(30)}, {draw(6), 1}, 0};
    if (shorter(stream.production.interval, {1, 1})) continue;  // one token a cycle at most
    stream.delay = stream.production.initial_delay + static_cast<std::int64_t>(random.below(25));
    const FifoBehaviour fifo{static_cast<std::int64_t>(random.below(3)), random.below(2) == 0, false};
    const std::vector<std::int64_t> stepped = steppedOccupancy(stream, fifo, 400);
    EXPECT_GE(std::max(maximumOccupancy(stream).tokens, peakOccupancy(stream, fifo)),
              *std::ranges::max_element(stepped));
  }
}

TEST(TokenModel, DepthIsOneMoreThanTheEstimateAndAtLeastTwo) {
  EXPECT_EQ(recommendedDepth(timing(5, 3, 1, 2, 3), {}), 4);
  EXPECT_EQ(recommendedDepth(timing(5, 3, 1, 1, 3), {}), 2);  // Equation 2 says 0
  EXPECT_EQ(recommendedDepth(timing(32, 1, 1, 1, 9), {.hop_latency = 1}), 9);
}

/// The longest delay is where the depth stops being enough.
TEST(TokenModel, LongestDelayInvertsTheDepth) {
  SplitMix64 random(8);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto draw = [&](std::uint64_t most) { return static_cast<std::int64_t>(1 + random.below(most)); };
    StreamTiming stream{{draw(9), {draw(9), draw(2)}, draw(40)}, {draw(9), draw(2)}, 0};
    const FifoBehaviour fifo{static_cast<std::int64_t>(random.below(2)), random.below(2) == 0, false};
    const std::int64_t depth = draw(30);
    const std::optional<std::int64_t> longest = longestDelay(stream, fifo, depth);
    const std::int64_t shortest = stream.production.initial_delay + fifo.hop_latency;
    for (std::int64_t delay = shortest; delay < shortest + 300; ++delay) {
      stream.delay = delay;
      const bool enough = std::max(maximumOccupancy(stream).tokens, peakOccupancy(stream, fifo)) < depth;
      ASSERT_EQ(enough, !longest || delay <= *longest) << "delay " << delay << ", depth " << depth;
    }
  }
}

TEST(TokenModel, CurvesCountTheirTokens) {
  SplitMix64 random(9);
  for (int trial = 0; trial < 500; ++trial) {
    const auto draw = [&](std::uint64_t most) { return static_cast<std::int64_t>(1 + random.below(most)); };
    const TokenCurve curve{draw(9) - 1, {draw(20), draw(6)}, draw(20)};
    for (std::int64_t token = 0; token < curve.tokens; ++token) {
      EXPECT_GT(tokensAt(curve, timeOfToken(curve, token)), token);
      EXPECT_LE(tokensAt(curve, timeOfToken(curve, token) - 1), token);
    }
    const TokenCurve slow = stretched(curve, latency(curve) + draw(50));
    EXPECT_EQ(slow.initial_delay, curve.initial_delay);
    EXPECT_GE(latency(slow), latency(curve));
  }
  EXPECT_EQ(latency(stretched({3, {1, 1}, 5}, 21)), 21);
  EXPECT_EQ(tokensAt(stretched({3, {1, 1}, 5}, 21), 20), 4);
  // No intermediate product overflows.
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(intervalsWithin(large, {large, large}), large);
  EXPECT_EQ(cyclesOf(large, {large, large}), large);
}

/// Stretched to one latency, curves move together and the FIFO between them is shallow.
TEST(TokenModel, ConservativeEqualisationStretchesToTheLongestLatency) {
  TimedGraph graph;
  graph.kernels = {{"fast", {2, {1, 1}, 21}}, {"slow", {4, {5, 1}, 21}}};
  graph.streams = {{0, 1, 21}};
  const std::vector<TokenCurve> normal = scheduledCurves(graph, Equalisation::Normal);
  const std::vector<TokenCurve> conservative = scheduledCurves(graph, Equalisation::Conservative);
  EXPECT_EQ(latency(normal[0]), 22);
  EXPECT_EQ(latency(conservative[0]), 104);
  EXPECT_EQ(latency(conservative[1]), 104);
  EXPECT_EQ(conservative[0].interval.cycles * 20, conservative[0].interval.tokens * 102);
  EXPECT_EQ(maximumOccupancy(timingOf(graph.streams[0], normal, 2)).tokens, 17);
  EXPECT_EQ(maximumOccupancy(timingOf(graph.streams[0], conservative, 2)).tokens, 0);
}

/// A kernel that consumes four tokens for each that it produces, evenly, takes each in a quarter of its
/// interval.
TEST(TokenModel, ReductionsTakeTheirTokensEvenly) {
  TimedGraph graph;
  graph.kernels = {{"load", {1, {1, 1}, 64}}, {"sum", {8, {8, 1}, 16}}};
  graph.streams = {{0, 1, 64}};
  ASSERT_TRUE(check(graph).empty());
  const StreamTiming stream = timingOf(graph.streams[0], scheduledCurves(graph, Equalisation::Normal), 1);
  EXPECT_EQ(stream.consumption.cycles, 2 * stream.consumption.tokens);
  EXPECT_EQ(maximumOccupancy(stream).tokens, 64 - 31);
}

}  // namespace sluice::token_model_test

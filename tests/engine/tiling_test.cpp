// StreamTensor's tiling and unrolling against exhaustive search and properties.

#include "engine/tensor/loop_nests/tiling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/engine/support/loop_nests.h"

namespace sluice::tiling_test {

using namespace testing_support;
using testing::HasSubstr;
using Factors = std::vector<std::int64_t>;

/// C[i,j] += A[i,k] B[k,j].
LoopProgram product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {{{"A", {m, k}, 8}, {"B", {k, n}, 4}, {"C", {m, n}, 32}},
          {{"matmul",
            {{"i", m, LoopKind::Parallel}, {"j", n, LoopKind::Parallel}, {"k", k, LoopKind::Reduction}},
            {{0, false, {{0, 1, 0}, {2, 1, 0}}},
             {1, false, {{2, 1, 0}, {1, 1, 0}}},
             {2, true, {{0, 1, 0}, {1, 1, 0}}}},
            1}}};
}

TEST(Tiling, AMatrixProduct) {
  const auto tilings = tileNests(product(64, 64, 8), {});
  ASSERT_TRUE(tilings);
  const NestTiling& tiling = (*tilings)[0];
  EXPECT_EQ(tiling.tile, (Factors{16, 16, 8}));  // 8 is not tiled
  EXPECT_EQ(tiling.order, (std::vector<std::size_t>{2, 0, 1}));
  EXPECT_EQ(tiling.unroll, (Factors{8, 8, 1}));
  EXPECT_EQ(tiling.initiation_interval, 1);
  EXPECT_EQ(tiling.cycles, 64 * 64 * 8 / 64);
  EXPECT_EQ(tiling.vectors, (std::vector<Factors>{{8, 1}, {1, 8}, {8, 8}}));
}

TEST(Tiling, ReductionsOutwardLowerTheInterval) {
  TilingOptions options;
  options.overall_unroll_size = 1;
  options.reductions_outward = false;
  const LoopProgram program = product(64, 64, 64);
  const auto inward = tileNests(program, options);
  options.reductions_outward = true;
  const auto outward = tileNests(program, options);
  ASSERT_TRUE(inward && outward);
  EXPECT_EQ((*inward)[0].initiation_interval, 4);
  EXPECT_EQ((*outward)[0].initiation_interval, 1);
  EXPECT_EQ((*inward)[0].cycles, 4 * (*outward)[0].cycles);
}

/// A row sum has nothing but its own additions to wait for: unrolling its rows beyond gains nothing, its
/// columns do.
TEST(Tiling, AStepThatCostsWhatItGainsIsNotTaken) {
  const LoopProgram program = {{{"a", {4, 64}, 32}, {"s", {4}, 32}},
                               {{"sum",
                                 {{"i", 4, LoopKind::Parallel}, {"j", 64, LoopKind::Reduction}},
                                 {{0, false, {{0, 1, 0}, {1, 1, 0}}}, {1, true, {{0, 1, 0}}}},
                                 1}}};
  TilingOptions options;
  options.overall_unroll_size = 8;
  const auto tilings = tileNests(program, options);
  ASSERT_TRUE(tilings);
  EXPECT_EQ((*tilings)[0].unroll, (Factors{1, 8}));
  EXPECT_EQ((*tilings)[0].cycles, 4 * 64 / 8);
}

TEST(Tiling, TilesDivideTheirLoops) {
  EXPECT_EQ(tileSize(64, 16), 16);
  EXPECT_EQ(tileSize(16, 16), 16);
  EXPECT_EQ(tileSize(7, 16), 7);
  EXPECT_EQ(tileSize(100, 16), 10);
  EXPECT_EQ(tileSize(17, 16), 1);
  EXPECT_EQ(tileSize(896, 64), 64);
}

std::int64_t slowest(const std::vector<NestTiling>& tilings) {
  std::int64_t cycles = 0;
  for (const NestTiling& tiling : tilings) cycles = std::max(cycles, tiling.cycles);
  return cycles;
}

/// The lowest cycles of the slowest kernel over all ways to give each kernel a power of two of iterations at
/// once that its tiles can be divided by, when no sum has to be waited for.
std::int64_t bestSlowest(const LoopProgram& program, const TilingOptions& options) {
  std::int64_t best = INT64_MAX;
  const std::function<void(std::size_t, std::int64_t, std::int64_t)> extend =
      [&](std::size_t n, std::int64_t left, std::int64_t worst) {
        if (n == program.nests.size()) {
          best = std::min(best, worst);
          return;
        }
        const auto after = static_cast<std::int64_t>(program.nests.size() - n - 1);
        std::int64_t most = 1;
        for (const NestLoop& loop : program.nests[n].loops) {
          const std::int64_t tile = tileSize(loop.extent, options.default_tile_size);
          most *= tile & -tile;
        }
        for (std::int64_t unroll = 1; unroll <= most; unroll *= 2) {
          const bool sum = options.budget == UnrollBudget::Sum;
          const bool capped = options.budget == UnrollBudget::PerKernel;
          if (sum ? unroll > left - after : unroll > left) break;
          extend(n + 1,
                 sum      ? left - unroll
                 : capped ? left
                          : left / unroll,
                 std::max(worst, iterations(program.nests[n]) / unroll));
        }
      };
  extend(0, options.overall_unroll_size, 0);
  return best;
}

TEST(Tiling, NoUnrollingWithinTheBudgetHasAFasterSlowestKernel) {
  SplitMix64 random(23);
  for (int round = 0; round < 1500; ++round) {
    const LoopProgram program = randomChain(random);
    TilingOptions options;
    options.accumulation_latency = 1;
    options.default_tile_size = static_cast<std::int64_t>(1 + random.below(20));
    options.overall_unroll_size = static_cast<std::int64_t>(program.nests.size() + random.below(40));
    constexpr UnrollBudget budgets[] = {UnrollBudget::Sum, UnrollBudget::Product, UnrollBudget::PerKernel};
    options.budget = budgets[random.below(3)];
    const auto tilings = tileNests(program, options);
    ASSERT_TRUE(tilings) << text(tilings.diagnostics());
    EXPECT_EQ(slowest(*tilings), bestSlowest(program, options)) << "round " << round;
  }
}

TEST(Tiling, UnrollDividesTheTileAndStaysWithinTheSum) {
  SplitMix64 random(29);
  for (int round = 0; round < 1500; ++round) {
    const LoopProgram program = randomChain(random);
    TilingOptions options;
    options.factors = random.below(2) ? UnrollFactors::Divisors : UnrollFactors::PowersOfTwo;
    options.default_tile_size = static_cast<std::int64_t>(1 + random.below(40));
    options.overall_unroll_size = static_cast<std::int64_t>(program.nests.size() + random.below(200));
    options.accumulation_latency = static_cast<std::int64_t>(1 + random.below(8));
    const auto tilings = tileNests(program, options);
    ASSERT_TRUE(tilings);
    std::int64_t sum = 0;
    for (std::size_t n = 0; n < tilings->size(); ++n) {
      const NestTiling& tiling = (*tilings)[n];
      sum += tiling.unrolled();
      for (std::size_t loop = 0; loop < tiling.tile.size(); ++loop) {
        EXPECT_EQ(program.nests[n].loops[loop].extent % tiling.tile[loop], 0);
        EXPECT_EQ(tiling.tile[loop] % tiling.unroll[loop], 0);
      }
      EXPECT_LE(tiling.cycles, options.accumulation_latency * iterations(program.nests[n]));
    }
    EXPECT_LE(sum, options.overall_unroll_size);
  }
}

TEST(Tiling, Refusals) {
  const auto refused = [](const TilingOptions& options) {
    const auto tilings = tileNests(hidaListing(), options);
    return tilings ? std::string("accepted") : text(tilings.diagnostics());
  };
  TilingOptions options;
  options.default_tile_size = 0;
  EXPECT_THAT(refused(options), HasSubstr("default tile size"));
  options = {};
  options.overall_unroll_size = 2;  // of three kernels
  EXPECT_THAT(refused(options), HasSubstr("every kernel needs one"));
  options.budget = UnrollBudget::Product;
  EXPECT_EQ(refused(options), "accepted");
  options.accumulation_latency = 0;
  EXPECT_THAT(refused(options), HasSubstr("accumulation latency"));
}

}  // namespace sluice::tiling_test

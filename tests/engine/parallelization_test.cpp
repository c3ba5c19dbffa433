// HIDA's parallelization against its published example, exhaustive search and properties.

#include "engine/tensor/loop_nests/parallelization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

#include "engine/tensor/loop_nests/array_partition.h"
#include "tests/engine/support/itensors.h"
#include "tests/engine/support/loop_nests.h"

namespace sluice::parallelization_test {

using namespace testing_support;

using testing::HasSubstr;
using Factors = std::vector<std::int64_t>;

constexpr ParallelizationMode modes[] = {ParallelizationMode::IntensityAndConnection,
                                         ParallelizationMode::Intensity, ParallelizationMode::Connection,
                                         ParallelizationMode::Naive};

std::vector<Factors> unrollOf(const Parallelization& result) {
  std::vector<Factors> unroll;
  for (const NestParallelization& nest : result.nests) unroll.push_back(nest.unroll);
  return unroll;
}

std::vector<Factors> factorsOf(const std::vector<ArrayPartition>& partitions) {
  std::vector<Factors> factors;
  for (const ArrayPartition& partition : partitions) {
    factors.emplace_back();
    for (const DimensionPartition& dimension : partition.dimensions)
      factors.back().push_back(dimension.factor);
  }
  return factors;
}

TEST(Parallelization, ThePublishedUnrollFactorsOfAllFourModes) {
  const LoopProgram program = hidaListing();
  const std::vector<Record> published = readRecords("hida_parallelization.txt");
  ASSERT_EQ(published.size(), 4u);
  for (const Record& record : published) {
    const auto mode = parallelizationModeNamed(record.at("mode"));
    ASSERT_TRUE(mode);
    const auto result = parallelize(program, {*mode, 32, UnrollFactors::PowersOfTwo});
    ASSERT_TRUE(result);
    EXPECT_EQ(unrollOf(*result), numberLists(record.at("unroll"))) << record.at("mode");
    EXPECT_EQ(result->order, (std::vector<std::size_t>{2, 0, 1}));
    const std::vector<Factors> parallel = numberLists(record.at("parallel"));
    const Factors intensities = {512, 256, 4096};
    for (std::size_t nest = 0; nest < 3; ++nest) {
      EXPECT_EQ(result->nests[nest].intensity, intensities[nest]);
      EXPECT_EQ(result->nests[nest].parallel_factor, parallel[nest][0]);
    }
  }
}

TEST(Parallelization, TheConstraintsOfTheExample) {
  const auto result = parallelize(hidaListing(), {});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->nests[2].constraints.empty());
  EXPECT_EQ(result->nests[0].constraints, (Constraints{{{8, 1}, {1, 1}}}));
  EXPECT_EQ(result->nests[1].constraints, (Constraints{{{1, 1}, {8, 1}}}));
}

/// Ten of the twelve published partitions follow from the published unroll factors; those of array B without
/// connections do not, and would need other factors of Node1.
TEST(Parallelization, ThePublishedPartitionsAndTheTwoThatContradictTheirFactors) {
  const LoopProgram program = hidaListing();
  std::vector<std::string> contradictions;
  for (const Record& record : readRecords("hida_parallelization.txt")) {
    const std::vector<Factors> unroll = numberLists(record.at("unroll"));
    const std::vector<ArrayPartition> partitions = partitionArrays(program, unroll);
    EXPECT_EQ(factorsOf(partitions), numberLists(record.at("follows"))) << record.at("mode");
    const std::vector<Factors> published = numberLists(record.at("partition"));
    const std::vector<Factors> banks = numberLists(record.at("banks"));
    for (std::size_t array = 0; array < 3; ++array) {
      EXPECT_EQ(published[array][0] * published[array][1], banks[array][0]);
      if (factorsOf(partitions)[array] == published[array])
        EXPECT_EQ(partitions[array].banks(), banks[array][0]);
      else
        contradictions.push_back(record.at("mode") + " " + program.arrays[array].name);
    }
  }
  EXPECT_EQ(contradictions, (std::vector<std::string>{"ia B", "naive B"}));
  const std::vector<Factors> other_ia = {{2, 2}, {2, 1}, {4, 8, 1}};
  EXPECT_EQ(factorsOf(partitionArrays(program, other_ia))[1], (Factors{2, 8}));
  const std::vector<Factors> other_naive = {{4, 8}, {8, 4}, {4, 8, 1}};
  EXPECT_EQ(factorsOf(partitionArrays(program, other_naive))[1], (Factors{8, 8}));
}

/// What the distribution is for, worst last: iterations that are not used, unrolled reductions, banks of the
/// array shared with the one neighbour, the largest factor.
using Score = std::array<std::int64_t, 4>;

Score scoreOf(const LoopNest& nest, const Constraints& constraints, const Factors& factors) {
  Score score{-1, 1, 1, 1};
  for (std::size_t loop = 0; loop < factors.size(); ++loop) {
    score[0] *= factors[loop];
    if (nest.loops[loop].kind == LoopKind::Reduction) score[1] *= factors[loop];
    std::int64_t banks = factors[loop];
    for (const std::vector<Ratio>& constraint : constraints)
      banks = std::max(banks, constraint[loop].numerator / constraint[loop].denominator);
    if (nest.loops[loop].kind == LoopKind::Parallel) score[2] *= banks;
    score[3] = std::max(score[3], factors[loop]);
  }
  return score;
}

/// Every vector of powers of two that divide the extents, go with the constraints and stay within the budget.
void forEachLegal(const LoopNest& nest, const NestParallelization& decided,
                  const std::function<void(const Factors&)>& body) {
  Factors factors(nest.loops.size(), 1);
  const std::function<void(std::size_t, std::int64_t)> extend = [&](std::size_t loop, std::int64_t left) {
    if (loop == factors.size()) return body(factors);
    for (std::int64_t factor = 1; factor <= left && nest.loops[loop].extent % factor == 0; factor *= 2) {
      const bool legal = std::all_of(decided.constraints.begin(), decided.constraints.end(),
                                     [&](const std::vector<Ratio>& constraint) {
                                       const Ratio& ratio = constraint[loop];
                                       const std::int64_t own = factor * ratio.denominator;
                                       return own % ratio.numerator == 0 || ratio.numerator % own == 0;
                                     });
      if (!legal) continue;
      factors[loop] = factor;
      extend(loop + 1, left / factor);
    }
    factors[loop] = 1;
  };
  extend(0, decided.parallel_factor);
}

TEST(Parallelization, NoLegalFactorsOfANestWithOneNeighbourAreBetter) {
  SplitMix64 random(41);
  int constrained = 0;
  for (int round = 0; round < 2000; ++round) {
    const LoopProgram program = randomPair(random);
    ASSERT_EQ(text(check(program)), "");
    const std::int64_t factor = std::int64_t{1} << random.below(8);
    const ParallelizationMode mode = modes[random.below(4)];
    const auto result = parallelize(program, {mode, factor, UnrollFactors::PowersOfTwo});
    ASSERT_TRUE(result);
    for (std::size_t n = 0; n < program.nests.size(); ++n) {
      const LoopNest& nest = program.nests[n];
      const NestParallelization& decided = result->nests[n];
      if (!decided.constraints.empty()) ++constrained;
      const Score chosen = scoreOf(nest, decided.constraints, decided.unroll);
      Score best = chosen;
      bool among_legal = false;
      forEachLegal(nest, decided, [&](const Factors& factors) {
        best = std::min(best, scoreOf(nest, decided.constraints, factors));
        among_legal = among_legal || factors == decided.unroll;
      });
      EXPECT_TRUE(among_legal);
      EXPECT_EQ(chosen, best) << "round " << round << " nest " << n << " " << text(mode) << " " << factor;
    }
  }
  EXPECT_GT(constrained, 500);
}

TEST(Parallelization, FactorsStayWithinTheBudgetDivideTheirLoopsAndSuitTheirNeighbours) {
  SplitMix64 random(7);
  for (int round = 0; round < 3000; ++round) {
    const LoopProgram program = randomChain(random);
    ASSERT_EQ(text(check(program)), "");
    const auto most = static_cast<std::int64_t>(1 + random.below(300));
    const UnrollFactors allowed = random.below(2) ? UnrollFactors::Divisors : UnrollFactors::PowersOfTwo;
    const auto result = parallelize(program, {modes[random.below(4)], most, allowed});
    ASSERT_TRUE(result);
    for (std::size_t n = 0; n < program.nests.size(); ++n) {
      const NestParallelization& nest = result->nests[n];
      EXPECT_LE(nest.unrolled(), nest.parallel_factor);
      EXPECT_LE(nest.parallel_factor, most);
      for (std::size_t loop = 0; loop < nest.unroll.size(); ++loop) {
        EXPECT_EQ(program.nests[n].loops[loop].extent % nest.unroll[loop], 0);
        if (nest.unroll[loop] == 1) continue;
        for (const std::vector<Ratio>& constraint : nest.constraints)
          EXPECT_TRUE(mutuallyDivisible(nest.unroll[loop], constraint[loop]));
      }
      for (std::size_t other = 0; other < program.nests.size(); ++other)
        EXPECT_TRUE(result->nests[other].intensity > nest.intensity ||
                    result->nests[other].parallel_factor <= nest.parallel_factor);
    }
  }
}

TEST(Parallelization, MoreWorkNeverGetsFewerIterationsAtOnce) {
  SplitMix64 random(11);
  for (int round = 0; round < 300; ++round) {
    LoopProgram program{{{"a", {64, 64}, 32}}, {}};
    for (std::size_t n = 0; n < 5; ++n) {
      const auto operations = static_cast<std::int64_t>(1 + random.below(100));
      program.nests.push_back({"n" + std::to_string(n),
                               {{"i", 64, LoopKind::Parallel}, {"j", 64, LoopKind::Parallel}},
                               {{0, false, {{0, 1, 0}, {1, 1, 0}}}},
                               operations});
    }
    const auto most = static_cast<std::int64_t>(1 + random.below(4096));
    const auto result = parallelize(program, {ParallelizationMode::Intensity, most, {}});
    ASSERT_TRUE(result);
    for (const NestParallelization& one : result->nests) {
      for (const NestParallelization& other : result->nests)
        EXPECT_TRUE(one.intensity > other.intensity || one.unrolled() <= other.unrolled());
      EXPECT_GT(2 * one.unrolled(), one.parallel_factor);
    }
  }
}

/// What the paper's ablation shows: with both, a producer and its consumer need no more banks between them.
TEST(Parallelization, KnowingBothNeverTakesMoreBanksForTheSharedArray) {
  SplitMix64 random(19);
  int fewer = 0;
  for (int round = 0; round < 2000; ++round) {
    const LoopProgram program = randomPair(random);
    const std::int64_t most = std::int64_t{1} << random.below(8);
    const auto banks = [&](ParallelizationMode mode) {
      return partitionArrays(program, unrollOf(*parallelize(program, {mode, most, {}})))[0].banks();
    };
    const std::int64_t aware = banks(ParallelizationMode::IntensityAndConnection);
    EXPECT_LE(aware, banks(ParallelizationMode::Naive)) << "round " << round;
    if (aware < banks(ParallelizationMode::Naive)) ++fewer;
  }
  EXPECT_GT(fewer, 200);
}

/// Every copy that runs at once finds each of its elements in a bank of its own.
TEST(ArrayPartition, ElementsUsedAtOnceLieInDifferentBanks) {
  SplitMix64 random(3);
  int strided = 0;
  for (int round = 0; round < 2000; ++round) {
    const LoopProgram program = randomPair(random);
    const auto result = parallelize(program, {modes[random.below(4)], 64, UnrollFactors::PowersOfTwo});
    ASSERT_TRUE(result);
    const std::vector<ArrayPartition> partitions = partitionArrays(program, unrollOf(*result));
    for (std::size_t n = 0; n < program.nests.size(); ++n) {
      for (const ArrayAccess& access : program.nests[n].accesses) {
        for (std::size_t k = 0; k < access.indices.size(); ++k) {
          const AccessIndex& index = access.indices[k];
          const std::int64_t factor = partitions[access.array].dimensions[k].factor;
          std::vector<std::int64_t> banks;
          for (std::int64_t copy = 0; copy < result->nests[n].unroll[*index.loop]; ++copy)
            banks.push_back((index.scale * copy + index.offset) % factor);
          std::sort(banks.begin(), banks.end());
          EXPECT_EQ(std::adjacent_find(banks.begin(), banks.end()), banks.end());
          if (index.scale > 1 && banks.size() > 1) ++strided;
        }
      }
    }
  }
  EXPECT_GT(strided, 50);
}

TEST(ArrayPartition, StencilsAndIndicesWithoutACommonStride) {
  LoopProgram program{{{"a", {34}, 32}, {"b", {32}, 32}}, {}};
  LoopNest nest{"stencil", {{"i", 32, LoopKind::Parallel}}, {{1, true, {{0, 1, 0}}}}, 1};
  for (const std::int64_t offset : {0, 1, 2}) nest.accesses.push_back({0, false, {{0, 1, offset}}});
  program.nests = {nest};
  ASSERT_EQ(text(check(program)), "");
  const auto at = [&](std::int64_t unroll) {
    return partitionArrays(program, std::vector<Factors>{{unroll}})[0].dimensions[0];
  };
  EXPECT_EQ(at(1), (DimensionPartition{3, PartitionKind::Cyclic}));
  EXPECT_EQ(at(4), (DimensionPartition{6, PartitionKind::Cyclic}));
  program.nests[0].accesses[2].indices[0].offset = 0;  // 0, 0 and 2
  EXPECT_EQ(at(1), (DimensionPartition{4, PartitionKind::Cyclic}));
  program.nests[0].accesses[2].indices[0].offset = 1;
  program.nests[0].accesses.erase(program.nests[0].accesses.begin() + 1);
  EXPECT_EQ(at(1), (DimensionPartition{2, PartitionKind::Cyclic}));
  program.nests[0].accesses.push_back({0, false, {{std::nullopt, 1, 33}}});
  EXPECT_EQ(at(1), (DimensionPartition{2, PartitionKind::Cyclic}));
  program.nests[0].accesses.push_back({0, false, {{0, 1, 4}}});  // 1, 2 and 4
  EXPECT_EQ(at(1), (DimensionPartition{3, PartitionKind::Block}));
}

TEST(Parallelization, Refusals) {
  const LoopProgram program = hidaListing();
  for (const std::int64_t factor : {std::int64_t{0}, std::int64_t{-4}, largest_parallel_factor + 1}) {
    const auto result = parallelize(program, {ParallelizationMode::Naive, factor, {}});
    ASSERT_FALSE(result);
    EXPECT_THAT(text(result.diagnostics()), HasSubstr("give 1 to 16384"));
  }
  LoopProgram broken = program;
  broken.nests[2].accesses[0].indices[0].scale = 3;
  EXPECT_FALSE(parallelize(broken, {}));
}

}  // namespace sluice::parallelization_test

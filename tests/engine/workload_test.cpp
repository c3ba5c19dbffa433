// Inputs of a workload: the synthetic routing keeps its promises, and a trace that does not fit is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "engine/core/random.h"
#include "engine/explorer/evaluate.h"
#include "engine/explorer/routing.h"
#include "tests/engine/support/npy.h"

namespace sluice::workload_test {

using testing::HasSubstr;

Input routing(std::int64_t tokens, std::int64_t top_k, std::int64_t experts,
              std::vector<std::int64_t> counts = {}, std::uint64_t seed = 1) {
  Input input;
  input.name = "routing";
  input.kind = InputKind::Routing;
  input.tokens = tokens;
  input.top_k = top_k;
  input.experts = experts;
  input.counts = std::move(counts);
  input.seed = seed;
  return input;
}

Document documentWith(Input input) {
  Document document;
  document.inputs.push_back(std::move(input));
  return document;
}

std::vector<std::int64_t> countsOf(const IntTensor& tensor, std::size_t experts) {
  std::vector<std::int64_t> counts(experts);
  for (std::int64_t expert : tensor.data) ++counts.at(static_cast<std::size_t>(expert));
  return counts;
}

void expectDifferentExpertsPerToken(const IntTensor& tensor) {
  const std::size_t k = tensor.shape.at(1);
  for (std::size_t t = 0; t < tensor.shape[0]; ++t) {
    const auto row = tensor.data.begin() + static_cast<std::ptrdiff_t>(t * k);
    EXPECT_EQ(std::set<std::int64_t>(row, row + static_cast<std::ptrdiff_t>(k)).size(), k) << "token " << t;
  }
}

/// Counts that some routing has: those of a uniform one, made uneven by moving tokens between experts.
std::vector<std::int64_t> feasibleCounts(SplitMix64& random, std::int64_t tokens, std::int64_t top_k,
                                         std::int64_t experts) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(experts));
  for (std::int64_t left = tokens * top_k; left > 0;) {
    std::int64_t& count = counts[random.below(counts.size())];
    if (count == tokens) continue;
    const auto more =
        std::min<std::int64_t>({left, tokens - count, 1 + static_cast<std::int64_t>(random.below(8))});
    count += more;
    left -= more;
  }
  return counts;
}

TEST(SyntheticRouting, MeetsItsCountsExactly) {
  SplitMix64 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto experts = 1 + static_cast<std::int64_t>(random.below(20));
    const auto top_k = 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(experts)));
    const auto tokens = 1 + static_cast<std::int64_t>(random.below(50));
    const std::vector<std::int64_t> counts = feasibleCounts(random, tokens, top_k, experts);
    const Result<IntTensor> tensor = syntheticRouting(routing(tokens, top_k, experts, counts, random.next()));
    ASSERT_TRUE(tensor) << text(tensor.diagnostics());
    EXPECT_EQ(tensor->shape,
              (std::vector<std::size_t>{static_cast<std::size_t>(tokens), static_cast<std::size_t>(top_k)}));
    EXPECT_EQ(countsOf(*tensor, counts.size()), counts);
    expectDifferentExpertsPerToken(*tensor);
  }
}

TEST(SyntheticRouting, UniformWithoutCounts) {
  const Result<IntTensor> tensor = syntheticRouting(routing(8000, 2, 8));
  ASSERT_TRUE(tensor);
  expectDifferentExpertsPerToken(*tensor);
  for (std::int64_t count : countsOf(*tensor, 8)) EXPECT_NEAR(static_cast<double>(count), 2000, 200);
}

TEST(SyntheticRouting, TheSeedDecidesAlone) {
  const std::vector<std::int64_t> counts = {13, 10, 17, 14, 17, 10, 24, 23};
  const Result<IntTensor> one = syntheticRouting(routing(64, 2, 8, counts, 1));
  const Result<IntTensor> again = syntheticRouting(routing(64, 2, 8, counts, 1));
  const Result<IntTensor> other = syntheticRouting(routing(64, 2, 8, counts, 2));
  ASSERT_TRUE(one && again && other);
  EXPECT_EQ(*one, *again);
  EXPECT_NE(*one, *other);
}

TEST(SyntheticRouting, IsShuffled) {
  const Result<IntTensor> tensor = syntheticRouting(routing(64, 2, 8, std::vector<std::int64_t>(8, 16), 1));
  ASSERT_TRUE(tensor);
  std::set<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::size_t t = 0; t < 64; ++t) pairs.emplace(tensor->data[2 * t], tensor->data[2 * t + 1]);
  EXPECT_GT(pairs.size(), 25u)
      << "experts that always travel together are no random routing";  // of 56; dealt out unmixed they are 4
}

/// SplitMix64's published sequence for seed 1234567: the generator is the same everywhere.
TEST(SyntheticRouting, GeneratorIsSplitMix64) {
  SplitMix64 random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(SyntheticRouting, SaysWhyItCannotBe) {
  const std::vector<std::pair<Input, std::string>> cases = {
      {routing(64, 2, 8, {13, 10, 17, 14, 17, 10, 24, 22}), "sum to 127"},
      {routing(10, 1, 2, {11, -1}), "expert 0 is to get 11"},
      {routing(10, 1, 2, {10, -1}), "expert 1 is to get -1"},
      {routing(10, 2, 3, {10, 10}), "2 counts for 3 experts"},
      {routing(10, 4, 3), "4 different experts"},
      {routing(0, 1, 3), "at least one token"},
      {routing(5, 0, 3), "at least one token"},
      {routing(5, 1, 0), "at least one token"},
      {routing(std::int64_t{1} << 62, 4, 8), "more than"},
  };
  for (const auto& [input, part] : cases) {
    const Result<IntTensor> tensor = syntheticRouting(input);
    ASSERT_FALSE(tensor) << part;
    EXPECT_THAT(tensor.diagnostics().front().cause, HasSubstr(part));
    EXPECT_THAT(text(tensor.diagnostics().front().place), HasSubstr("routing"));
    EXPECT_FALSE(tensor.diagnostics().front().fix.empty());
  }
}

TEST(Workload, TakesInlineData) {
  Input input = routing(2, 2, 4);
  input.data = IntTensor{{2, 2}, {0, 3, 2, 1}};
  const auto workload = makeWorkload(documentWith(input), ".");
  ASSERT_TRUE(workload) << text(workload.diagnostics());
  const InputData& data = (*workload)->inputs.at("routing");
  EXPECT_EQ(data.tensor, *input.data);
  EXPECT_EQ(data.experts, 4);
  EXPECT_EQ(data.kind, InputKind::Routing);
}

TEST(Workload, RefusesTracesThatDoNotFit) {
  const std::vector<std::pair<IntTensor, std::string>> cases = {
      {{{2, 2}, {0, 4, 2, 1}}, "token 0 goes to expert 4; experts are numbered 0 to 3"},
      {{{2, 2}, {0, 1, -1, 1}}, "token 1 goes to expert -1"},
      {{{2, 2}, {0, 1, 3, 3}}, "token 1 goes twice to expert 3"},
      {{{4}, {0, 1, 2, 3}}, "this has 1"},
      {{{3, 2}, {0, 1, 0, 1, 0, 1}}, "3 tokens; the document's input has 2"},
      {{{2, 1}, {0, 1}}, "1 experts per token"},
      {{{0, 2}, {}}, "no values"},
  };
  for (const auto& [data, part] : cases) {
    Input input = routing(2, 2, 4);
    input.data = data;
    const auto workload = makeWorkload(documentWith(input), ".");
    ASSERT_FALSE(workload) << part;
    EXPECT_THAT(workload.diagnostics().front().cause, HasSubstr(part));
    EXPECT_THAT(workload.diagnostics().front().cause, HasSubstr("does not fit"));
  }
}

TEST(Workload, RefusesNegativeLengths) {
  Input input;
  input.name = "lengths";
  input.kind = InputKind::Lengths;
  input.data = IntTensor{{3}, {5, 0, -2}};
  const auto workload = makeWorkload(documentWith(input), ".");
  ASSERT_FALSE(workload);
  EXPECT_THAT(workload.diagnostics().front().cause, HasSubstr("length number 2 is -2"));
}

TEST(Workload, NamesMissingFilesAndInputs) {
  Input input = routing(2, 2, 4);
  input.file = "no_such_trace.npz";
  const auto missing = makeWorkload(documentWith(input), "/tmp");
  ASSERT_FALSE(missing);
  EXPECT_THAT(text(missing.diagnostics().front().place), HasSubstr("input 'routing'"));
  EXPECT_THAT(text(missing.diagnostics().front().place), HasSubstr("no_such_trace.npz"));
  const auto unknown = makeWorkload(documentWith(routing(2, 2, 4)), ".", {{"routin", "x.npy"}});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.diagnostics().front().fix, HasSubstr("routing"));
}

TEST(Workload, ATraceReplacesTheSyntheticOne) {
  const std::vector<std::int64_t> counts{20, 4, 17, 14, 17, 10, 24, 22};
  const auto drawn = makeWorkload(documentWith(routing(64, 2, 8, counts, 7)), ".");
  ASSERT_TRUE(drawn) << text(drawn.diagnostics());
  const IntTensor trace = (*drawn)->inputs.at("routing").tensor;
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "sluice_workload_trace.npy";
  writeNpy(file, trace);
  const auto workload = makeWorkload(documentWith(routing(64, 2, 8)), ".", {{"routing", file}});
  ASSERT_TRUE(workload) << text(workload.diagnostics());
  EXPECT_EQ((*workload)->inputs.at("routing").tensor.data, trace.data);
  EXPECT_EQ(countsOf((*workload)->inputs.at("routing").tensor, 8), counts);
  const auto misfit = makeWorkload(documentWith(routing(32, 2, 8)), ".", {{"routing", file}});
  ASSERT_FALSE(misfit);
  EXPECT_THAT(misfit.diagnostics().front().cause, HasSubstr("64 tokens"));
  std::filesystem::remove(file);
}

}  // namespace sluice::workload_test

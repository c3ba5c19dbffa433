// Rewrites of dataflow designs. Whatever legal sequence is applied to a block of any model, under any tiling
// and fusion plan: the design verifies after every step and the results are the same bits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_values.h"
#include "engine/tensor/dataflow/materialise.h"
#include "engine/tensor/dataflow/rewrites.h"
#include "tests/engine/support/tensor_designs.h"

namespace sluice::dataflow_rewrites_test {

using testing_support::denseResults;
using testing_support::fusedBlock;
using testing_support::randomPlan;
using testing_support::scaledDown;

/// A random rewrite, then a random place of it, so that rare ones have their turn.
std::optional<RewriteChoice> randomChoice(const DataflowDesign& design, SplitMix64& random) {
  std::map<std::string_view, std::vector<RewriteChoice>> choices;
  for (RewriteChoice& choice : applicablePlaces(design))
    choices[choice.rewrite->name].push_back(std::move(choice));
  if (choices.empty()) return {};
  const auto& places =
      std::next(choices.begin(), static_cast<std::ptrdiff_t>(random.below(choices.size())))->second;
  return places[random.below(places.size())];
}

/// Abstract, with converters that nobody has shared yet, or materialised.
DataflowDesign randomStart(const DataflowDesign& abstract, SplitMix64& random) {
  switch (random.below(3)) {
    case 0:
      return abstract;
    case 1:
      return applyEverywhere(abstract, **rewriteNamed("materialise converter"))->after;
    default:
      return *materialised(abstract);
  }
}

TEST(DataflowRewrites, RandomSequencesChangeNothingThatLeaves) {
  SplitMix64 random(11);
  std::map<std::string_view, int> used;
  for (const TransformerModel& model : publishedModels())
    for (const BlockPhase phase : {promptPhase(4), decodePhase(6)})
      for (const std::int64_t tile : {1, 2, 3, 4, 5, 6, 7, 8}) {
        const TensorProgram program = fusedBlock(scaledDown(model), phase);
        const std::vector<FloatTensor> expected = denseResults(program);
        const FusionPlan plan = randomPlan(fusionGraph(program, tile)->graph, 1 + random.below(6), random);
        const DataflowDesign start = randomStart(*abstractDesign(program, plan, tile), random);
        DataflowDesign design = start;
        std::string told = program.name + ", tile " + std::to_string(tile);
        for (int step = 0; step < 25; ++step) {
          const auto choice = randomChoice(design, random);
          if (!choice) break;
          told += "\n" + text(design, *choice);
          const auto done = applyRewrite(design, *choice);
          ASSERT_TRUE(done) << told << "\n" << text(done.diagnostics());
          design = done->after;
          ++used[choice->rewrite->name];
          const auto results = designResults(design);
          ASSERT_TRUE(results) << told << "\n" << text(results.diagnostics());
          ASSERT_TRUE(*results == expected) << told;
        }
      }
  for (const DataflowRewrite& rewrite : dataflowRewrites()) EXPECT_GT(used[rewrite.name], 3) << rewrite.name;
}

DataflowDesign qwen() {
  const TensorProgram program = fusedBlock(scaledDown(qwenHalfBillion()), promptPhase(4));
  SplitMix64 random(2);
  return *abstractDesign(program, randomPlan(fusionGraph(program, 2)->graph, 1, random), 2);
}

/// A schedule as a compiler would run it, by names: everything materialised, packed, widened, folded.
TEST(DataflowRewrites, AScheduleByNames) {
  DataflowDesign design = qwen();
  const std::vector<FloatTensor> expected = denseResults(design.program);
  std::vector<RewriteStep> steps;
  for (const char* name :
       {"materialise converter", "share converter", "materialise load", "materialise store", "pack", "widen",
        "drop reshape", "vectorise", "unvectorise", "fold"}) {
    const auto done = applyEverywhere(design, **rewriteNamed(name));
    ASSERT_TRUE(done) << text(done.diagnostics());
    steps.push_back(*done);
    design = done->after;
    EXPECT_TRUE(applicablePlaces(design, **rewriteNamed(name)).empty()) << name;
    EXPECT_TRUE(*designResults(design) == expected) << name;
  }
  EXPECT_EQ(steps[1].text, "share converter, 2 times");  // one for query, key and value, one for gate and up
  for (std::size_t i = 1; i < steps.size(); ++i)
    EXPECT_EQ(steps[i].summary_before, steps[i - 1].summary_after);
  // Sharing saves buffers, packing bursts, widening accesses, dropping a reshape tasks, folding both.
  EXPECT_LT(steps[1].summary_after.on_chip_bytes, steps[1].summary_before.on_chip_bytes);
  EXPECT_LT(steps[4].summary_after.external_bursts, steps[4].summary_before.external_bursts);
  EXPECT_LT(steps[5].summary_after.external_accesses, steps[5].summary_before.external_accesses);
  EXPECT_LT(steps[6].summary_after.tasks, steps[6].summary_before.tasks);
  EXPECT_LT(steps[9].summary_after.on_chip_bytes, steps[9].summary_before.on_chip_bytes);
  EXPECT_LT(steps[9].summary_after.fifo_words, steps[9].summary_before.fifo_words);
  EXPECT_EQ(difference(steps[0].summary_before, steps[0].summary_before), "no change");
  EXPECT_THAT(difference(steps[5].summary_before, steps[5].summary_after),
              testing::StartsWith("external accesses "));
  EXPECT_THAT(text(steps[0].summary_after), testing::HasSubstr("converters "));
}

TEST(DataflowRewrites, PlacesHaveNamesOfTheirOwn) {
  const DataflowDesign design = *materialised(qwen());
  std::set<std::string> names;
  for (const RewriteChoice& choice : applicablePlaces(design)) {
    EXPECT_TRUE(names.insert(text(design, choice)).second) << text(design, choice);
    const auto again = choiceNamed(design, choice.rewrite->name, placeName(design, choice.place));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->place, choice.place);
    EXPECT_EQ(again->argument, choice.argument);
  }
  EXPECT_GT(names.size(), 100u);
}

TEST(DataflowRewrites, NamesThatDoNotExist) {
  const DataflowDesign design = qwen();
  EXPECT_THAT(text(rewriteNamed("melt").diagnostics()), testing::HasSubstr("share converter"));
  EXPECT_THAT(text(choiceNamed(design, "melt", "0").diagnostics()), testing::HasSubstr("'melt'"));
  EXPECT_THAT(text(choiceNamed(design, "fold", "a -> b").diagnostics()),
              testing::HasSubstr("no such stream"));
  // Legal names, illegal step.
  for (const auto& choice :
       {choiceNamed(design, "merge loads", "query"), choiceNamed(design, "fuse groups", "0"),
        choiceNamed(design, "pack", "x", {7, 7})}) {
    ASSERT_TRUE(choice);
    const auto refused = applyRewrite(design, *choice);
    ASSERT_FALSE(refused) << text(design, *choice);
    EXPECT_EQ(refused.diagnostics().front().code, "illegal-rewrite") << text(design, *choice);
  }
}

}  // namespace sluice::dataflow_rewrites_test

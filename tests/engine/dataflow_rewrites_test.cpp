// Rewrites of dataflow designs. Whatever legal sequence is applied to a block of any model, under any tiling
// and fusion plan: the design verifies after every step and the results are the same bits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "engine/tensor/dataflow_graph.h"
#include "engine/tensor/dataflow_values.h"
#include "engine/tensor/materialise.h"
#include "engine/tensor/rewrites.h"
#include "tests/engine/support/tensor_designs.h"

namespace sluice {
namespace {

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

TEST(DataflowRewrites, RandomSequencesChangeNothingThatLeaves) {
  SplitMix64 random(11);
  std::map<std::string_view, int> used;
  for (const TransformerModel& model : publishedModels())
    for (const BlockPhase phase : {promptPhase(4), decodePhase(6)})
      for (const std::int64_t tile : {1, 2, 3, 4, 5, 6, 7, 8}) {
        const TensorProgram program = fusedBlock(scaledDown(model), phase);
        const std::vector<FloatTensor> expected = denseResults(program);
        const FusionPlan plan = randomPlan(fusionGraph(program, tile)->graph, 1 + random.below(6), random);
        RewriteHistory history(*abstractDesign(program, plan, tile));
        if (random.below(2) == 0) history = RewriteHistory(*materialised(history.design()));
        const DataflowDesign start = history.design();
        std::string told = program.name + ", tile " + std::to_string(tile);
        for (int step = 0; step < 40; ++step) {
          const auto choice = randomChoice(history.design(), random);
          if (!choice) break;
          told += "\n" + text(history.design(), *choice);
          const auto done = history.apply(*choice);
          ASSERT_TRUE(done) << told << "\n" << text(done.diagnostics());
          ++used[choice->rewrite->name];
          const auto results = designResults(history.design());
          ASSERT_TRUE(results) << told << "\n" << text(results.diagnostics());
          ASSERT_TRUE(*results == expected) << told;
        }
        while (history.undo()) {
        }
        EXPECT_TRUE(history.design() == start);
      }
  for (const DataflowRewrite& rewrite : dataflowRewrites()) EXPECT_GT(used[rewrite.name], 3) << rewrite.name;
}

}  // namespace
}  // namespace sluice

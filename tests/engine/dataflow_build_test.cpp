// Dataflow designs of transformer blocks: built, materialised, and the mistakes that verify() finds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tensor/dataflow_graph.h"
#include "engine/tensor/materialise.h"
#include "tests/engine/support/tensor_designs.h"

namespace sluice {
namespace {

using testing::HasSubstr;
using testing_support::fusedBlock;
using testing_support::randomPlan;
using testing_support::scaledDown;

std::size_t count(const DataflowDesign& design, TaskKind kind) {
  return static_cast<std::size_t>(std::count_if(design.tasks.begin(), design.tasks.end(),
                                                [&](const Task& task) { return task.kind == kind; }));
}

TEST(DataflowBuild, BlocksOfAllModelsUnderAnyPlan) {
  SplitMix64 random(7);
  for (const TransformerModel& model : publishedModels())
    for (const BlockPhase phase : {promptPhase(4), decodePhase(6)})
      for (const std::int64_t tile : {1, 2, 3, 4, 8}) {
        const TensorProgram program = fusedBlock(scaledDown(model), phase);
        const ProgramFusion fusion = *fusionGraph(program, tile);
        for (const std::size_t groups : {1, 2, 5, 9}) {
          SCOPED_TRACE(program.name + ", tile " + std::to_string(tile) + ", groups " +
                       std::to_string(groups));
          const FusionPlan plan = randomPlan(fusion.graph, groups, random);
          const auto abstract = abstractDesign(program, plan, tile);
          ASSERT_TRUE(abstract) << text(abstract.diagnostics());
          EXPECT_EQ(count(*abstract, TaskKind::Compute), fusion.operators.size());
          const auto made = materialised(*abstract);
          ASSERT_TRUE(made) << text(made.diagnostics());
          EXPECT_EQ(text(verify(*made)), "");
          for (const DataflowStream& stream : made->streams) EXPECT_FALSE(needsConverter(*made, stream));
        }
      }
}

}  // namespace
}  // namespace sluice

// The interpreter of dataflow designs against the dense reference, and both against numbers known otherwise.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tensor/dataflow_values.h"
#include "engine/tensor/materialise.h"
#include "engine/tensor/tensor_values.h"
#include "tests/engine/support/tensor_designs.h"

namespace sluice {
namespace {

using testing_support::denseResults;
using testing_support::fusedBlock;
using testing_support::randomPlan;
using testing_support::scaledDown;

TEST(DataflowValues, DesignsComputeWhatTheProgramDoes) {
  SplitMix64 random(7);
  for (const TransformerModel& model : publishedModels())
    for (const BlockPhase phase : {promptPhase(4), decodePhase(6)})
      for (const std::int64_t tile : {1, 2, 3, 4, 5, 6, 7, 8}) {
        const TensorProgram program = fusedBlock(scaledDown(model), phase);
        const std::vector<FloatTensor> expected = denseResults(program);
        const ProgramFusion fusion = *fusionGraph(program, tile);
        for (const std::size_t groups : {1, 3, 9}) {
          SCOPED_TRACE(program.name + ", tile " + std::to_string(tile) + ", groups " +
                       std::to_string(groups));
          const auto abstract = abstractDesign(program, randomPlan(fusion.graph, groups, random), tile);
          ASSERT_TRUE(abstract) << text(abstract.diagnostics());
          const auto computed = designResults(*abstract);
          ASSERT_TRUE(computed) << text(computed.diagnostics());
          EXPECT_TRUE(*computed == expected);
          const auto made = materialised(*abstract);
          ASSERT_TRUE(made) << text(made.diagnostics());
          const auto again = designResults(*made);
          ASSERT_TRUE(again) << text(again.diagnostics());
          EXPECT_TRUE(*again == expected);
        }
      }
}

}  // namespace
}  // namespace sluice

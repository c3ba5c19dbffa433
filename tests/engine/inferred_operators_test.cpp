// Broadcasts that elaboration puts in are marked, not recognised by their name: a node may be called
// 'broadcast' and is a node like any other.

#include <gtest/gtest.h>

#include "engine/explorer/evaluate.h"
#include "engine/explorer/explore.h"
#include "engine/workloads/workload_builder.h"
#include "tests/engine/support/documents.h"

namespace sluice::inferred_operators_test {

using namespace testing_support;

void rename(Graph& graph, const std::string& from, const std::string& to) {
  for (Node& node : graph.nodes) {
    if (node.name == from) node.name = to;
    if (node.body) rename(node.body->body, from, to);
  }
  for (Stream& stream : graph.streams)
    for (Endpoint* end : {&stream.from, &stream.to})
      if (end->node == from) end->node = to;
}

/// The MoE layer, with its weight load called `name`.
std::shared_ptr<const Workload> layerWithLoadCalled(const std::string& name) {
  Document document = *buildWorkload("moe");
  rename(document.program, "up_load", name);
  for (ScheduleStep& step : document.schedule)
    for (auto& [argument, value] : step.arguments)
      if (value == Value("expert.up_load")) value = Value("expert." + name);
  return workloadOf(std::move(document));
}

Result<PointResult> runOf(const Workload& workload) {
  return evaluate(workload, defaultKnobs(workload.document), RecordMode::Count);
}

TEST(InferredOperators, ANodeMayBeCalledBroadcast) {
  const Result<PointResult> other = runOf(*layerWithLoadCalled("othername"));
  const Result<PointResult> same = runOf(*layerWithLoadCalled("broadcast"));
  ASSERT_TRUE(other) << text(other.diagnostics());
  ASSERT_TRUE(same) << text(same.diagnostics());
  EXPECT_EQ(other->point.metrics.cycles, same->point.metrics.cycles);
  EXPECT_GT(same->point.metrics.cycles, 0u);
}

TEST(InferredOperators, AreThoseThatNoNodeGives) {
  const auto workload = layerWithLoadCalled("broadcast");
  const Result<SymbolicResult> symbolic = evaluateSymbolic(*workload, defaultKnobs(workload->document));
  ASSERT_TRUE(symbolic) << text(symbolic.diagnostics());
  std::size_t inferred = 0;
  for (const FlatOperator& op : symbolic->graph.operators) {
    inferred += op.inferred ? 1 : 0;
    if (op.origin == "expert.broadcast") {
      EXPECT_FALSE(op.inferred) << op.name;
    }
  }
  EXPECT_GT(inferred, 0u);
}

}  // namespace sluice::inferred_operators_test

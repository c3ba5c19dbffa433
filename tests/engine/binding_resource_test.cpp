// The binding resource of a run: a full FIFO is one only where it holds up somebody.

#include "engine/designer/binding_resource.h"

#include <gtest/gtest.h>

namespace sluice::binding_resource_test {

/// Operators by name, joined by streams.
FlatGraph graphOf(const std::vector<std::string>& names,
                  const std::vector<std::pair<OperatorId, OperatorId>>& streams) {
  FlatGraph graph;
  for (const std::string& name : names) graph.operators.emplace_back().name = name;
  for (const auto& [from, to] : streams) {
    const auto stream = static_cast<StreamId>(graph.streams.size());
    FlatStream& made = graph.streams.emplace_back();
    made.producer = from;
    made.consumer = to;
    graph.operators[from].outputs.push_back(stream);
    graph.operators[to].inputs.push_back(stream);
  }
  return graph;
}

/// A run of 100 cycles: busy and blocked on its output, of each operator.
PointResult runOf(const std::vector<std::pair<Cycles, Cycles>>& operators) {
  PointResult run;
  run.point.state = PointState::Done;
  run.simulation.cycles = 100;
  for (const auto& [busy, blocked] : operators) {
    OperatorStats& stats = run.simulation.operators.emplace_back();
    stats.busy = busy;
    stats.blocked_on_output = blocked;
  }
  return run;
}

TEST(BindingResource, ALoadThatRunsAheadHoldsUpNobody) {
  const FlatGraph graph = graphOf({"addresses", "load", "product"}, {{0, 1}, {1, 2}});
  const BindingResource bound = bindingResource(graph, runOf({{1, 90}, {5, 87}, {40, 0}}));
  EXPECT_EQ(bound.bottleneck, Bottleneck::Dependences);
  EXPECT_EQ(bound.where, "product");
}

TEST(BindingResource, AShortFifoBesideALongerPathHoldsUpItsFork) {
  const FlatGraph graph =
      graphOf({"source", "fork", "slow", "short", "join"}, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}});
  const BindingResource bound = bindingResource(graph, runOf({{1, 80}, {2, 70}, {40, 0}, {3, 60}, {5, 0}}));
  EXPECT_EQ(bound.bottleneck, Bottleneck::Fifo);
  EXPECT_EQ(bound.where, "fork");
  EXPECT_DOUBLE_EQ(bound.share, 0.7);
}

}  // namespace sluice::binding_resource_test

// Dataflow designs of transformer blocks: built, materialised, and the mistakes that verify() finds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/design_summary.h"
#include "engine/tensor/dataflow/materialise.h"
#include "tests/engine/support/tensor_designs.h"

namespace sluice::dataflow_build_test {

using testing::AllOf;
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
        for (const std::size_t groups : {1u, 2u, 5u, 9u}) {
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

// ---- published sizes --------------------------------------------------------------------------------------

FusionPlan oneGroup(const FusionGraph& graph) {
  return planOf(graph, std::vector<std::size_t>(graph.kernels.size(), 0), FusionMemory::DmaBuffers);
}

/// What the design needs on chip is what fusion counted for the same kernels: converters, local tiles and
/// transfers - and the FIFOs, which fusion leaves out.
TEST(DataflowBuild, OnChipBytesAreThoseThatFusionCounts) {
  for (const TransformerModel& model : publishedModels()) {
    const TensorProgram program = fusedBlock(model, promptPhase(128));
    const FusionPlan plan = oneGroup(fusionGraph(program, 16)->graph);
    const DataflowDesign design = *materialised(*abstractDesign(program, plan, 16));
    EXPECT_EQ(text(verify(design)), "");
    const DesignSummary summary = summarise(design);
    EXPECT_EQ(summary.on_chip_bytes - summary.fifo_bytes, plan.on_chip_bytes) << model.name;
  }
}

// ---- mistakes ---------------------------------------------------------------------------------------------

DataflowDesign llama() {
  const TensorProgram program = fusedBlock(scaledDown(tinyLlama()), promptPhase(4));
  SplitMix64 random(2);
  return *materialised(*abstractDesign(program, randomPlan(fusionGraph(program, 2)->graph, 2, random), 2));
}

std::string mistake(const std::function<void(DataflowDesign&)>& change) {
  DataflowDesign design = llama();
  change(design);
  const Diagnostics found = verify(design);
  for (const Diagnostic& diagnostic : found) {
    EXPECT_FALSE(diagnostic.place.empty());
    EXPECT_FALSE(diagnostic.fix.empty());
  }
  return text(found);
}

Task& first(DataflowDesign& design, TaskKind kind) {
  return *std::find_if(design.tasks.begin(), design.tasks.end(),
                       [&](const Task& task) { return task.kind == kind; });
}

TEST(DataflowBuild, ListsAreChecked) {
  EXPECT_EQ(mistake([](DataflowDesign&) {}), "");
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.layouts.pop_back(); }), HasSubstr("layouts"));
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.program.results.push_back(999); }), HasSubstr("tensor 999"));
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.tasks[1].name = d.tasks[0].name; }),
              HasSubstr("another task"));
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.tasks[0].inputs.pop_back(); }),
              AllOf(HasSubstr("'" + llama().tasks[0].name + "'"), HasSubstr("inputs")));
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.tasks[0].subject = 999; }), HasSubstr("cannot have"));
  EXPECT_THAT(mistake([](DataflowDesign& d) { first(d, TaskKind::Load).kind = TaskKind::Fork; }),
              HasSubstr("fork"));
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.tasks[0].inputs[0].tensor = 999; }), HasSubstr("tensor 999"));
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.tasks[0].inputs[0].type.loops[0].trips = 0; }),
              HasSubstr("trip count"));
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.tasks[0].inputs[0].type.loops[0].trips *= 2; }),
              HasSubstr("no stream of tensor"));
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.tasks[0].inputs[0].type.scalar.bits = 9; }),
              HasSubstr("no stream of tensor"));
  EXPECT_THAT(mistake([](DataflowDesign& d) { first(d, TaskKind::Load).outputs[0].external = true; }),
              HasSubstr("no compute task"));
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.streams[0].to.port = 99; }),
              AllOf(HasSubstr(".in99"), HasSubstr("does not exist")));
}

TEST(DataflowBuild, ConnectionsAreChecked) {
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.streams.pop_back(); }), HasSubstr("0 sources"));
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.streams.push_back(d.streams[0]); }), HasSubstr("2 sources"));
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.tasks[0].inputs[0].external = true; }),
              HasSubstr("2 sources"));
  EXPECT_THAT(mistake([](DataflowDesign& d) {
                d.tasks.push_back(first(d, TaskKind::Load));
                d.tasks.back().name = "idle";
              }),
              AllOf(HasSubstr("idle.out0"), HasSubstr("nothing reads")));
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.tasks[d.streams[0].from.task].group += 1; }),
              HasSubstr("different groups"));
  EXPECT_THAT(mistake([](DataflowDesign& d) {
                for (Task& task : d.tasks) task.group = 0;
              }),
              HasSubstr("before an earlier group"));
  // Feeding a kernel with its own result.
  EXPECT_THAT(mistake([](DataflowDesign& d) {
                const DataflowStream stream =
                    *std::find_if(d.streams.begin(), d.streams.end(), [&](const auto& s) {
                      return d.tasks[s.from.task].kind == TaskKind::Compute &&
                             d.tasks[s.to.task].kind == TaskKind::Compute;
                    });
                d.streams[*streamInto(d, {stream.from.task, 0})].from = {stream.to.task, 0};
              }),
              HasSubstr("cycle"));
}

TEST(DataflowBuild, TypesAndMemoryAreChecked) {
  EXPECT_THAT(mistake([](DataflowDesign& d) { first(d, TaskKind::Load).buffer[0] += 1; }),
              HasSubstr("one tile"));
  EXPECT_THAT(mistake([](DataflowDesign& d) { first(d, TaskKind::Converter).before_loop = 7; }),
              AllOf(HasSubstr("'convert"), HasSubstr("inside 7 loops")));
  EXPECT_THAT(mistake([](DataflowDesign& d) {
                Task& task = first(d, TaskKind::Converter);
                task.outputs = task.inputs;
              }),
              HasSubstr("the same stream"));
  EXPECT_THAT(
      mistake([](DataflowDesign& d) { std::swap(d.tasks[0].inputs[0].tensor, d.tasks[1].inputs[0].tensor); }),
      testing::Not(testing::IsEmpty()));
  // A load that leaves tiles out: no converter could make up for them.
  EXPECT_THAT(
      mistake([](DataflowDesign& d) { first(d, TaskKind::Load).outputs[0].type.loops.back().trips = 1; }),
      HasSubstr("stream 'load"));
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.streams[0].vector = {5, 5}; }), HasSubstr("do not divide"));
  EXPECT_THAT(mistake([](DataflowDesign& d) { d.streams[0].depth = 0; }), HasSubstr("depth is 0"));
  EXPECT_THAT(mistake([](DataflowDesign& d) {
                d.streams[0].folded = true;
                d.streams[0].depth = 4;
              }),
              HasSubstr("folded"));
  EXPECT_THAT(mistake([](DataflowDesign& d) {
                d.layouts[0].tile = {3, 3};
              }),
              HasSubstr("do not divide its shape"));
  EXPECT_THAT(mistake([](DataflowDesign& d) {
                d.layouts[d.tasks[0].inputs[0].tensor].vector = {4, 8};
              }),
              HasSubstr("whole words"));
  EXPECT_THAT(mistake([](DataflowDesign& d) {
                const auto named = [&](const char* name) {
                  return std::find_if(d.tasks.begin(), d.tasks.end(),
                                      [&](const Task& t) { return t.name == name; });
                };
                named("query")->subject = named("key")->subject;
              }),
              HasSubstr("another tensor"));
}

TEST(DataflowBuild, PlansOfOtherProgramsAreRefused) {
  const TensorProgram program = fusedBlock(scaledDown(tinyLlama()), promptPhase(4));
  FusionPlan plan = oneGroup(fusionGraph(program, 2)->graph);
  EXPECT_THAT(text(abstractDesign(program, plan, 0).diagnostics()), HasSubstr("tile size"));
  plan.group_of.pop_back();
  EXPECT_THAT(text(abstractDesign(program, plan, 2).diagnostics()), HasSubstr("fusion plan"));
  // Groups in an order in which they cannot run.
  plan = oneGroup(fusionGraph(program, 2)->graph);
  plan.group_of.front() = 1;
  EXPECT_THAT(text(abstractDesign(program, plan, 2).diagnostics()), HasSubstr("before an earlier group"));
}

}  // namespace sluice::dataflow_build_test

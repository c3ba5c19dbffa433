// Whole transformer blocks on the shipped platforms.

#include "engine/tensor/compiled_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/tensor/materialise.h"
#include "tests/engine/support/tensor_designs.h"

namespace sluice {
namespace {

using namespace testing_support;

DataflowDesign designOf(const TransformerModel& model, std::int64_t tokens, std::size_t groups) {
  const TensorProgram program = fusedBlock(model, promptPhase(tokens));
  const Result<ProgramFusion> fusion = fusionGraph(program, 16);
  std::vector<std::size_t> group_of(fusion->graph.kernels.size(), 0);
  const std::vector<std::size_t> order = fusionOrder(fusion->graph);
  for (std::size_t at = 0; at < order.size(); ++at) group_of[order[at]] = at * groups / order.size();
  const FusionPlan plan = planOf(fusion->graph, group_of, FusionMemory::DmaBuffers);
  const Result<DataflowDesign> design = abstractDesign(program, plan, 16);
  EXPECT_TRUE(design) << text(design.diagnostics());
  const Result<DataflowDesign> complete = materialised(*design);
  EXPECT_TRUE(complete) << text(complete.diagnostics());
  return *complete;
}

/// Every buffer of the block is somewhere, transfers are on the die at the memory, and what the dies hold is
/// what the buffers and DSPs need.
TEST(DesignPlacement, AGpt2BlockOnTheU55c) {
  const DataflowDesign design = designOf(gpt2Medium(), 128, 1);
  const Platform u55c = *platformNamed("u55c");
  const std::vector<std::int64_t> dsps(design.tasks.size(), 64);
  const Result<DesignPlacement> placement = placeDesign(design, 0, dsps, u55c);
  ASSERT_TRUE(placement) << text(placement.diagnostics());
  EXPECT_EQ(placement->tasks.size(), design.tasks.size());
  EXPECT_EQ(placement->streams.size(), design.streams.size());
  Resources wanted, used;
  for (std::size_t at = 0; at < placement->buffers.size(); ++at) {
    const PlacedBuffer& placed = placement->memory.buffers[at];
    EXPECT_EQ(placed.blocks, blocksOf(placement->buffers[at].memory, placed.memory));
    wanted[placed.memory] += placed.blocks;
  }
  wanted[Resource::Dsp] = 64 * static_cast<std::int64_t>(design.tasks.size());
  wanted[Resource::Lut] = wanted[Resource::LutRam];
  for (const Resources& die : placement->dies.used) used += die;
  EXPECT_EQ(used, wanted);
  for (std::size_t at = 0; at < placement->tasks.size(); ++at) {
    const TaskKind kind = design.tasks[placement->tasks[at]].kind;
    const bool transfer = kind == TaskKind::Load || kind == TaskKind::Store;
    EXPECT_EQ(placement->die_tasks[at].external, transfer);
    EXPECT_TRUE(!transfer || placement->dies.die[at] == u55c.memory.die);
  }
  RecordProperty("tasks", static_cast<int>(design.tasks.size()));
  RecordProperty("gap_percent",
                 static_cast<int>(100 * (1 - placement->dies.bound / placement->dies.objective)));
}

/// A stream crosses as many borders as there are between the dies of its ends, in every group of the design.
TEST(DesignPlacement, CrossingsBelongToTheDesignsStreams) {
  const DataflowDesign design = designOf(qwenHalfBillion(), 64, 3);
  const std::vector<std::int64_t> dsps(design.tasks.size(), 150);
  std::int64_t crossed = 0;
  for (std::size_t group = 0; group < 3; ++group) {
    const Result<DesignPlacement> placement = placeDesign(design, group, dsps, *platformNamed("u280"));
    ASSERT_TRUE(placement) << text(placement.diagnostics());
    std::vector<std::size_t> die(design.tasks.size(), 0);
    for (std::size_t at = 0; at < placement->tasks.size(); ++at)
      die[placement->tasks[at]] = placement->dies.die[at];
    const std::vector<std::int64_t> crossings = crossingsOf(*placement, design.streams.size());
    for (std::size_t at = 0; at < design.streams.size(); ++at) {
      const DataflowStream& stream = design.streams[at];
      const bool own = design.tasks[stream.from.task].group == group;
      const auto from = static_cast<std::int64_t>(die[stream.from.task]);
      const auto to = static_cast<std::int64_t>(die[stream.to.task]);
      EXPECT_EQ(crossings[at], own ? std::abs(from - to) : 0);
      crossed += crossings[at];
    }
  }
  EXPECT_GT(crossed, 0);
}

/// The bits of all buffers are those of the tiles, converters and FIFOs, counted from the design.
TEST(DesignPlacement, BuffersHoldWhatTheDesignHas) {
  const DataflowDesign design = designOf(scaledDown(qwenHalfBillion()), 32, 2);
  std::set<std::size_t> groups;
  for (const Task& task : design.tasks) groups.insert(task.group);
  EXPECT_EQ(groups.size(), 2u);
  std::int64_t bits = 0, expected = 0;
  for (const std::size_t group : groups) {
    for (const DesignBuffer& buffer : buffersOf(design, group)) {
      EXPECT_EQ(design.tasks[buffer.task].group, group);
      bits += buffer.memory.word_bits * buffer.memory.depth;
    }
  }
  for (const Task& task : design.tasks) {
    std::int64_t half = task.kind == TaskKind::Compute ? 0 : 1;
    for (const std::int64_t extent : task.buffer) half *= extent;
    for (const auto* ports : {&task.inputs, &task.outputs}) {
      for (const TaskPort& port : *ports)
        expected += task.kind == TaskKind::Compute ? tokenBits(port.type) : 0;
      if (!ports->empty() && (ports == &task.outputs || task.outputs.empty()))
        expected += 2 * half * ports->front().type.scalar.bits;
    }
  }
  for (const DataflowStream& stream : design.streams)
    expected += 2 * tokenBits(design.tasks[stream.from.task].outputs[stream.from.port].type);
  // Words may not divide a buffer; no task here has so narrow a one that it matters much.
  EXPECT_GE(bits, expected);
  EXPECT_LE(bits, expected + expected / 50);
}

/// Depths are sized for the crossings that the dies then have, and hold full rate there; without crossings
/// nothing changes.
TEST(DesignPlacement, DepthsFollowTheDies) {
  Platform far = *platformNamed("u55c");
  far.crossing_cycles = 500;  // much longer than on any card, so that depths must show it
  CompileOptions options;
  const TensorProgram block = *transformerBlock(gpt2Medium(), promptPhase(64), *quantisationNamed("W4A8"));
  const Result<CompiledDesign> compiled = compile(block, options);
  ASSERT_TRUE(compiled) << text(compiled.diagnostics());
  const Result<PlacedDesign> placed = placeCompiled(*compiled, options, 1, far);
  ASSERT_TRUE(placed) << text(placed.diagnostics());
  const std::size_t streams = compiled->design.streams.size();
  const std::vector<std::int64_t> crossings = crossingsOf(placed->groups.front(), streams);
  std::size_t crossed = 0, deeper = 0;
  for (std::size_t at = 0; at < streams; ++at) {
    crossed += crossings[at] > 0 ? 1 : 0;
    deeper += *placed->compiled.design.streams[at].depth > *compiled->design.streams[at].depth ? 1 : 0;
  }
  EXPECT_GT(crossed, 0u);
  EXPECT_GT(deeper, 0u);
  EXPECT_EQ(placed->compiled.timed.kernels.size(), compiled->timed.kernels.size() + crossed);
  EXPECT_GT(placed->compiled.sizing.total_bytes, placed->fifo_bytes_without_crossings);
  EXPECT_FALSE(placed->compiled.sizing.delay_conflict);
  EXPECT_FALSE(placed->compiled.sizing.verdict.stall);

  Platform near = far;
  near.crossing_cycles = 0;
  const Result<PlacedDesign> same = placeCompiled(*compiled, options, 1, near);
  ASSERT_TRUE(same);
  for (std::size_t at = 0; at < streams; ++at)
    EXPECT_EQ(same->compiled.design.streams[at].depth, compiled->design.streams[at].depth);
}

TEST(DesignPlacement, ATooSmallPlatformIsExplained) {
  const DataflowDesign design = designOf(gpt2Medium(), 128, 1);
  Platform small = *platformNamed("generic");
  for (std::int64_t& count : small.dies[0].resources.count) count /= 50;
  const Result<DesignPlacement> placement =
      placeDesign(design, 0, std::vector<std::int64_t>(design.tasks.size(), 0), small);
  ASSERT_FALSE(placement);
  EXPECT_THAT(text(placement.diagnostics()), testing::HasSubstr("on-chip memory"));
}

}  // namespace
}  // namespace sluice

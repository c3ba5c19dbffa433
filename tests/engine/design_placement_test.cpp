// Whole transformer blocks on the shipped platforms.

#include "engine/tensor/placement/compiled_placement.h"
#include "engine/tensor/placement/logic_estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/tensor/dataflow/materialise.h"
#include "engine/tensor/lowering/fifo_simulation.h"
#include "tests/engine/support/tensor_designs.h"

namespace sluice::design_placement_test {

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

/// So many DSPs for each task, and no other logic.
std::vector<Resources> dspsEach(const DataflowDesign& design, std::int64_t dsps) {
  Resources one;
  one[Resource::Dsp] = dsps;
  return std::vector<Resources>(design.tasks.size(), one);
}

/// Every buffer of the block is somewhere, transfers are on the die at the memory, and what the dies hold is
/// what the buffers and DSPs need.
TEST(DesignPlacement, AGpt2BlockOnTheU55c) {
  const DataflowDesign design = designOf(gpt2Medium(), 128, 1);
  const Platform u55c = *platformNamed("u55c");
  const Result<DesignPlacement> placement = placeDesign(design, 0, dspsEach(design, 64), u55c);
  ASSERT_TRUE(placement) << text(placement.diagnostics());
  EXPECT_EQ(placement->tasks.size(), design.tasks.size());
  EXPECT_EQ(placement->streams.size(), design.streams.size());
  Resources wanted, used;
  for (std::size_t at = 0; at < placement->buffers.size(); ++at) {
    const PlacedBuffer& placed = placement->memory.buffers[at];
    const DesignBuffer& buffer = placement->buffers[at];
    EXPECT_EQ(placed.blocks, blocksOf(buffer.memory, placed.memory));
    wanted[placed.memory] += placed.blocks;
    if (!buffer.stream) {
      wanted[Resource::Lut] += placed.memory == Resource::LutRam ? placed.blocks : 0;
      continue;
    }
    const Resources logic = fifoLogic(buffer.memory, placed);
    wanted[Resource::Lut] += logic[Resource::Lut];
    wanted[Resource::Ff] += logic[Resource::Ff];
  }
  wanted[Resource::Dsp] = 64 * static_cast<std::int64_t>(design.tasks.size());
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
  const std::vector<Resources> dsps = dspsEach(design, 150);
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
  const auto registers =
      std::ranges::count_if(placed->compiled.crossings, [](const StreamCrossing& c) { return c.cycles > 0; });
  EXPECT_GE(static_cast<std::size_t>(registers), crossed);
  EXPECT_EQ(placed->compiled.timed.kernels.size(),
            compiled->timed.kernels.size() + static_cast<std::size_t>(registers));
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

ArrayPartition banks(std::vector<std::int64_t> factors) {
  ArrayPartition partition;
  for (const std::int64_t factor : factors)
    partition.dimensions.push_back({factor, factor == 1 ? PartitionKind::None : PartitionKind::Cyclic});
  return partition;
}

const MemoryBuffer& bufferNamed(const std::vector<DesignBuffer>& buffers, const std::string& name) {
  const auto found = std::ranges::find(buffers, name, [](const DesignBuffer& b) { return b.memory.name; });
  EXPECT_NE(found, buffers.end()) << name;
  return found == buffers.end() ? buffers.front().memory : found->memory;
}

/// Counted by hand, for scalars of 8 bits. The normed tokens in 4 x 8 banks: a tile of 16x16 gives each 8
/// bytes, one a word as 16 come at once over 32 banks. A half of the converter's panel, 16x1024, has 512
/// bytes a bank, two a word, as the norm's rows fill the bus: 64 bytes at once.
TEST(DesignPlacement, ABufferInBanksIsAsManyMemories) {
  const DataflowDesign design = designOf(gpt2Medium(), 64, 1);
  const std::string panel = "convert attention norm: both halves", tile = "query: tile of attention norm";
  const std::vector<DesignBuffer> whole = buffersOf(design, 0);
  EXPECT_EQ(bufferNamed(whole, panel), (MemoryBuffer{panel, 512, 2 * 256, 2}));
  EXPECT_EQ(blocksOf(bufferNamed(whole, panel), Resource::Bram), 2 * 15);  // of 36 bits
  EXPECT_EQ(bufferNamed(whole, tile), (MemoryBuffer{tile, 128, 16, 1}));
  EXPECT_EQ(blocksOf(bufferNamed(whole, tile), Resource::LutRam), 128);

  std::vector<ArrayPartition> partitions;
  for (const TensorValue& tensor : design.program.tensors)
    partitions.push_back(tensor.name == "attention norm"
                             ? banks({4, 8})
                             : banks(std::vector<std::int64_t>(tensor.shape.size(), 1)));
  const std::vector<DesignBuffer> banked = buffersOf(design, 0, partitions);
  EXPECT_EQ(bufferNamed(banked, panel), (MemoryBuffer{panel, 16, 64 * 256, 64}));
  EXPECT_EQ(blocksOf(bufferNamed(banked, panel), Resource::Bram), 64);
  EXPECT_EQ(bufferNamed(banked, tile), (MemoryBuffer{tile, 8, 32 * 8, 32}));
  EXPECT_EQ(blocksOf(bufferNamed(banked, tile), Resource::LutRam), 32 * 8);
  // Banks beyond the tile's extent hold nothing: 64 of the 16 columns are 16. Fewer than an access takes:
  // wider words, here of 16 / 2 elements.
  partitions.assign(partitions.size(), banks({1, 64}));
  EXPECT_EQ(bufferNamed(buffersOf(design, 0, partitions), tile), (MemoryBuffer{tile, 8, 16 * 16, 16}));
  partitions.assign(partitions.size(), banks({1, 2}));
  EXPECT_EQ(bufferNamed(buffersOf(design, 0, partitions), tile), (MemoryBuffer{tile, 64, 2 * 16, 2}));
}

/// What a compiled design is placed with are its own partitions.
TEST(DesignPlacement, ACompiledDesignIsPlacedInItsBanks) {
  CompileOptions options;
  const TensorProgram block = *transformerBlock(gpt2Medium(), promptPhase(64), *quantisationNamed("W4A8"));
  const Result<CompiledDesign> compiled = compile(block, options);
  ASSERT_TRUE(compiled);
  const Result<PlacedDesign> placed = placeCompiled(*compiled, options, 1, *platformNamed("u55c"));
  ASSERT_TRUE(placed) << text(placed.diagnostics());
  std::int64_t most = 1, most_partition = 1;
  for (const DesignBuffer& buffer : placed->groups.front().buffers)
    most = std::max(most, buffer.memory.banks);
  for (const ArrayPartition& partition : compiled->partitions)
    most_partition = std::max(most_partition, partition.banks());
  EXPECT_GT(most_partition, 16);
  EXPECT_GE(most, most_partition / 2);
  EXPECT_LE(most, 2 * most_partition);
}

/// Registers between dies cost a few cycles, not the rate: what a load has asked for waits before them.
TEST(DesignPlacement, CrossingsDoNotHoldUpLoads) {
  CompileOptions options;
  options.tiling.overall_unroll_size = 12'000;
  options.tiling.accumulation_latency = 1;
  options.machine.reference_mode = options.machine.mock_bf16 = false;
  const TensorProgram block = *transformerBlock(gpt2Medium(), promptPhase(32), *quantisationNamed("W4A8"));
  const Result<CompiledDesign> compiled = compile(block, options);
  ASSERT_TRUE(compiled) << text(compiled.diagnostics());
  const Result<PlacedDesign> placed = placeCompiled(*compiled, options, 2, *platformNamed("u55c"));
  ASSERT_TRUE(placed) << text(placed.diagnostics());
  std::size_t crossing_loads = 0;
  for (std::size_t at = 0; at < placed->compiled.crossings.size(); ++at) {
    const DataflowStream& stream = placed->compiled.design.streams[at];
    crossing_loads += placed->compiled.crossings[at].cycles > 0 &&
                      placed->compiled.design.tasks[stream.from.task].kind == TaskKind::Load;
  }
  EXPECT_GT(crossing_loads, 0u);
  const auto cycles = [&](const CompiledDesign& design) {
    const Result<DepthProblem> problem = depthProblem(design, options);
    EXPECT_TRUE(problem) << text(problem.diagnostics());
    std::vector<std::int64_t> depths;
    for (const DataflowStream& stream : design.design.streams)
      depths.push_back(stream.depth.value_or(folded_tiles));
    const SimulatedFifos run = simulateFifos(*problem, depths);
    EXPECT_FALSE(run.deadlock);
    return static_cast<double>(run.cycles);
  };
  EXPECT_LT(cycles(placed->compiled), 1.05 * cycles(*compiled));
}

/// Depths and dies can change each other without end: vectors over the bus on the U55C did.
TEST(DesignPlacement, DiesAndDepthsSettle) {
  CompileOptions options;
  options.tiling.overall_unroll_size = 12'633;
  options.vectors = StreamVectors::Bus;
  const TensorProgram block = *transformerBlock(gpt2Medium(), promptPhase(32), *quantisationNamed("W4A8"));
  const Result<CompiledDesign> compiled = compile(block, options);
  ASSERT_TRUE(compiled) << text(compiled.diagnostics());
  const Result<PlacedDesign> placed = placeCompiled(*compiled, options, 2, *platformNamed("u55c"));
  ASSERT_TRUE(placed) << text(placed.diagnostics());
  const std::vector<std::int64_t> crossed =
      crossingsOf(placed->groups.front(), placed->compiled.design.streams.size());
  for (std::size_t at = 0; at < crossed.size(); ++at)
    EXPECT_TRUE(crossed[at] == 0 || placed->compiled.crossings[at].cycles > 0) << at;
}

TEST(DesignPlacement, ATooSmallPlatformIsExplained) {
  const DataflowDesign design = designOf(gpt2Medium(), 128, 1);
  Platform small = *platformNamed("generic");
  for (std::int64_t& count : small.dies[0].resources.count) count /= 50;
  const Result<DesignPlacement> placement = placeDesign(design, 0, dspsEach(design, 0), small);
  ASSERT_FALSE(placement);
  EXPECT_THAT(text(placement.diagnostics()), testing::HasSubstr("on-chip memory"));
}

}  // namespace sluice::design_placement_test

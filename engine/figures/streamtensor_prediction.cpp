#include "engine/figures/streamtensor_prediction.h"

#include <algorithm>
#include <cmath>

#include "engine/tensor/dataflow_build.h"
#include "engine/tensor/dataflow_graph.h"
#include "engine/tensor/elementwise_fusion.h"
#include "engine/tensor/external_layout.h"
#include "engine/tensor/materialise.h"
#include "engine/tensor/operator_nest.h"
#include "engine/tensor/program_fusion.h"
#include "engine/tensor/tiling.h"
#include "engine/tensor/unit_dimensions.h"

namespace sluice::figures {
namespace {

Result<DataflowDesign> designOf(const TransformerModel& model, BlockPhase phase, std::int64_t tile) {
  const Result<Quantisation> widths = quantisationNamed("W4A8");
  if (!widths) return widths.diagnostics();
  const Result<TensorProgram> block = transformerBlock(model, phase, *widths);
  if (!block) return block.diagnostics();
  const TensorProgram program = withoutUnitDimensions(withElementwiseFused(*block));
  const Result<ProgramFusion> fusion = fusionGraph(program, tile);
  if (!fusion) return fusion.diagnostics();
  const std::vector<std::size_t> one_group(fusion->graph.kernels.size(), 0);
  const FusionPlan plan = planOf(fusion->graph, one_group, FusionMemory::DmaBuffers);
  const Result<DataflowDesign> design = abstractDesign(program, plan, tile);
  if (!design) return design.diagnostics();
  return materialised(*design);
}

/// The operator's loops, writing an array of its own: what its unrolling needs to know.
LoopNest loopsOf(const DataflowDesign& design, const Task& task, std::size_t array, NestArray& result) {
  const OperatorNest nest = withoutUnitLoops(nestOf(design.program, design.program.operators[task.subject]));
  LoopNest loops{task.name, {}, {{array, true, {}}}, 1};
  result.name = task.name;
  for (const OperatorLoop& loop : nest.loops) {
    const bool reduction = loop.kind == OperatorLoopKind::Reduction;
    if (!reduction) {
      loops.accesses[0].indices.push_back({loops.loops.size(), 1, 0});
      result.shape.push_back(loop.extent);
    }
    loops.loops.push_back({"l" + std::to_string(loops.loops.size()), loop.extent,
                           reduction ? LoopKind::Reduction : LoopKind::Parallel});
  }
  if (result.shape.empty()) {
    loops.accesses[0].indices.push_back({{}, 1, 0});
    result.shape.push_back(1);
  }
  if (loops.loops.empty()) loops.loops.push_back({"l0", 1, LoopKind::Reduction});
  return loops;
}

/// Unrolls the compute tasks.
Result<Done> unrollTasks(BlockDesign& block, std::int64_t tile, std::int64_t unroll) {
  const std::vector<Task>& all = block.design.tasks;
  LoopProgram program;
  std::vector<std::size_t> tasks;
  for (std::size_t task = 0; task < all.size(); ++task) {
    if (all[task].kind != TaskKind::Compute) continue;
    NestArray& array = program.arrays.emplace_back();
    program.nests.push_back(loopsOf(block.design, all[task], program.arrays.size() - 1, array));
    tasks.push_back(task);
  }
  TilingOptions options;
  options.default_tile_size = tile;
  options.overall_unroll_size = unroll;
  options.accumulation_latency = 1;  // integers: a sum can be added to in every cycle
  const Result<std::vector<NestTiling>> tilings = tileNests(program, options);
  if (!tilings) return tilings.diagnostics();
  block.work.assign(all.size(), 0);
  block.unroll.assign(all.size(), 0);
  for (std::size_t at = 0; at < tasks.size(); ++at) {
    block.work[tasks[at]] = static_cast<double>((*tilings)[at].cycles);
    block.unroll[tasks[at]] = (*tilings)[at].unrolled();
  }
  return Done{};
}

bool isTransfer(const Task& task) {
  return task.kind == TaskKind::Load || task.kind == TaskKind::Store;
}

const ITensor& typeOf(const Task& task) {
  return task.outputs.empty() ? task.inputs.front().type : task.outputs.front().type;
}

double bytes(std::int64_t bits) {
  return static_cast<double>(bits) / 8;
}

/// Bytes a cycle of every transfer. A channel gives what the bus takes in one access at most.
std::vector<double> transferRates(const DataflowDesign& design, const Platform& platform, ChannelRule rule) {
  const double of_a_channel =
      std::min(static_cast<double>(busBits) / 8,
               bytesPerCycle(platform) / static_cast<double>(platform.memory.channels));
  std::vector<std::size_t> transfers;
  for (std::size_t task = 0; task < design.tasks.size(); ++task)
    if (isTransfer(design.tasks[task])) transfers.push_back(task);
  const auto channels = static_cast<std::size_t>(platform.memory.channels);
  std::vector<double> rate(design.tasks.size(), 0);
  const double of_each =
      transfers.size() > channels ? static_cast<double>(channels) / static_cast<double>(transfers.size()) : 1;
  for (const std::size_t task : transfers) rate[task] = of_a_channel * of_each;
  if (rule == ChannelRule::OneEach || transfers.empty()) return rate;
  for (std::size_t left = channels - std::min(channels, transfers.size()); left > 0; --left) {
    const auto time = [&](std::size_t task) {
      return bytes(volumeBits(typeOf(design.tasks[task]))) / rate[task];
    };
    const std::size_t slowest = *std::ranges::max_element(transfers, {}, time);
    rate[slowest] += of_a_channel;
  }
  return rate;
}

/// When a task's tokens come out. What follows it must still do 1/pieces of its own work when the last is
/// out. A load runs only while its consumer takes what it brings, so it has a duration instead of a last
/// token.
struct Output {
  double first = 0, last = 0, pieces = 1, load = 0;
};

double tokens(const ITensor& type) {
  return static_cast<double>(tokenCount(type));
}

/// Times that a converter's buffer is filled.
double fillsOf(const Task& task) {
  double fills = 1;
  std::size_t left = task.before_loop;
  for (const ITensorLoop& loop : task.inputs.front().type.loops) {
    if (left == 0) break;
    if (loop.trips == 1) continue;
    fills *= static_cast<double>(loop.trips);
    --left;
  }
  return fills;
}

/// `work` of a task is its own; it cannot be faster than the loads that it reads.
Output outputOf(const Task& task, std::span<const Output> inputs, double work, double rate) {
  const ITensor& type = typeOf(task);
  const double pieces = tokens(type);
  if (task.kind == TaskKind::Load) {
    const double first = bytes(tokenBits(type)) / rate;
    return {first, first, pieces, bytes(volumeBits(type)) / rate};
  }
  if (task.kind == TaskKind::Store) work = bytes(volumeBits(type)) / rate;
  double start = 0;
  for (const Output& input : inputs) {
    start = std::max(start, input.first);
    work = std::max(work, input.load);
  }
  if (task.kind == TaskKind::Converter) {
    const double fills = fillsOf(task), last = std::max(inputs.front().last, start + work);
    return {start + (last - start) / fills, last, fills};
  }
  Output output{start + work / pieces, start + work, pieces};
  for (const Output& input : inputs) output.last = std::max(output.last, input.last + work / input.pieces);
  return output;
}

}  // namespace

Result<BlockDesign> blockDesign(const TransformerModel& model, BlockPhase phase, std::int64_t tile,
                                std::int64_t unroll) {
  Result<DataflowDesign> design = designOf(model, phase, tile);
  if (!design) return design.diagnostics();
  BlockDesign block{*std::move(design), {}, {}};
  if (const Result<Done> done = unrollTasks(block, tile, unroll); !done) return done.diagnostics();
  return block;
}

Result<PlacedBlock> placedBlock(const TransformerModel& model, BlockPhase phase, std::int64_t tile,
                                const Platform& platform) {
  constexpr std::int64_t steps = 8;
  const BoundOptions bound;
  const double products =
      static_cast<double>(totalResources(platform)[Resource::Dsp]) * bound.fill * bound.products_per_dsp;
  PlacementOptions options;
  options.dies.fill = bound.fill;
  options.dies.node_limit = 200;  // designs that the dies hold take about half of it at most
  Diagnostics problem;
  for (std::int64_t step = steps; step > 0; --step) {
    const auto unroll = static_cast<std::int64_t>(products * static_cast<double>(step) / steps);
    Result<BlockDesign> block = blockDesign(model, phase, tile, unroll);
    if (!block) return block.diagnostics();
    std::vector<std::int64_t> dsps;
    for (const std::int64_t own : block->unroll)
      dsps.push_back(static_cast<std::int64_t>(std::ceil(static_cast<double>(own) / bound.products_per_dsp)));
    Result<DesignPlacement> placement = placeDesign(block->design, 0, dsps, platform, options);
    if (placement) return PlacedBlock{*std::move(block), *std::move(placement), unroll};
    problem = placement.diagnostics();
  }
  return problem;
}

Prediction predict(const BlockDesign& block, const Platform& platform, ChannelRule channels) {
  const DataflowDesign& design = block.design;
  const std::vector<double> rate = transferRates(design, platform, channels);
  Prediction prediction;
  std::vector<Output> outputs(design.tasks.size());
  double busiest = 0, transferred = 0;
  for (const std::size_t number : taskOrder(design)) {
    const Task& task = design.tasks[number];
    std::vector<Output> inputs;
    for (const DataflowStream& stream : design.streams)
      if (stream.to.task == number) inputs.push_back(outputs[stream.from.task]);
    outputs[number] = outputOf(task, inputs, block.work[number], rate[number]);
    prediction.cycles = std::max(prediction.cycles, outputs[number].last);
    const double volume = isTransfer(task) ? bytes(volumeBits(typeOf(task))) : 0;
    const double busy = isTransfer(task) ? volume / rate[number] : block.work[number];
    transferred += volume;
    prediction.transfers += isTransfer(task) ? 1 : 0;
    if (busy > busiest) prediction.slowest = task.name;
    busiest = std::max(busiest, busy);
  }
  prediction.cycles = std::max(prediction.cycles, transferred / bytesPerCycle(platform));
  return prediction;
}

}  // namespace sluice::figures

#include "engine/tensor/lowering/compile.h"

#include <algorithm>

#include "engine/core/cancelled.h"
#include "engine/tensor/dataflow/dataflow_build.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/materialise.h"
#include "engine/tensor/dataflow/pack.h"
#include "engine/tensor/fusion/program_fusion.h"
#include "engine/tensor/lowering/task_nests.h"
#include "engine/tensor/programs/elementwise_fusion.h"
#include "engine/tensor/programs/padded_program.h"
#include "engine/tensor/programs/stacked_program.h"
#include "engine/tensor/programs/unit_dimensions.h"

namespace sluice::inline tensor {
namespace {

constexpr std::int64_t unlimited_bytes = std::int64_t{1} << 60;

/// Every tensor in the tiles that most of its transfers move, where its memory allows.
DataflowDesign packedDesign(DataflowDesign design) {
  const DesignIndex index(design);
  for (std::size_t tensor = 0; tensor < design.program.tensors.size(); ++tensor) {
    const std::vector<std::int64_t> tile = suggestedPacking(index, tensor);
    if (tile.empty() || !checkPack(index, tensor, tile)) continue;
    design.layouts[tensor].tile = tile;
  }
  return design;
}

/// What passes from a load to its reader in a cycle once both work: no more than a kernel takes by itself,
/// however slow the rest of its group is. Others that read are as slow as what they feed.
Interval fastestRead(const CompiledDesign& compiled, std::size_t stream) {
  const TimedStream& timed = compiled.timed.streams[stream];
  const TaskTiming& load = compiled.timings[timed.producer];
  const bool registers = timed.consumer >= compiled.design.tasks.size();
  if (registers || compiled.design.tasks[timed.consumer].kind != TaskKind::Compute)
    return load.curve.interval;
  return {std::max(load.cycles, compiled.timings[timed.consumer].cycles), timed.tokens};
}

/// What a load has asked for holds slots until it comes, so the FIFO right behind it - where the stream
/// crosses dies, the one before the registers - covers the memory's latency, one more tile that is asked for
/// when an answer comes, and one that is being read.
void coverLatency(const CompiledDesign& compiled, FifoSizing& sizing) {
  for (std::size_t stream = 0; stream < compiled.timed.streams.size(); ++stream) {
    const std::size_t producer = compiled.timed.streams[stream].producer;
    if (producer >= compiled.design.tasks.size()) continue;  // registers
    if (compiled.design.tasks[producer].kind != TaskKind::Load) continue;
    const TaskTiming& timing = compiled.timings[producer];
    const std::int64_t under_way = intervalsCovering(timing.depth, fastestRead(compiled, stream));
    SizedFifo& fifo = sizing.fifos[stream];
    const std::int64_t depth = std::max(fifo.depth, std::min(timing.curve.tokens, under_way + 2));
    const Bytes more =
        static_cast<Bytes>(bytesOf((depth - fifo.depth) * compiled.timed.streams[stream].token_bits));
    fifo.depth = depth;
    fifo.bytes += more;
    sizing.total_bytes += more;
  }
}

void fixFolds(const CompiledDesign& compiled, FifoSizing& sizing) {
  for (std::size_t stream = 0; stream < compiled.design.streams.size(); ++stream) {
    if (!compiled.design.streams[stream].folded) continue;
    SizedFifo& fifo = sizing.fifos[stream];
    fifo.depth = folded_tiles;
    sizing.total_bytes -= fifo.bytes;
    fifo.bytes = 0;
  }
}

/// One step of compiling after the other.
class Compiler {
 public:
  explicit Compiler(const CompileOptions& options, CompiledDesign compiled = {})
      : options_(options), compiled_(std::move(compiled)) {}

  Result<CompiledDesign> start(const TensorProgram& program) {
    if (Diagnostics found = verify(program); hasErrors(found)) return found;
    SLUICE_CHECK(fuse(
        padded(withoutUnitDimensions(withElementwiseFused(program)), options_.tiling.default_tile_size)));
    if (!abstract()) SLUICE_CHECK(run({&Compiler::materialise, &Compiler::choose}));
    compiled_.rewritable = std::move(compiled_.design);
    return std::move(compiled_);
  }

  Result<CompiledDesign> finish() {
    compiled_.design = compiled_.rewritable;
    compiled_.crossings.clear();
    std::vector<Step> steps = {&Compiler::materialise};  // also what rewrites have taken apart
    if (abstract()) steps.push_back(&Compiler::choose);
    steps.push_back(&Compiler::size);
    SLUICE_CHECK(run(steps));
    compiled_.design = withDepths(compiled_.design, compiled_.sizing);
    return std::move(compiled_);
  }

 private:
  using Step = Result<Done> (Compiler::*)();

  Result<Done> run(const std::vector<Step>& steps) {
    for (const Step step : steps) {
      if (options_.stop.stop_requested()) return cancelledDiagnostic();
      SLUICE_CHECK((this->*step)());
    }
    return Done{};
  }

  bool abstract() const { return options_.rewrite_start == RewriteStart::Abstract; }

  Result<Done> fuse(const TensorProgram& program) {
    const std::int64_t tile = options_.tiling.default_tile_size;
    SLUICE_TRY(ProgramFusion kernels, fusionGraph(program, tile, options_.converters));
    if (options_.layers_apart) kernels = withLayersApart(std::move(kernels), program);
    const FusionGraph& graph = kernels.graph;
    const std::int64_t capacity = options_.on_chip_bytes > 0 ? options_.on_chip_bytes : unlimited_bytes;
    SLUICE_TRY(compiled_.plan, options_.fusion == FusionSearch::Greedy
                                   ? fuseGreedily(graph, capacity, options_.memory)
                                   : fuseOptimally(graph, capacity, options_.memory, options_.stop));
    std::size_t most = 0;  // kernels that share the unroll size
    for (const FusionGroup& group : compiled_.plan.groups) most = std::max(most, group.kernels.size());
    if (Diagnostics found = check(options_.tiling, most); hasErrors(found)) return found;
    SLUICE_TRY(compiled_.design, abstractDesign(program, compiled_.plan, tile));
    if (abstract()) pack();
    return Done{};
  }

  void pack() {
    if (options_.packed) compiled_.design = packedDesign(std::move(compiled_.design));
  }

  Result<Done> materialise() {
    SLUICE_TRY(compiled_.design, materialised(compiled_.design, options_.converters));
    return Done{};
  }

  Result<Done> choose() {
    if (!abstract()) pack();
    if (options_.fold) {
      SLUICE_CHECK(size());
      compiled_.design = withFolds(std::move(compiled_.design), compiled_.sizing);
    }
    if (options_.vectors == StreamVectors::Tiles) return Done{};
    SLUICE_TRY(const std::vector<NestTiling> tilings, taskTilings(compiled_.design, options_.tiling));
    compiled_.design = withVectors(std::move(compiled_.design), tilings, options_.vectors);
    return Done{};
  }

  Result<Done> size() {
    SLUICE_TRY(std::vector<NestTiling> tilings, taskTilings(compiled_.design, options_.tiling));
    compiled_.partitions = tensorPartitions(compiled_.design, tilings, options_.tiling);
    compiled_.timings = taskTimings(compiled_.design, std::move(tilings),
                                    {options_.machine, options_.requests_per_cycle, options_.equalisation});
    compiled_.timed = timedGraph(compiled_.design, compiled_.timings);
    SLUICE_TRY(compiled_.sizing, sizeDesign(compiled_, options_.sizing, sizingOptions(options_)));
    return Done{};
  }

  const CompileOptions& options_;
  CompiledDesign compiled_;
};

}  // namespace

Result<FifoSizing> sizeDesign(const CompiledDesign& compiled, SizingMethod method,
                              const SizingOptions& options) {
  Result<FifoSizing> sizing = sizeFifos(compiled.timed, method, options);
  if (!sizing) return sizing;
  fitToMemory(compiled, *sizing);
  return sizing;
}

void fitToMemory(const CompiledDesign& compiled, FifoSizing& sizing) {
  coverLatency(compiled, sizing);
  fixFolds(compiled, sizing);
}

SizingOptions sizingOptions(const CompileOptions& options) {
  return {.objective = options.objective, .fifo = {.hop_latency = 1}, .stop = options.stop};
}

Result<CompiledDesign> compile(const TensorProgram& program, const CompileOptions& options) {
  SLUICE_TRY(CompiledDesign started, startCompiling(program, options));
  return finishCompiling(std::move(started), options);
}

Result<CompiledDesign> startCompiling(const TensorProgram& program, const CompileOptions& options) {
  return Compiler(options).start(program);
}

Result<CompiledDesign> finishCompiling(CompiledDesign compiled, const CompileOptions& options) {
  return Compiler(options, std::move(compiled)).finish();
}

Result<LoweredDesign> lowered(const CompiledDesign& compiled, std::int64_t requests_per_cycle,
                              std::set<std::string> taken_names) {
  return lowered(compiled.design, compiled.timings,
                 {requests_per_cycle, std::move(taken_names), compiled.crossings});
}

Result<TensorProgram> blockProgram(const std::string& model, const std::string& phase, std::int64_t tokens,
                                   const std::string& quantisation, std::int64_t blocks) {
  SLUICE_TRY(const TransformerModel sizes, modelNamed(model));
  SLUICE_TRY(const Quantisation widths, quantisationNamed(quantisation));
  SLUICE_TRY(const TensorProgram block,
             transformerBlock(sizes, phase == "decode" ? decodePhase(tokens) : promptPhase(tokens), widths));
  return stacked(block, blocks);
}

std::vector<std::int64_t> predictedCycles(const CompiledDesign& compiled) {
  const DataflowDesign& design = compiled.design;
  std::vector<std::vector<std::size_t>> into(design.tasks.size());
  for (std::size_t stream = 0; stream < design.streams.size(); ++stream)
    into[design.streams[stream].to.task].push_back(stream);
  struct Span {
    std::int64_t first = 0, last = 0;  ///< when the first and the last token leave
  };
  std::vector<Span> out(design.tasks.size());
  std::vector<std::int64_t> groups;
  for (const std::size_t task : taskOrder(design)) {
    const TaskTiming& timing = compiled.timings[task];
    // The share of its inputs that its first token needs; what follows the last input.
    std::int64_t needed = 1, of = timing.steps, tail = timing.depth;
    if (design.tasks[task].kind == TaskKind::Converter) {
      needed = timing.fill, of = timing.fill * timing.iterations, tail = timing.drain;
    } else if (!design.tasks[task].outputs.empty()) {
      needed = quotientUp(timing.steps, tokenCount(design.tasks[task].outputs[0].type));
    }
    std::int64_t start = 0, fed = 0, end = 0;
    for (const std::size_t stream : into[task]) {
      const Span& in = out[design.streams[stream].from.task];
      const std::int64_t span = std::max<std::int64_t>(in.last - in.first, 1);
      start = std::max(start, in.first + 1);
      fed = std::max(fed, in.first + cyclesOf(needed - 1, {span, of}) + 1);
      end = std::max(end, in.last + 1);
    }
    for (const std::size_t stream : into[task]) {
      const std::size_t producer = design.streams[stream].from.task;
      const TaskTiming& load = compiled.timings[producer];
      if (design.tasks[producer].kind != TaskKind::Load) continue;
      // Only what its FIFO holds is there already.
      const std::int64_t rest = std::max<std::int64_t>(0, load.steps - compiled.sizing.fifos[stream].depth);
      end = std::max(end, start + cyclesOf(rest, {load.cycles, load.steps}));
    }
    const std::int64_t own = cyclesOf(needed - 1, {timing.cycles, timing.steps});
    out[task].first = std::max(fed, start + own) + timing.depth;
    out[task].last = std::max(start + timing.cycles + timing.depth, end + tail);
    const std::size_t group = design.tasks[task].group;
    if (groups.size() <= group) groups.resize(group + 1, 0);
    groups[group] = std::max(groups[group], out[task].last);
  }
  return groups;
}

}  // namespace sluice::inline tensor

#pragma once
// From a tensor program to a design with timings and sized FIFOs: elementwise fusion, tiling, kernel fusion,
// converters and transfers, unrolling, sizing - the whole of StreamTensor's pipeline in one call, or in two
// with rewrites in between.

#include <stop_token>

#include "engine/itensor/converter.h"
#include "engine/tensor/fusion/fusion.h"
#include "engine/tensor/loop_nests/array_partition.h"
#include "engine/tensor/lowering/lowering.h"
#include "engine/tensor/lowering/stream_choices.h"
#include "engine/tensor/programs/llm_blocks.h"

namespace sluice::inline tensor {

enum class FusionSearch { Greedy, Optimal };

/// What rewrites begin with: a design whose converters and transfers are tasks, or one that only implies
/// them.
enum class RewriteStart { Materialised, Abstract };

struct CompileOptions {
  TilingOptions tiling{.default_tile_size = 16, .overall_unroll_size = 4096};
  std::int64_t on_chip_bytes = 0;  ///< of a group's converters and buffers; 0: no limit
  FusionMemory memory = FusionMemory::Converters;
  FusionSearch fusion = FusionSearch::Greedy;
  bool layers_apart = true;  ///< greedy fusion joins no kernels of two equal layers (repeated_layers.h)
  ConverterOrder converters = ConverterOrder::OrderFree;
  bool packed = true;  ///< tensors lie in external memory tile by tile where they may
  StreamVectors vectors = StreamVectors::Tiles;
  bool fold = false;  ///< streams that are no slower for it (withFolds)
  RewriteStart rewrite_start = RewriteStart::Materialised;
  SizingMethod sizing = SizingMethod::StartTime;
  Equalisation equalisation = Equalisation::Conservative;
  SizingObjective objective = SizingObjective::TotalBytes;
  std::int64_t requests_per_cycle = 4;  ///< of one transfer's port
  BoundMachine machine;
  std::stop_token stop = {};  ///< a request makes it fail
};

/// A rewrite of the design that was applied, and what it changed.
struct RewriteMade {
  std::string text, difference;
};

struct CompiledDesign {
  DataflowDesign design;                   ///< materialised, with depths
  FusionPlan plan;                         ///< before any rewrite
  DataflowDesign rewritable;               ///< what rewrites are applied to
  std::vector<RewriteMade> rewrites;       ///< that it has behind it
  std::vector<ArrayPartition> partitions;  ///< of each tensor, as the unrolled tasks ask for banks
  std::vector<TaskTiming> timings;         ///< of each task
  TimedGraph timed;
  FifoSizing sizing;
  std::vector<StreamCrossing> crossings = {};  ///< of each stream, once the design is placed on dies
};

/// Depths of the compiled curves, whose paces are equalised already, for the simulator's registered FIFOs.
SizingOptions sizingOptions(const CompileOptions& options);

Result<CompiledDesign> compile(const TensorProgram& program, const CompileOptions& options);
/// The halves of compile(). The first goes as far as rewrites begin, and gives `plan` and `rewritable` alone;
/// the second makes the rest of what `rewritable` is by then, again after further rewrites.
Result<CompiledDesign> startCompiling(const TensorProgram& program, const CompileOptions& options);
Result<CompiledDesign> finishCompiling(CompiledDesign compiled, const CompileOptions& options);

/// sizeFifos() of a design, with FIFOs behind loads that are deep enough for what the memory has under way.
/// A folded stream has the slots of its buffer, whatever would be needed.
Result<FifoSizing> sizeDesign(const CompiledDesign& compiled, SizingMethod method,
                              const SizingOptions& options);

/// The second half of that, for depths that were found in another way.
void fitToMemory(const CompiledDesign& compiled, FifoSizing& sizing);

Result<LoweredDesign> lowered(const CompiledDesign& compiled, std::int64_t requests_per_cycle,
                              std::set<std::string> taken_names = {});

/// The program that parameters of the operator TensorProgram name: blocks of a model in a phase, one after
/// the other.
Result<TensorProgram> blockProgram(const std::string& model, const std::string& phase, std::int64_t tokens,
                                   const std::string& quantisation, std::int64_t blocks = 1);

/// Cycles from the first load to the last store, of each group, without simulating; groups run one after the
/// other. A task starts with its first input. Its first token leaves when the inputs that go into it have
/// come, evenly between its producers' first and last tokens; its last one when its own rate allows and the
/// last input has passed. Loads are ahead of their readers by the depth of the FIFO.
std::vector<std::int64_t> predictedCycles(const CompiledDesign& compiled);

}  // namespace sluice::inline tensor

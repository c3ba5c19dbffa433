#pragma once
// From a tensor program to a design with timings and sized FIFOs: elementwise fusion, tiling, kernel fusion,
// converters and transfers, unrolling, sizing - the whole of StreamTensor's pipeline in one call.

#include "engine/tensor/fusion.h"
#include "engine/tensor/llm_blocks.h"
#include "engine/tensor/lowering.h"

namespace sluice {

struct CompileOptions {
  TilingOptions tiling{.default_tile_size = 16, .overall_unroll_size = 4096};
  std::int64_t on_chip_bytes = 0;  ///< of a group's converters and buffers; 0: no limit
  FusionMemory memory = FusionMemory::Converters;
  bool packed = true;  ///< tensors lie in external memory tile by tile where they may
  SizingMethod sizing = SizingMethod::StartTime;
  Equalisation equalisation = Equalisation::Conservative;
  SizingObjective objective = SizingObjective::TotalBytes;
  std::int64_t requests_per_cycle = 4;  ///< of one transfer's port
  BoundMachine machine;
};

struct CompiledDesign {
  DataflowDesign design;  ///< materialised, with depths
  FusionPlan plan;
  std::vector<TaskTiming> timings;  ///< of each task
  TimedGraph timed;
  FifoSizing sizing;
};

/// Depths of the compiled curves, whose paces are equalised already, for the simulator's registered FIFOs.
SizingOptions sizingOptions(const CompileOptions& options);

Result<CompiledDesign> compile(const TensorProgram& program, const CompileOptions& options);

/// sizeFifos() of a design, with FIFOs behind loads that are deep enough for what the memory has under way.
Result<FifoSizing> sizeDesign(const CompiledDesign& compiled, SizingMethod method,
                              const SizingOptions& options);

/// The program that parameters of the operator TensorProgram name: a block of a model in a phase.
Result<TensorProgram> blockProgram(const std::string& model, const std::string& phase, std::int64_t tokens,
                                   const std::string& quantisation);

/// Cycles from the first load to the last store, of each group, without simulating; groups run one after the
/// other. A task starts with its first input. Its first token leaves when the inputs that go into it have
/// come, evenly between its producers' first and last tokens; its last one when its own rate allows and the
/// last input has passed. Loads are ahead of their readers by the depth of the FIFO.
std::vector<std::int64_t> predictedCycles(const CompiledDesign& compiled);

}  // namespace sluice

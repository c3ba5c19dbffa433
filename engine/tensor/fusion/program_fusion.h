#pragma once
// The fusion graph of a tensor program: its operators as kernels, tiled, with the converters between the
// streams that their tiles make.

#include "engine/itensor/converter.h"
#include "engine/tensor/fusion/fusion.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

struct ProgramFusion {
  FusionGraph graph;                   ///< values have the tensors' numbers
  std::vector<std::size_t> operators;  ///< of the program, each kernel's
};

/// Each loop is cut into tiles of at most `tile`. A kernel's local memory is one tile of everything it
/// touches. Readers of one stream share their converter. A reshape of an input, or one that makes a result
/// and nothing else, is no kernel: it is another view of external memory.
Result<ProgramFusion> fusionGraph(const TensorProgram& program, std::int64_t tile,
                                  ConverterOrder order = ConverterOrder::OrderFree);

/// Kernels know which of the program's equal layers they belong to, so that no group has some of two.
ProgramFusion withLayersApart(ProgramFusion fusion, const TensorProgram& program);

/// On-chip bytes of a program's intermediates, with each in a memory of its own and with all kernels fused.
struct IntermediateMemory {
  std::int64_t unfused_bytes = 0;    ///< all tensors between operators; reshapes rename, so they count once
  std::int64_t converter_bytes = 0;  ///< what is left of them between fused kernels
  std::int64_t local_bytes = 0;      ///< the kernels' own
};

/// Before and after elementwise fusion and fusion into one group.
Result<IntermediateMemory> intermediateMemory(const TensorProgram& program, std::int64_t tile);

}  // namespace sluice::inline tensor

#pragma once
// The kernels of a tensor program and the streams that their tiles make: what kernel fusion weighs and what
// dataflow designs are built from.

#include <optional>
#include <span>
#include <vector>

#include "engine/itensor/itensor.h"
#include "engine/tensor/programs/operator_nest.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

struct TiledAccess {
  std::size_t tensor = 0;
  ITensor stream;
};

struct ProgramKernel {
  std::size_t op = 0;                 ///< operator of the program
  std::vector<TiledAccess> accesses;  ///< in the order of readTensors(), then the output

  std::span<const TiledAccess> reads() const { return std::span(accesses).first(accesses.size() - 1); }
  const TiledAccess& result() const { return accesses.back(); }
};

struct ProgramKernels {
  std::vector<ProgramKernel> kernels;                 ///< in the order of the program
  std::vector<std::optional<std::size_t>> kernel_of;  ///< that writes each tensor
  std::vector<bool> leaves;                           ///< to external memory, each tensor
  std::vector<bool> read;                             ///< by a kernel, each tensor
};

/// A reshape that computes nothing.
bool isPlainReshape(const TensorOperator& op);

/// Of a verified program. Each loop is cut into tiles of at most `tile`, at least 1. A reshape of an input,
/// or one that makes a result and nothing else, is no kernel: it is another view of external memory.
ProgramKernels programKernels(const TensorProgram& program, std::int64_t tile);

/// The tile of each loop of `nest` under which its accesses have tiles of these types; empty where there are
/// none, or where they do not divide their loops. The types are in the order of the accesses.
std::optional<std::vector<std::int64_t>> tilesOf(const OperatorNest& nest, std::span<const ITensor> types);

}  // namespace sluice::inline tensor

#pragma once
// A tensor operator as a loop nest over affine accesses, and the streams that its tiles then make.

#include <span>
#include <string>
#include <vector>

#include "engine/itensor/itensor.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

enum class OperatorLoopKind {
  Parallel,
  Reduction,
  Row,  ///< every result along it needs the whole of it (softmax, norms, rotary): never split into tiles
  Each  ///< tiles of one: what is read follows from the data
};

struct OperatorLoop {
  std::int64_t extent = 1;
  OperatorLoopKind kind = OperatorLoopKind::Parallel;

  bool operator==(const OperatorLoop&) const = default;
};

struct OperatorAccess {
  std::size_t tensor = 0;
  std::vector<AffineForm> index;  ///< one per dimension of the tensor, over the nest's loops
  bool written = false;
  /// Touched once the reductions are done: the output and what steps after the operator read.
  bool at_result = false;
  /// Dimensions that no loop walks and every tile has whole: their extents, 0 for the others; empty: none.
  std::vector<std::int64_t> whole = {};

  bool operator==(const OperatorAccess&) const = default;
};

/// Parallel loops outermost, then rows and reductions.
struct OperatorNest {
  std::vector<OperatorLoop> loops;
  std::vector<OperatorAccess> accesses;  ///< in the order of readTensors(), then the output

  bool operator==(const OperatorNest&) const = default;
};

/// The nest of an operator of a verified program.
OperatorNest nestOf(const TensorProgram& program, const TensorOperator& op);

/// The nest without its loops of one trip, which move nothing. Tensors keep their shapes.
OperatorNest withoutUnitLoops(const OperatorNest& nest);

/// Each loop's tile: the largest divisor of its extent up to `most`; rows whole. Where a tensor's dimension
/// is the merger of several loops, all but the innermost have tiles of one, so that a tile is contiguous in
/// it.
std::vector<std::int64_t> tileSizes(const OperatorNest& nest, std::int64_t most);

/// The stream of an access: loops that are longer than their tile, in the nest's order; reductions only where
/// the access is not at_result.
ITensor tiledStream(const OperatorNest& nest, const OperatorAccess& access, Scalar scalar,
                    std::span<const std::int64_t> tiles);

}  // namespace sluice::inline tensor

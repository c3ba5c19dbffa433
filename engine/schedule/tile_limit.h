#pragma once
// Whether the kernels of a tensor program can be counted: an operator of very large tensors has more tiles
// than a kernel's executions may be.

#include <optional>

#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline schedule {

/// The number of the first operator that has more tiles than a kernel may have, at the tile size that a
/// compilation begins with; of a verified program.
std::optional<std::size_t> operatorOfTooManyTiles(const TensorProgram& program);

}  // namespace sluice::inline schedule

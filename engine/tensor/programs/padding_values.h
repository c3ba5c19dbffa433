#pragma once
// What becomes of the padding of tensors: zeros, finite numbers, or anything.

#include <optional>

#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

struct TensorDimension {
  std::size_t tensor = 0, dimension = 0;
};

/// A padded dimension over which an operator would sum, or take a row, so that padding changes what counts;
/// nothing where there is none. Padding may be anything that is finite where a sum multiplies it by zeros.
std::optional<TensorDimension> spoiltByPadding(const TensorProgram& program);

}  // namespace sluice::inline tensor

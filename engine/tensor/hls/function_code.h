#pragma once
// Elementwise operators as expressions of C++, with the functions of resources/hls/functions.h.

#include <string>

#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// "functions::gelu(x)", "x + y" of an elementwise operator.
std::string functionText(TensorOperatorKind kind, const std::string& x, const std::string& y);

}  // namespace sluice::inline tensor

#pragma once
// Names of ONNX models, which may be any bytes, as names that can be written.

#include <string>

#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// Control characters become spaces, bytes that are not UTF-8 U+FFFD.
std::string printable(const std::string& name);
/// Every name printable, no two tensors and no two operators of one name: "x" and "x 2".
void nameApart(TensorProgram& program);

}  // namespace sluice::inline tensor

#pragma once
// The types of ONNX (TensorProto.DataType) as our scalars.

#include <cstdint>
#include <optional>
#include <string>

#include "engine/core/scalar.h"

namespace sluice::inline tensor {

struct OnnxType {
  std::string name;
  std::optional<Scalar> scalar;  ///< empty: tensors here have no such elements
  bool exact = true;             ///< false: another scalar of the same width
};

/// 0 is an unknown type.
OnnxType onnxType(std::int64_t type);

}  // namespace sluice::inline tensor

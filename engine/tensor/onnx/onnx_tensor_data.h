#pragma once
// The elements of a tensor of an ONNX file (TensorProto), whichever of its fields holds them.

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "engine/core/result.h"

namespace sluice::inline tensor {

/// In order, as numbers. `tensor`: as ProtobufSchema::builtIn("onnx") reads it. Empty: they lie in another
/// file, were cut off as too many, are not as many as the tensor's shape says, or are of a type without
/// numbers.
std::optional<std::vector<double>> tensorElements(const nlohmann::json& tensor);

/// Its elements lie in another file.
bool isExternal(const nlohmann::json& tensor);
/// As tensorElements(), of a tensor whose elements lie in a file beside the model: only within `folder`, the
/// model's, links followed. Errors: no such file, one outside the folder, one that is too short.
Result<std::vector<double>> externalElements(const nlohmann::json& tensor,
                                             const std::filesystem::path& folder, const Location& place);

}  // namespace sluice::inline tensor

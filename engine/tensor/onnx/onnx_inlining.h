#pragma once
// A model's own functions, as exporters write them for what they have no operator for: every call becomes the
// nodes of the function, whose values get the call's names.

#include <nlohmann/json_fwd.hpp>

#include "engine/core/result.h"

namespace sluice::inline tensor {

/// Of a ModelProto that was read. Calls of functions that the model does not have stay what they are, and so
/// do those that Sluice knows as operators, and those written for another version of ONNX's operators than
/// the model. Errors: too-many, where functions call each other more than 16 deep, or make more than 2^18
/// nodes.
Result<Done> inlineFunctions(nlohmann::json& model);

}  // namespace sluice::inline tensor

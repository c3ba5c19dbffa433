#pragma once
// TensorSink: takes one tensor after the other, where they are too many to be had at once.

#include <functional>
#include <string>

#include "engine/core/float_tensor.h"
#include "engine/core/result.h"

namespace sluice {

using TensorSink = std::function<Result<Done>(const std::string& name, FloatTensor tensor)>;

}  // namespace sluice

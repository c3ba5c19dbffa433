#pragma once
// Synthetic expert routing: which experts each token goes to, made from per-expert counts or uniformly at
// random.

#include "engine/core/int_tensor.h"
#include "engine/core/result.h"
#include "engine/program/document.h"

namespace sluice::inline explorer {

/// [tokens, top_k] expert numbers, no expert twice in a row. With `counts`, expert e comes exactly counts[e]
/// times. The same input gives the same routing on every platform. Errors say why the counts cannot be met.
Result<IntTensor> syntheticRouting(const Input& input);

}  // namespace sluice::inline explorer

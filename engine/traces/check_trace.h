#pragma once
// Whether the values of one trace fit what a document says of its input.

#include "engine/core/diagnostic.h"
#include "engine/core/int_tensor.h"
#include "engine/program/document.h"

namespace sluice::inline traces {

/// Empty if they do; `place` names the input and where the values come from.
Diagnostics checkTrace(const Input& input, const IntTensor& values, const Location& place);

/// Experts of a routing: what the document says, else one more than the largest number met; 0 of other
/// inputs.
std::int64_t expertsOf(const Input& input, const IntTensor& values);

}  // namespace sluice::inline traces

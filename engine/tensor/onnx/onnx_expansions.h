#pragma once
// Operators of ONNX that are several simpler ones.

#include "engine/tensor/onnx/onnx_model.h"

namespace sluice::inline tensor {

/// In place of each such node the simpler ones that compute the same, the last of them with its name and
/// results: what a design streams, and what it costs, is that of the simpler ones. Nodes in a form for which
/// this does not hold stay.
void expandNodes(OnnxGraph& graph);

}  // namespace sluice::inline tensor

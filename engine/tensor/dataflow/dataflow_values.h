#pragma once
// A dataflow design executed on numbers, to prove that rewrites change nothing that leaves it. Tasks pass
// tokens without addresses, as the hardware does: each side takes the order from its own type; converters
// fill and drain their double buffer; transfers address external memory by the layout of their tensor. So a
// wrong type, order or buffer gives wrong numbers, or an error where tokens do not fit or are missing.
//
// FIFOs are unbounded: depths are for the simulator to check.

#include <vector>

#include "engine/core/float_tensor.h"
#include "engine/core/result.h"
#include "engine/tensor/dataflow/dataflow.h"

namespace sluice::inline tensor {

/// The program's results in order, as the host unpacks them from external memory. What `given` does not name
/// is filled from tensors' names, as tensorValues() does. Types must be streams of their tensors and
/// connections as verify() demands; for the rest a design may be wrong.
Result<std::vector<FloatTensor>> designResults(const DataflowDesign& design, const TensorSet& given = {});

}  // namespace sluice::inline tensor

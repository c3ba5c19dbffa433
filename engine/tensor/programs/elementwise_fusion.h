#pragma once
// Chains of elementwise operators become steps of the operator before or after them, so that no tensor is
// written between.

#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// Of a verified program. An elementwise operator joins the operator that makes one of its inputs, where it
/// is that tensor's only reader; otherwise the only reader of its result, where that reads it once per
/// element (not the products: they would compute it again for every tile). Operations, external tensors and
/// results stay; acyclic because the tensor that vanishes was the only path between the two.
TensorProgram withElementwiseFused(const TensorProgram& program);

}  // namespace sluice::inline tensor

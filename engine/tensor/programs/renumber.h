#pragma once
// Operators over the tensors of another program.

#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// The operator with `to(tensor)` in place of every tensor that it reads and writes; those it reads first, in
/// their order.
template <class To>
TensorOperator renumbered(TensorOperator op, To&& to) {
  for (std::size_t& tensor : op.inputs) tensor = to(tensor);
  for (auto* steps : {&op.before_steps, &op.after_steps})
    for (ElementwiseStep& step : *steps)
      if (step.operand) step.operand = to(*step.operand);
  op.output = to(op.output);
  return op;
}

}  // namespace sluice::inline tensor

#pragma once
// What the operators of a tensor program compute, in float32 on dense tensors: the reference that the values
// of dataflow designs are compared with. Widths are not modelled; sums run in ascending order.

#include <span>
#include <vector>

#include "engine/core/float_tensor.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// The operator applied to operands in the order of readTensors(). Their shapes may be those of tiles, as
/// long as they fit each other and `shape`, the result's. A fill gives zeros; a layer norm's variance has
/// 1e-5 added; a rotary embedding turns element i and i + D/2 by their angles.
FloatTensor applied(const TensorOperator& op, std::span<const FloatTensor> operands,
                    std::vector<std::size_t> shape);

/// The operator alone, as a program on operands of these shapes, for verify(): tensors are the operands in
/// order, then the result.
TensorProgram programOf(const TensorOperator& op, std::span<const std::vector<std::int64_t>> operands,
                        const std::vector<std::int64_t>& result);

/// A tensor from outside the program: the one of its name, else small numbers made of its name; of integers
/// of 32 bits and more, which may be places in tables, whole numbers from 0 to 63.
FloatTensor outsideTensor(const TensorValue& tensor, const TensorSet& given);

/// Every tensor of a verified program.
std::vector<FloatTensor> tensorValues(const TensorProgram& program, const TensorSet& given = {});

}  // namespace sluice::inline tensor

#pragma once
// What the operators of a tensor program compute, in float32 on dense tensors: the reference that the values
// of dataflow designs are compared with. Widths are not modelled; sums run in ascending order.

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "engine/core/float_tensor.h"
#include "engine/core/result.h"
#include "engine/core/scalar.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// Integers of float32 are exact below 2^24. Narrower ones are left to those who say what their numbers stand
/// for (a quantisation), and truth values are small.
inline bool countsExactly(Scalar scalar) {
  return !isFloat(scalar) && scalar.format != Scalar::Format::Boolean && scalar.bits >= 32;
}
/// The largest number of all stands for what counts no more; what is no number says so itself.
inline bool isExactInteger(float element) {
  const float size = std::abs(element);
  return !(size >= static_cast<float>(1 << 24)) || size == std::numeric_limits<float>::max();
}
bool areExactIntegers(std::span<const float> elements);
/// Of a tensor with others: in functional mode, and where else values are computed.
inline constexpr const char* inexact_integers =
    "an integer that it has, makes or makes on the way is 2^24 or more: values are computed in "
    "float32, which does not have all of these";
inline constexpr const char* inexact_integers_fix =
    "keep integers below 2^24, or give them the type f32 where it is enough that they are about right";

/// The operator applied to operands in the order of readTensors(). Their shapes may be those of tiles, as
/// long as they fit each other and `shape`, the result's. A fill gives zeros; a layer norm's variance has
/// 1e-5 added; a rotary embedding turns element i and i + D/2 by their angles.
/// `exact`: the result is of integers that countsExactly(); becomes false where one that is made, be it by a
/// step on the way, is none of float32. Sums are exact then.
FloatTensor applied(const TensorOperator& op, std::span<const FloatTensor> operands,
                    std::vector<std::size_t> shape, bool* exact = nullptr);

/// The operator alone, as a program on operands of these shapes, for verify(): tensors are the operands in
/// order, then the result.
TensorProgram programOf(const TensorOperator& op, std::span<const std::vector<std::int64_t>> operands,
                        const std::vector<std::int64_t>& result);

/// A tensor from outside the program: the one of its name, else small numbers made of its name; of integers
/// of 32 bits and more, which may be places in tables, whole numbers from 0 to 63.
FloatTensor outsideTensor(const TensorValue& tensor, const TensorSet& given);

/// Every tensor of a verified program.
std::vector<FloatTensor> tensorValues(const TensorProgram& program, const TensorSet& given = {});
/// Likewise. Errors: the first tensor with an integer that float32 does not have.
Result<std::vector<FloatTensor>> exactTensorValues(const TensorProgram& program, const TensorSet& given = {});

}  // namespace sluice::inline tensor

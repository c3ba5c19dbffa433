#pragma once
// Numbers that an HLS project computes with where it has the program's scalars instead of float32.
//
// Streams and memories carry bfloat16, float16, and integers of 8 and 4 bits; everything else is float32. An
// integer stands for itself times the scale of its tensor, which is the largest amount in it over the largest
// integer (symmetric, static: it is measured once, on the inputs that the test bench has); a tensor of
// integers that fit stands for itself. Kernels compute in float32 on what the numbers stand for and round
// once, when a tile is sent; products of two matrices of integers sum integers.

#include <span>
#include <string>
#include <vector>

#include "engine/core/float_tensor.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// How the elements of a tensor are kept.
struct NumberFormat {
  enum class Kind : std::uint8_t { Float32, BFloat16, Float16, Integer };

  Kind kind = Kind::Float32;
  int bits = 32;
  float scale = 1;  ///< of integers

  std::string type() const;  ///< "float", "numbers::bfloat16", "ap_int<8>"
  bool isNarrow() const { return kind != Kind::Float32; }
  /// What `value` is once it is kept so: of two that are as near, the even one.
  float rounded(float value) const;
};

/// Both matrices are integers: their product sums integers.
bool multipliesIntegers(const TensorOperator& op, std::span<const NumberFormat> formats);

struct NarrowValues {
  std::vector<FloatTensor> values;    ///< of every tensor of the program: what its numbers stand for
  std::vector<NumberFormat> formats;  ///< likewise
};

/// What a verified program computes with the numbers of its scalars. `given` as for tensorValues(). Error: a
/// sum of products does not fit 32 bits.
Result<NarrowValues> narrowValues(const TensorProgram& program, const TensorSet& given = {});

}  // namespace sluice::inline tensor

#pragma once
// Tensor programs whose extents are expressions over sizes that are given later:
//
//   program @encoder(batch, seq) {
//     %x = input tensor<$(batch)x$(seq)x768xf32>
//     %y = reshape(%x) tensor<$(batch*seq)x768xf32>
//     return %y
//   }

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

/// The names behind the program's own, in their order; none where it has none.
std::vector<std::string> sizesIn(std::string_view text);

/// The text with numbers in place of every $(...), which may have sums, differences and products of the names
/// and of whole numbers, and brackets. Errors: not one size for each name, a name that is none of them, an
/// expression that is none, and a result below 0 or above 2^53.
Result<std::string> withSizes(std::string_view text, std::span<const std::int64_t> sizes,
                              const Location& place);

/// A program at some extents of its dimensions.
struct SizedProgram {
  std::map<std::string, std::int64_t> sizes;
  TensorProgram program;
};

/// A text over sizes, and what they are by default.
struct SizedText {
  std::string text;
  std::map<std::string, std::int64_t> sizes;
  std::int64_t layers = 0;           ///< that are folded
  std::int64_t layer_operators = 0;  ///< of one of them
};

/// The text of the program with equal layers folded; their number is its size `layers`.
SizedText sizedText(const TensorProgram& program);

/// The text of the first program with its extents as expressions over those sizes that the others show: each
/// of `varied` has one size other than the first, `check` has all of them other; equal layers as above. No
/// text where the programs differ in more than extents and the beginnings of slices, where a number is
/// neither a multiple of a size and a constant more, nor a multiple of a product of sizes, or where `check`
/// is not what the expressions say.
SizedText sizedText(const SizedProgram& first, std::span<const SizedProgram> varied,
                    const SizedProgram& check);

}  // namespace sluice::inline tensor

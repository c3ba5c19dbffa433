#pragma once
// Tensor programs as MLIR-style text:
//
//   program @"GPT-2 prompt block" {
//     %x = input tensor<64x1024xi8>
//     %"query weight" = weight tensor<1024x1024xi4>
//     %query = linear(%x, %"query weight", %"query bias") tensor<64x1024xi8>
//     %turned = transpose(%query) {permutation = [1, 0]} tensor<1024x64xi8>
//     %normed = rms_norm(%turned, %gain) {epsilon = 1e-06} tensor<1024x64xi8>
//     %gated = linear(%normed, %w) {after = [silu, mul %up]} tensor<1024x512xi8>
//     return %gated
//   }
//
// Tensors from outside (input, weight, table) come first, then the operators in their order. Names that are
// not identifiers stand in quotes; `//` begins a comment. Layers that follow each other, each taking what the
// one before gives, may stand once; behind them the names before `=` are what the last one gives
// (folded_program.h):
//
//     %out = repeat 12 (%h = %x) {
//       %"h.$(layer).weight" = weight tensor<64x64xf32>
//       %"h.$(layer)" = linear(%h, %"h.$(layer).weight") tensor<4x64xf32>
//       yield %"h.$(layer)"
//     }

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/itensor/text_reader.h"
#include "engine/tensor/programs/folded_program.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {

std::string text(const TensorProgram& program);
std::string text(const FoldedProgram& program);
/// With names of sizes behind the program's, and `numbers` in place of all extents, tensor by tensor, then of
/// every operator's `begin`, then of how many layers there are (sized_text.h).
std::string text(const FoldedProgram& program, const std::vector<std::string>& sizes,
                 const std::vector<std::string>& numbers);
/// Errors name the line. A program that is read passes verify(); tensors are numbered in the order of the
/// text.
Result<TensorProgram> parseTensorProgram(std::string_view text, const Location& place,
                                         const std::stop_token& stop = {});
/// The program at the place where the reader stands; it has to be verified where the reader has not failed.
TensorProgram readTensorProgram(TextReader& reader);

}  // namespace sluice::inline tensor

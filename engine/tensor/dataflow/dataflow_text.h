#pragma once
// Dataflow designs as MLIR-style text, with the iterative tensor types of their edges:
//
//   dataflow {
//     program @"GPT-2 prompt block" { ... }
//     layout %x {tile = 16x16, word = 8x8}
//     task @"load x" = load {group = 0, buffer = 16x16} () -> (%x : itensor<16x16xi8, ...>)
//     task @query = compute %query {group = 0} (%x : itensor<...>, external %w : itensor<...>)
//                   -> (%query : itensor<...>)
//     task @"convert x" = converter {group = 0, buffer = 16x64, before_loop = 1} (...) -> (...)
//     stream @"load x"[0] -> @query[0] {vector = 2x4, depth = 12} : itensor<...>
//   }
//
// A compute task names the tensor that its operator writes. The type of a stream is that of its producer's
// port, of the vectors where tiles are sent in vectors. A layout stands for tensors that are not row-major.

#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/tensor/dataflow/dataflow.h"

namespace sluice::inline tensor {

std::string text(const DataflowDesign& design);
/// Errors name the line. A design that is read passes verify(); tensors are numbered in the order of the
/// text.
Result<DataflowDesign> parseDataflowDesign(std::string_view text, const Location& place);

}  // namespace sluice::inline tensor

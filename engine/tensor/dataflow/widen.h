#pragma once
// Widening: a tensor lies in external memory as words of several elements, so that one access fills the bus.

#include <span>

#include "engine/tensor/dataflow/design_index.h"

namespace sluice::inline tensor {

/// Legal for memory that has one name only, with words of at most 512 bits that divide the tiles of the
/// layout and of all transfers.
Result<Done> checkWiden(const DesignIndex& index, std::size_t tensor, std::span<const std::int64_t> vector);
Result<DataflowDesign> widen(const DataflowDesign& design, std::size_t tensor,
                             std::span<const std::int64_t> vector);
/// The widest word there is, nearest to a square; empty where there is none.
std::vector<std::int64_t> suggestedWord(const DesignIndex& index, std::size_t tensor);

Result<Done> checkUnwiden(const DesignIndex& index, std::size_t tensor);
/// Scalars again.
Result<DataflowDesign> unwiden(const DataflowDesign& design, std::size_t tensor);

}  // namespace sluice::inline tensor

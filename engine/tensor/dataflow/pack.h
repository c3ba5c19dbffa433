#pragma once
// Packing: a tensor lies in external memory tile by tile, so that each transfer of a tile is one burst. The
// host packs what comes from outside and unpacks what leaves.

#include <span>

#include "engine/tensor/dataflow/design_index.h"

namespace sluice::inline tensor {

/// Why the layout of a tensor cannot be changed.
Diagnostic illegalLayout(const DataflowDesign& design, std::size_t tensor, std::string cause,
                         std::string fix);

/// Whether a tensor's layout may be changed: a task transfers it, and its memory has no other name.
Result<Done> checkLayoutChange(const DesignIndex& index, std::size_t tensor);

/// Legal for memory that has one name only, with tiles that some transfer moves and that divide the tensor.
Result<Done> checkPack(const DesignIndex& index, std::size_t tensor, std::span<const std::int64_t> tile);
Result<DataflowDesign> pack(const DataflowDesign& design, std::size_t tensor,
                            std::span<const std::int64_t> tile);
/// The tile that most of the tensor's transfers move; empty where there are none.
std::vector<std::int64_t> suggestedPacking(const DesignIndex& index, std::size_t tensor);

Result<Done> checkUnpack(const DesignIndex& index, std::size_t tensor);
/// Row-major again. A widened tensor keeps its words.
Result<DataflowDesign> unpack(const DataflowDesign& design, std::size_t tensor);

/// After transfers have changed: back to row-major where no task transfers a tensor any more or its memory
/// has got a second name, back to scalars where a transfer's tiles are not made of whole words.
void settleLayouts(DataflowDesign& design);

/// Who brings a tensor into its layout.
enum class LayoutWork {
  None,      ///< it is row-major, or not in external memory
  Constant,  ///< a weight or table: before anything runs
  Tasks,     ///< it passes between groups, which agree on it
  Cancels,   ///< the layer before unpacks what the layer behind packs alike, so neither does
  Host       ///< the host, at every run
};
std::string_view text(LayoutWork work);

/// `stacked`: the program is one of many equal layers, the first result being the next one's first input.
LayoutWork layoutWork(const DataflowDesign& design, std::size_t tensor, bool stacked);

}  // namespace sluice::inline tensor

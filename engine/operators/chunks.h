#pragma once
// What Reshape and ReshapePadStream know of chunks and their padding.

#include "engine/operators/operator.h"

namespace sluice::inline operators {

/// Whole chunks, known before the run: no padding follows.
inline bool splitsEvenly(const ShapeContext& t, const Dim& dim) {
  const auto extent = dim.kind == DimKind::Static ? t.value(dim.extent) : std::nullopt;
  return extent && *extent % t.integer("chunk") == 0;
}

/// What is known of the valid rows behind a split of the innermost dimension of `in` with a padding tile.
/// `pads`: padding may follow.
inline Validity withPadding(const StreamType& in, bool pads) {
  const TileType* tile = in.element.tile();
  Validity validity = in.validity;
  if (validity.kind == Validity::Full) {
    if (!tile) return validity;
    validity = {Validity::Known, elementCount(in.shape) * tile->rows.extent, 0, 0};
  }
  // Padding is among the copies of a tile; but with each of them, there is an element in each chunk.
  if (pads && validity.inner > 0) return {Validity::Unknown, {}, 0, 0};
  validity.insert(0);
  if (pads) validity.filled = std::max<std::size_t>(validity.filled, 1);
  return validity;
}

}  // namespace sluice::inline operators

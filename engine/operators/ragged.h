#pragma once
// What operators that put groups of several streams one after another do with ragged dimensions.

#include <algorithm>

#include "engine/symbolic/shape.h"

namespace sluice::inline operators {

/// The extent of a ragged dimension is a total, and totals add up.
inline void joinRagged(Dim& dim, const Dim& more) {
  if (dim.kind != DimKind::Ragged || more.kind != DimKind::Ragged) return;
  dim = {dim.extent + more.extent, DimKind::Ragged, false};
}

/// Elements of one group of the `rank` innermost dimensions: on average, rounded up, where groups differ.
inline Expr groupElements(const Shape& shape, std::size_t rank) {
  const auto split = shape.end() - static_cast<std::ptrdiff_t>(rank);
  const Shape around(shape.begin(), split), group(split, shape.end());
  const bool ragged = std::any_of(split, shape.end(), [](const Dim& d) { return d.kind == DimKind::Ragged; });
  if (!ragged || around.empty()) return elementCount(group);
  return ceilDiv(elementCount(group), max(elementCount(around), Expr(1)));
}

}  // namespace sluice::inline operators

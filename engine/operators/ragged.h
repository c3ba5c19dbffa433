#pragma once
// What operators that put groups of several streams one after another do with ragged dimensions.

#include "engine/symbolic/shape.h"

namespace sluice {

/// The extent of a ragged dimension is a total, and totals add up.
inline void joinRagged(Dim& dim, const Dim& more) {
  if (dim.kind != DimKind::Ragged || more.kind != DimKind::Ragged) return;
  dim = {dim.extent + more.extent, DimKind::Ragged, false};
}

}  // namespace sluice

#pragma once
// What the operators that read buffers share: Streamify, DynStreamify, StaticStreamify.

#include "engine/operators/operator.h"

namespace sluice::inline operators {

/// Of the tiles that a buffer held: which of them come, and how often, is not followed.
inline Validity bufferedValidity(const StreamType& in) {
  Validity validity;
  if (in.validity.kind != Validity::Full) validity.kind = Validity::Unknown;
  return validity;
}
/// Input 0 must bring buffers of `rank` dimensions.
std::optional<Diagnostic> checkBuffer(const ShapeContext& t);
/// A buffer and a staging tile on chip; off chip a tile, that moves `reads` times
/// (engine/symbolic/cost_model.md 3, 4: one tile a read, not the buffer).
Cost bufferCost(const ShapeContext& t, const Expr& reads);
ParameterSpec offChipParameter();

}  // namespace sluice::inline operators

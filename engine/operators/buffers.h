#pragma once
// What the operators that read buffers share: Streamify, DynStreamify, StaticStreamify.

#include "engine/operators/operator.h"

namespace sluice {

/// Input 0 must bring buffers of `rank` dimensions.
std::optional<Diagnostic> checkBuffer(const Typing& t);
/// A buffer and a staging tile on chip; off chip a tile, that moves `reads` times
/// (engine/symbolic/cost_model.md 3, 4: one tile a read, not the buffer).
Cost bufferCost(const Typing& t, const Expr& reads);
ParameterSpec offChipParameter();

}  // namespace sluice

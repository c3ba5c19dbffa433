#pragma once
// The state of operators that fold a stream and tell it at every element (Scan, LoopScan).

#include <algorithm>

#include "engine/operators/functions.h"
#include "engine/operators/tile_arithmetic.h"

namespace sluice::inline operators {

/// A group begins: the initial tile, zeros (ones for a product), of the kind of the elements that come. One
/// of no size grows to that of `x`; `told`: the state is told before it has taken anything in.
inline simulator::Token initialState(simulator::Context& me, TileArithmetic* arithmetic, Function function,
                                     const simulator::Token& initial, const simulator::Token& x, bool told) {
  simulator::Token state = initial;
  state.element_bytes = x.element_bytes;
  const bool empty = state.rows == 0 || state.cols == 0;
  if (!arithmetic || !x.values || (empty && told)) return state;
  simulator::TileValues* values =
      arithmetic->fresh(me, empty ? x.rows : state.rows, empty ? x.cols : state.cols);
  if (!values) return state;
  if (function == Function::Multiply) std::fill(values->elements.begin(), values->elements.end(), 1.0F);
  arithmetic->finish(me, values, state);
  return state;
}

}  // namespace sluice::inline operators

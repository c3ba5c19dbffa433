#pragma once
// The dimension around all the elements of a stream: 1, and 0 where it is known to have none. A stream cannot
// tell of empty groups (engine/simulator/semantics.md 1.1), so that no run would count it.

#include <algorithm>

#include "engine/operators/operator.h"

namespace sluice::inline operators {

inline Dim aroundAll(bool empty) {
  if (!empty) return Dim::fixed(1);
  return {Expr(0), DimKind::Static, true};
}

/// Around elements of these dimensions.
inline Dim aroundAll(const ShapeContext& t, const Shape& shape) {
  return aroundAll(
      std::any_of(shape.begin(), shape.end(), [&](const Dim& dim) { return t.value(dim.extent) == 0; }));
}

}  // namespace sluice::inline operators

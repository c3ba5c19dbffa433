#pragma once
// What DynLinearOffChipLoad and DynOffChipStore share: a tensor that is as large as the input `extents` says.

#include "engine/operators/off_chip.h"

namespace sluice::inline operators {

/// Extents in tiles, outermost first. Errors: no such input, or one that is not the shape of a view.
Result<std::vector<std::int64_t>> dynamicView(const ShapeContext& t);
std::vector<std::uint64_t> dynamicView(const Instance& instance);

}  // namespace sluice::inline operators

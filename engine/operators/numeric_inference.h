#pragma once
// Inference for who wants numbers only, as a search does of thousands of graphs: sums over hundreds of
// experts are not kept as expressions.

#include "engine/operators/inference.h"

namespace sluice::inline operators {

/// As infer(), but what the knobs and the inputs tell stands in shapes and costs as its number. Not so sizes
/// of dynamic tiles, rows that are data, and dynamic extents that come to 1: rules allow more where one is
/// always 1. Refuses more: what infer() leaves for the run to find out, and numbers that are none, as a
/// division by 0 that infer() has simplified away. So who is refused asks infer().
Result<Inference> inferNumbers(const FlatGraph& graph, const InputSet& inputs, std::stop_token stop = {});

}  // namespace sluice::inline operators

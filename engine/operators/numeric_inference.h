#pragma once
// Inference for who wants numbers only, as a search does of thousands of graphs: sums over hundreds of
// experts are not kept as expressions.

#include "engine/operators/inference.h"

namespace sluice::inline operators {

/// As infer(), but what the knobs and the inputs tell stands in types and costs as its number, but for sizes
/// of dynamic tiles: only what the run alone tells is a symbol. Refuses more: what infer() leaves for the run
/// to find out, and numbers that are none, as a division by 0 that infer() has simplified away. So who is
/// refused asks infer().
Result<Inference> inferNumbers(const FlatGraph& graph, const InputSet& inputs, std::stop_token stop = {});

}  // namespace sluice::inline operators

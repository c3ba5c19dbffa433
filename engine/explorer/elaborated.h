#pragma once
// The second half of evaluateSymbolic(), behind elaboration: for who looks at the graph in between, and may
// find that it need not go on; what makes a point's costs no result.

#include <stop_token>

#include "engine/explorer/evaluate.h"

namespace sluice::inline explorer {

/// Whether types and costs are had in numbers (numeric_inference.h): with many experts expressions are long.
bool inNumbers(const InputSet& inputs);

/// `graph`: elaborate() of the workload's document, which has no schedule.
Result<SymbolicResult> evaluateSymbolic(const Workload& workload, const KnobValues& knobs, FlatGraph graph,
                                        const std::stop_token& stop = {});

/// What of the costs is more than results can hold, where it is.
std::optional<Diagnostic> beyondCounting(const SymbolicResult& result);

}  // namespace sluice::inline explorer

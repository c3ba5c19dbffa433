#pragma once
// A token that an operator could not accept, as the user is told.

#include "engine/core/diagnostic.h"
#include "engine/program/flat_graph.h"
#include "engine/simulator/result.h"

namespace sluice::inline operators {

/// Place: operator, input and token.
Diagnostic faultDiagnostic(const FlatGraph& graph, const SimulationFault& fault);

}  // namespace sluice::inline operators

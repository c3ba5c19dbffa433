#pragma once
// What is certain of a point before it is simulated.

#include "engine/explorer/evaluate.h"

namespace sluice::inline explorer {

/// The point at the symbolic level. Traffic and on-chip memory are exact where they depend on the knobs and
/// inputs alone, else 0; no run takes fewer cycles than `cycles`: its traffic has to pass the memory, the
/// arithmetic of each operator its units; energy and area with a technology, of the actions that formulas
/// tell in those cycles. Infeasible: over the on-chip capacity, whatever a run gives.
/// Errors: as evaluateSymbolic().
Result<DesignPoint> boundsOf(const Workload& workload, const KnobValues& knobs);
/// The same for who has evaluateSymbolic() of these knobs, with the values of its operators. `priced`: energy
/// and area too, for which all actions have to be counted.
DesignPoint boundsOf(const SymbolicResult& symbolic, const KnobValues& knobs, bool priced = true);

}  // namespace sluice::inline explorer

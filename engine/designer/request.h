#pragma once
// What a search for designs is asked for: whether it can be met, and afterwards whether it was.

#include <optional>
#include <string>

#include "engine/designer/designer.h"

namespace sluice::inline designer {

/// Why the search cannot begin; nothing where it can. `over_traces`: its traces are still to be had.
Diagnostics checkRequest(const Document& document, const DesignRequest& request, bool over_traces = false);
/// Why no design can fulfil the constraints, whatever its schedule.
Diagnostics checkBudgets(const DesignRequest& request, const ProgramBounds& bounds);
/// What the user should know of a result: no step was legal, no design runs or fulfils the constraints
/// (errors); objectives in which all designs are equal (warnings).
Diagnostics remarksOn(const DesignRequest& request, const DesignResult& result);

/// Whether an objective or a constraint is of what actions cost.
bool asksForPrices(const DesignRequest& request);
/// The transformations that it may use.
FurtherSteps transformationsOf(const DesignRequest& request);
/// What its constraints say of memory.
BoundBudget budgetOf(const DesignRequest& request);

}  // namespace sluice::inline designer

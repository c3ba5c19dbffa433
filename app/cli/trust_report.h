#pragma once
// Why the cycles of a report may be believed.

#include <string>

#include "app/cli/json.h"
#include "engine/explorer/evaluate.h"
#include "engine/program/trust.h"

namespace sluice::cli {

/// Of the workload's run at these knobs.
/// Of a point of the program as it is; numbers of a program that was changed - other depths, a schedule's
/// steps - were held against nothing: TrustLabel().
TrustLabel trustAt(const Workload& workload, const KnobValues& knobs);
/// `metrics`: those that the label is of; all others are of the model alone.
Json trustJson(const TrustLabel& trust);
/// "model only", "cycles confirmed by RTL (run.vcd, 1 run); all other metrics model only".
std::string trustText(const TrustLabel& trust);
/// "Trust: model only\n".
std::string trustLine(const TrustLabel& trust);

}  // namespace sluice::cli

#pragma once
// A measured run over time, on the rows of the model's timeline.

#include <memory>

#include "engine/measurements/matching.h"
#include "engine/simulator/timeline.h"

namespace sluice::inline measurements {

/// What the matched operators did and how full the matched streams were, whole cycles. An operator whose
/// computing is recorded, and who does nothing for a while, waits for a token; a wait for a token or a slot
/// is drawn as one for a token. Operators that were not measured are done, and streams empty, from the
/// beginning. Null: the run was not recorded over time.
std::shared_ptr<const Timeline> measuredTimeline(const FlatGraph& graph, const MeasuredRun& run,
                                                 const Matching& matching);

}  // namespace sluice::inline measurements

#pragma once
// From the engine's report of a deadlock to what the screen shows: names of the program that the canvas has,
// instances of one wait cycle put together, fill levels at the moment it closed.

#include "app/window/document/graph_correspondence.h"
#include "engine/fifo/unlock.h"
#include "widgets/deadlock/deadlock_explanation.h"

namespace sluice::ui {

/// `shown`: how the program on the canvas calls what the point's does. `unlocked`: null while it is searched.
DeadlockExplanation deadlockExplanation(const PointResult& point, const Unlock* unlocked,
                                        const GraphCorrespondence& shown);

/// What was in a FIFO at a cycle; absent: not recorded.
std::optional<std::uint64_t> fillAt(const OccupancySeries& series, Cycles cycle);

}  // namespace sluice::ui

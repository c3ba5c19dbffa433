#pragma once
// What an exploration has to say about the points that do not count: one diagnostic a state, whose place
// stands for those points.

#include <QString>
#include <optional>
#include <span>

#include "engine/core/diagnostic.h"
#include "engine/explorer/point.h"

namespace sluice::ui {

/// Notes on deadlocked, infeasible and failed points, with the cause of the first of each.
Diagnostics explorationNotes(std::span<const DesignPoint> points);
/// The state whose points a place stands for; nothing for other places.
std::optional<PointState> stateOfNote(const Location& place);

}  // namespace sluice::ui

#pragma once
// What the designer has found as points of a plot: the same in the window's view and in figures.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/explorer/point.h"
#include "engine/explorer/program_bounds.h"

namespace sluice::ui {

/// Bounds beside what was measured would look like designs that are better: they are not drawn.
void hideBounds(DesignPoint& point);
/// What no design can be beyond, in the first two objectives; absent where nothing is proved.
std::array<std::optional<double>, 2> provedBounds(const ProgramBounds& bounds,
                                                  const std::vector<std::string>& objectives);

}  // namespace sluice::ui

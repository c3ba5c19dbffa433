#pragma once
// The views that Sluice brings, in the order of menus. A row and a function that gives its ViewSpec are all
// that a new one needs.

#include "app/window/shell/view_spec.h"

// clang-format off
#define SLUICE_VIEWS(X) \
  X(canvas) \
  X(pareto) \
  X(points) \
  X(parallel) \
  X(sensitivity) \
  X(hypervolume) \
  X(choice) \
  X(designs) \
  X(distribution) \
  X(occupancy) \
  X(energy) \
  X(diagnostics) \
  X(knobs) \
  X(operators) \
  X(design) \
  X(schedule) \
  X(inspector) \
  X(deadlock) \
  X(timeline) \
  X(comparison)
// clang-format on

namespace sluice::ui::views {

#define SLUICE_DECLARE_VIEW(name) ViewSpec name();
SLUICE_VIEWS(SLUICE_DECLARE_VIEW)
#undef SLUICE_DECLARE_VIEW

}  // namespace sluice::ui::views

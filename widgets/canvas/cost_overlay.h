#pragma once
// What the canvas shows of costs: each box with what its nodes cost together, on a scale up to the box that
// costs most. A collapsed region, a folded run and a box of equal regions cost what stands in them.

#include "widgets/canvas/delta_overlay.h"

namespace sluice::ui {

struct SceneModel;

struct CostOverlay {
  QHash<QString, double> costs;  ///< by node path; not of regions, which are their nodes
  QString unit;                  ///< "J"
  bool operator==(const CostOverlay&) const = default;
};

/// By the path of the box.
DeltaOverlay summedByBox(const CostOverlay& costs, const SceneModel& model);

}  // namespace sluice::ui

#include "widgets/canvas/cost_overlay.h"

#include <algorithm>
#include <map>

#include "widgets/canvas/scene_model.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {

DeltaOverlay summedByBox(const CostOverlay& costs, const SceneModel& model) {
  std::map<std::size_t, double> of_boxes;
  QList<QString> nodes = costs.costs.keys();
  nodes.sort();  // sums do not depend on how a hash orders them
  for (const QString& node : nodes)
    if (const std::size_t box = model.visibleBox(node.toStdString()); box != nowhere)
      of_boxes[box] += costs.costs[node];
  double most = 0;
  for (const auto& [box, cost] : of_boxes) most = std::max(most, cost);
  DeltaOverlay overlay;
  for (const auto& [box, cost] : of_boxes)
    overlay[qt(model.boxes[box].path)] = {most > 0 ? cost / most : 0, text(quantity(cost, costs.unit))};
  return overlay;
}

}  // namespace sluice::ui

#include "widgets/export/found_designs.h"

#include <algorithm>

namespace sluice::ui {

void hideBounds(DesignPoint& point) {
  if (point.fidelity == Fidelity::Symbolic && measured(point)) point.state = PointState::Cancelled;
}

std::array<std::optional<double>, 2> provedBounds(const ProgramBounds& bounds,
                                                  const std::vector<std::string>& objectives) {
  std::array<std::optional<double>, 2> proved;
  for (std::size_t k = 0; k < std::min(proved.size(), objectives.size()); ++k)
    proved[k] = boundOf(bounds, objectives[k]);
  return proved;
}

}  // namespace sluice::ui

// area: square millimetres of compute, buffers and FIFOs; none where the technology has no area of one.

#include <limits>

#include "engine/energy/report.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer::metrics {

const MetricSpec& area() {
  static const MetricSpec spec = {
      .name = "area",
      .title = "Area",
      .short_title = "Area",
      .column = "area",
      .unit = "mm2",
      .kind = MetricKind::Ratio,
      .prominence = Prominence::Figure,
      .priced =
          [](const EnergyReport& report) {
            return report.area.value_or(std::numeric_limits<double>::quiet_NaN());
          },
      .least_priced_is_bound = true,
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

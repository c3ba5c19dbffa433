// power: watts, the energy of a run over its time.

#include <limits>

#include "engine/energy/report.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer::metrics {

const MetricSpec& power() {
  static const MetricSpec spec = {
      .name = "power",
      .title = "Power",
      .short_title = "Power",
      .column = "power",
      .unit = "W",
      .kind = MetricKind::Ratio,
      .prominence = Prominence::Figure,
      .priced =
          [](const EnergyReport& report) {
            return report.seconds > 0 ? report.power() : std::numeric_limits<double>::quiet_NaN();
          },
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

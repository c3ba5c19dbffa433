// energy_per_output: joules a number that the run stores off chip; none where it stores nothing.

#include <limits>

#include "engine/energy/report.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer::metrics {

const MetricSpec& energy_per_output() {
  static const MetricSpec spec = {
      .name = "energy_per_output",
      .title = "Energy per output",
      .short_title = "Energy/output",
      .column = "energy/output",
      .unit = "J/output",
      .kind = MetricKind::Ratio,
      .prominence = Prominence::Detail,
      .priced =
          [](const EnergyReport& report) {
            return report.outputs > 0 ? report.total() / static_cast<double>(report.outputs)
                                      : std::numeric_limits<double>::quiet_NaN();
          },
      .least_priced_is_bound = true,
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

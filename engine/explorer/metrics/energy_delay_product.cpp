// energy_delay_product: the energy of a run times its time.

#include "engine/energy/report.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer::metrics {

const MetricSpec& energy_delay_product() {
  static const MetricSpec spec = {
      .name = "energy_delay_product",
      .title = "Energy-delay product",
      .short_title = "EDP",
      .column = "EDP",
      .unit = "J s",
      .kind = MetricKind::Ratio,
      .prominence = Prominence::Detail,
      .priced = [](const EnergyReport& report) { return report.total() * report.seconds; },
      .least_priced_is_bound = true,
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

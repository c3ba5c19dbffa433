// energy: joules of a run, in the technology that was asked for.

#include "engine/energy/report.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer::metrics {

const MetricSpec& energy() {
  static const MetricSpec spec = {
      .name = "energy",
      .title = "Energy",
      .short_title = "Energy",
      .column = "energy",
      .unit = "J",
      .kind = MetricKind::Ratio,
      .prominence = Prominence::Headline,
      .priced = [](const EnergyReport& report) { return report.total(); },
      .least_priced_is_bound = true,
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

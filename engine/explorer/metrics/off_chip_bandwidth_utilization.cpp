// off_chip_bandwidth_utilization: off-chip bytes over what the memory could have moved in the run's cycles.

#include "engine/explorer/evaluate.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer::metrics {

const MetricSpec& off_chip_bandwidth_utilization() {
  static const MetricSpec spec = {
      .name = "off_chip_bandwidth_utilization",
      .title = "Bandwidth utilisation",
      .short_title = "Bandwidth util.",
      .column = "bandwidth utilisation",
      .kind = MetricKind::Fraction,
      .smaller_is_better = false,
      .prominence = Prominence::Headline,
      .member = &Metrics::off_chip_bandwidth_utilization,
      .derived =
          [](const Metrics& counts, const SymbolicResult& symbolic) {
            return ratioOf(static_cast<double>(counts.off_chip_bytes),
                           static_cast<double>(counts.cycles) * symbolic.graph.machine.offChipBandwidth());
          },
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

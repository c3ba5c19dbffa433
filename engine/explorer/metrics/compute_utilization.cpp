// compute_utilization: FLOPs over what the allocated units could have done in the run's cycles.

#include "engine/explorer/evaluate.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer::metrics {

const MetricSpec& compute_utilization() {
  static const MetricSpec spec = {
      .name = "compute_utilization",
      .title = "Compute utilisation",
      .short_title = "Compute util.",
      .column = "compute",
      .kind = MetricKind::Fraction,
      .smaller_is_better = false,
      .prominence = Prominence::Headline,
      .member = &Metrics::compute_utilization,
      .derived =
          [](const Metrics& counts, const SymbolicResult& symbolic) {
            return ratioOf(static_cast<double>(counts.flops),
                           static_cast<double>(counts.cycles) * symbolic.total.compute.value_or(0));
          },
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

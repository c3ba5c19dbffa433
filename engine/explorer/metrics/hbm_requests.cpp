// hbm_requests: requests to the off-chip memory.

#include "engine/explorer/metrics/metric.h"
#include "engine/simulator/result.h"

namespace sluice::inline explorer::metrics {

const MetricSpec& hbm_requests() {
  static const MetricSpec spec = {
      .name = "hbm_requests",
      .title = "HBM requests",
      .short_title = "HBM requests",
      .column = "HBM requests",
      .unit = "requests",
      .kind = MetricKind::Count,
      .member = &Metrics::hbm_requests,
      .run = &SimulationResult::hbm_requests,
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

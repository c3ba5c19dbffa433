// token_hops: tokens moved, once for each stream.

#include "engine/explorer/metrics/metric.h"
#include "engine/simulator/result.h"

namespace sluice::inline explorer::metrics {

const MetricSpec& token_hops() {
  static const MetricSpec spec = {
      .name = "token_hops",
      .title = "Token hops",
      .short_title = "Token hops",
      .column = "token hops",
      .unit = "tokens",
      .kind = MetricKind::Count,
      .member = &Metrics::token_hops,
      .run = &SimulationResult::token_hops,
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

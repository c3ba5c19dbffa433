// flops: the operations of the run.

#include "engine/explorer/evaluate.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer::metrics {

const MetricSpec& flops() {
  static const MetricSpec spec = {
      .name = "flops",
      .title = "FLOPs",
      .short_title = "FLOPs",
      .column = "FLOPs",
      .unit = "FLOPs",
      .kind = MetricKind::Count,
      .prominence = Prominence::Figure,
      .member = &Metrics::flops,
      .run = &SimulationResult::flops,
      .formula = {.term = &Cost::flops},
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

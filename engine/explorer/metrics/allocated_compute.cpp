// allocated_compute: FLOPs per cycle of all operators' units together (engine/symbolic/cost_model.md).

#include "engine/explorer/evaluate.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer::metrics {

const MetricSpec& allocated_compute() {
  static const MetricSpec spec = {
      .name = "allocated_compute",
      .title = "Allocated compute",
      .short_title = "Compute",
      .column = "allocated FLOPs/cycle",
      .unit = "FLOPs/cycle",
      .member = &Metrics::allocated_compute,
      .formula = {.term = &Cost::compute},
      .lower_bound = [](const SymbolicResult& symbolic) { return rounded(symbolic.total.compute); },
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

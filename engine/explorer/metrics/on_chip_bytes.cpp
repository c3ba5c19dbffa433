// on_chip_bytes: memory held on chip (engine/symbolic/cost_model.md 3).

#include "engine/explorer/evaluate.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer::metrics {

const MetricSpec& on_chip_bytes() {
  static const MetricSpec spec = {
      .name = "on_chip_bytes",
      .title = "On-chip memory",
      .short_title = "On-chip memory",
      .column = "on-chip bytes",
      .unit = "bytes",
      .kind = MetricKind::ByteCount,
      .prominence = Prominence::Objective,
      .member = &Metrics::on_chip_bytes,
      .formula = {.term = &Cost::on_chip_bytes},
      .lower_bound = [](const SymbolicResult& symbolic) { return rounded(symbolic.total.on_chip_bytes); },
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

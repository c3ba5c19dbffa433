// off_chip_bytes: tile bytes that pass the off-chip memory (engine/symbolic/cost_model.md 4).

#include "engine/explorer/evaluate.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer::metrics {

const MetricSpec& off_chip_bytes() {
  static const MetricSpec spec = {
      .name = "off_chip_bytes",
      .title = "Off-chip traffic",
      .short_title = "Off-chip traffic",
      .column = "off-chip bytes",
      .unit = "bytes",
      .kind = MetricKind::ByteCount,
      .prominence = Prominence::Headline,
      .member = &Metrics::off_chip_bytes,
      .formula = {.term = &Cost::off_chip_bytes},
      .lower_bound = [](const SymbolicResult& symbolic) { return rounded(symbolic.total.off_chip_bytes); },
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

// operational_intensity: FLOPs per off-chip byte.

#include "engine/explorer/evaluate.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer::metrics {

const MetricSpec& operational_intensity() {
  static const MetricSpec spec = {
      .name = "operational_intensity",
      .title = "Operational intensity",
      .short_title = "Op. intensity",
      .column = "operational intensity",
      .unit = "FLOPs/byte",
      .kind = MetricKind::Ratio,
      .smaller_is_better = false,
      .prominence = Prominence::Figure,
      .member = &Metrics::operational_intensity,
      .derived =
          [](const Metrics& counts, const SymbolicResult&) {
            return ratioOf(static_cast<double>(counts.flops), static_cast<double>(counts.off_chip_bytes));
          },
      .formula = {.term = &Cost::flops, .over = &Cost::off_chip_bytes},
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

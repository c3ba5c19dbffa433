// total_on_chip_bytes: the memory of operators, as the papers count it, and that of FIFOs.

#include "engine/explorer/evaluate.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer::metrics {

const MetricSpec& total_on_chip_bytes() {
  static const MetricSpec spec = {
      .name = "total_on_chip_bytes",
      .title = "On-chip memory with FIFOs",
      .short_title = "Total on-chip",
      .column = "on-chip and FIFO bytes",
      .unit = "bytes",
      .kind = MetricKind::ByteCount,
      .prominence = Prominence::Figure,
      .member = &Metrics::total_on_chip_bytes,
      .derived =
          [](const Metrics& counts, const SymbolicResult&) {
            return static_cast<double>(counts.on_chip_bytes) + static_cast<double>(counts.fifo_bytes);
          },
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

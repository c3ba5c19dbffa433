// fifo_bytes: what all FIFOs hold when they are full, depth times the bytes of a token.

#include <map>

#include "engine/explorer/evaluate.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer::metrics {
namespace {

double fifoBytes(const SymbolicResult& symbolic) {
  double bytes = 0;
  std::map<std::string, std::pair<Expr, double>> open;  // many streams, few types: size, depths
  for (std::size_t stream = 0; stream < symbolic.graph.streams.size(); ++stream) {
    const auto depth = static_cast<double>(symbolic.graph.streams[stream].depth);
    const Expr size = sizeOf(symbolic.inference.streams[stream].element);
    if (const std::optional<std::int64_t> known = size.value(symbolic.graph.knobs))
      bytes += depth * static_cast<double>(*known);
    else
      open.try_emplace(size.text(), size, 0.0).first->second.second += depth;
  }
  if (open.empty()) return bytes;
  std::vector<Cost> sizes;
  for (const auto& [text, type] : open) sizes.push_back({{}, type.first, {}, {}});
  const std::vector<CostValues> values = valuesOf(sizes, symbolic.bound);
  std::size_t at = 0;
  for (const auto& [text, type] : open) bytes += type.second * values[at++].on_chip_bytes.value_or(0);
  return bytes;
}

}  // namespace

const MetricSpec& fifo_bytes() {
  static const MetricSpec spec = {
      .name = "fifo_bytes",
      .title = "FIFO memory",
      .short_title = "FIFO memory",
      .column = "FIFO bytes",
      .unit = "bytes",
      .kind = MetricKind::ByteCount,
      .prominence = Prominence::Figure,
      .member = &Metrics::fifo_bytes,
      .derived = [](const Metrics&, const SymbolicResult& symbolic) { return fifoBytes(symbolic); },
  };
  return spec;
}

}  // namespace sluice::inline explorer::metrics

#include "engine/explorer/point.h"

#include <algorithm>
#include <limits>

namespace sluice {
namespace {

struct MetricRow {
  const char* name;
  const char* unit;
  bool smaller_is_better;
  double (*value)(const Metrics&);
};

/// The one table of metrics. A metric added here can be plotted, searched, exported and asked for on the
/// command line.
constexpr MetricRow table[] = {
    {"cycles", "cycles", true, [](const Metrics& m) { return static_cast<double>(m.cycles); }},
    {"off_chip_bytes", "bytes", true, [](const Metrics& m) { return static_cast<double>(m.off_chip_bytes); }},
    {"on_chip_bytes", "bytes", true, [](const Metrics& m) { return static_cast<double>(m.on_chip_bytes); }},
    {"flops", "FLOPs", true, [](const Metrics& m) { return static_cast<double>(m.flops); }},
    {"operational_intensity", "FLOPs/byte", false, [](const Metrics& m) { return m.operational_intensity; }},
    {"compute_utilization", "", false, [](const Metrics& m) { return m.compute_utilization; }},
    {"off_chip_bandwidth_utilization", "", false,
     [](const Metrics& m) { return m.off_chip_bandwidth_utilization; }},
    {"token_hops", "tokens", true, [](const Metrics& m) { return static_cast<double>(m.token_hops); }},
    {"hbm_requests", "requests", true, [](const Metrics& m) { return static_cast<double>(m.hbm_requests); }},
};

const MetricRow* find(const std::string& name) {
  const auto* row =
      std::find_if(std::begin(table), std::end(table), [&](const MetricRow& r) { return name == r.name; });
  return row == std::end(table) ? nullptr : row;
}

}  // namespace

const std::vector<std::string>& metricNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const MetricRow& row : table) all.emplace_back(row.name);
    return all;
  }();
  return names;
}

double metric(const Metrics& metrics, const std::string& name) {
  const MetricRow* row = find(name);
  return row ? row->value(metrics) : std::numeric_limits<double>::quiet_NaN();
}

std::string metricUnit(const std::string& name) {
  const MetricRow* row = find(name);
  return row ? row->unit : "";
}

bool smallerIsBetter(const std::string& name) {
  const MetricRow* row = find(name);
  return row == nullptr || row->smaller_is_better;
}

}  // namespace sluice

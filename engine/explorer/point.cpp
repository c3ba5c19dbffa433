#include "engine/explorer/point.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "engine/core/checked.h"

namespace sluice {
namespace {

struct MetricRow {
  const char* name;
  const char* unit;
  bool smaller_is_better;
  std::variant<std::uint64_t Metrics::*, double Metrics::*> member;
  bool bounded = false;  ///< known at the symbolic level, too: as a lower bound

  double value(const Metrics& metrics) const {
    return std::visit([&](auto field) { return static_cast<double>(metrics.*field); }, member);
  }
};

/// The one table of metrics. A metric added here can be plotted, searched, stored, exported and asked for on
/// the command line.
constexpr MetricRow table[] = {
    {"cycles", "cycles", true, &Metrics::cycles, true},
    {"off_chip_bytes", "bytes", true, &Metrics::off_chip_bytes, true},
    {"on_chip_bytes", "bytes", true, &Metrics::on_chip_bytes, true},
    {"flops", "FLOPs", true, &Metrics::flops},
    {"operational_intensity", "FLOPs/byte", false, &Metrics::operational_intensity},
    {"compute_utilization", "", false, &Metrics::compute_utilization},
    {"off_chip_bandwidth_utilization", "", false, &Metrics::off_chip_bandwidth_utilization},
    {"token_hops", "tokens", true, &Metrics::token_hops},
    {"hbm_requests", "requests", true, &Metrics::hbm_requests},
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

double metric(const DesignPoint& point, const std::string& name) {
  const MetricRow* row = find(name);
  const bool known = row && measured(point) && (point.level != Level::Symbolic || row->bounded);
  return known ? row->value(point.metrics) : std::numeric_limits<double>::quiet_NaN();
}

bool measured(const DesignPoint& point) {
  return point.state == PointState::Done || point.state == PointState::Infeasible;
}

const char* text(Level level) {
  return level == Level::Symbolic ? "symbolic" : level == Level::Count ? "count" : "record";
}

std::optional<Level> levelOf(const std::string& name) {
  for (const Level level : {Level::Symbolic, Level::Count, Level::Record}) {
    if (name == text(level)) return level;
  }
  return {};
}

void setMetric(Metrics& metrics, const std::string& name, double value) {
  const MetricRow* row = find(name);
  if (!row) return;
  if (const auto* number = std::get_if<double Metrics::*>(&row->member)) metrics.** number = value;
  const bool counts = value >= 0 && value < static_cast<double>(largest_count);
  if (const auto* count = std::get_if<std::uint64_t Metrics::*>(&row->member); count && counts)
    metrics.** count = static_cast<std::uint64_t>(std::llround(value));
}

bool isCount(const std::string& name) {
  const MetricRow* row = find(name);
  return row && std::holds_alternative<std::uint64_t Metrics::*>(row->member);
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

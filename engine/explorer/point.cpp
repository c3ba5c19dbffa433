#include "engine/explorer/point.h"

#include <limits>

namespace sluice {

std::optional<MetricValue> exactMetric(const DesignPoint& point, const MetricSpec& metric) {
  if (!measured(point) || !metric.knownAt(point.level)) return std::nullopt;
  return metric.value(point.metrics);
}

double metric(const DesignPoint& point, const MetricSpec& metric) {
  return exactMetric(point, metric) ? metric.number(point.metrics) : std::numeric_limits<double>::quiet_NaN();
}

double metric(const DesignPoint& point, const std::string& name) {
  const MetricSpec* spec = findMetric(name);
  return spec ? metric(point, *spec) : std::numeric_limits<double>::quiet_NaN();
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

}  // namespace sluice

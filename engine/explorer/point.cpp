#include "engine/explorer/point.h"

#include <cmath>
#include <limits>

#include "engine/core/enum_names.h"

namespace sluice::inline explorer {

std::optional<MetricValue> exactMetric(const DesignPoint& point, const MetricSpec& metric) {
  if (!measured(point) || !metric.knownAt(point.fidelity) || std::isnan(metric.number(point.metrics)))
    return std::nullopt;
  return metric.value(point.metrics);
}

double metric(const DesignPoint& point, const MetricSpec& metric) {
  return exactMetric(point, metric) ? metric.number(point.metrics) : std::numeric_limits<double>::quiet_NaN();
}

double metric(const DesignPoint& point, const std::string& name) {
  const MetricSpec* spec = findMetric(name);
  return spec ? metric(point, *spec) : std::numeric_limits<double>::quiet_NaN();
}

std::string operatorIn(const Location& place) {
  for (const Where kind : {Where::Operator, Where::Node, Where::Region})
    if (const LocationPart* part = place.find(kind)) return part->name;
  return {};
}

std::vector<std::string> operatorsOfCause(const DesignPoint& point) {
  if (point.deadlock) return point.deadlock->members;
  if (!point.failed_at.empty()) return {point.failed_at};
  return {};
}

bool measured(const DesignPoint& point) {
  return point.state == PointState::Done || point.state == PointState::Infeasible;
}

constexpr EnumName<Fidelity> fidelity_names[] = {
    {Fidelity::Symbolic, "symbolic"}, {Fidelity::Count, "count"}, {Fidelity::Record, "record"}};

const char* text(Fidelity fidelity) {
  return nameIn(fidelity_names, fidelity);
}

std::optional<Fidelity> fidelityOf(const std::string& name) {
  return valueIn(fidelity_names, name);
}

std::vector<std::string> levelNames() {
  return namesIn(fidelity_names);
}

}  // namespace sluice::inline explorer

#pragma once
// Constraints of an exploration: whether any point can meet them all, how many points each of them excludes,
// and how near the nearest came.

#include <optional>
#include <string>
#include <vector>

#include "engine/explorer/explore.h"

namespace sluice::inline explorer {

struct ConstraintReport {
  Constraint constraint;
  std::uint64_t excluded = 0;          ///< points that ended and do not meet it
  std::optional<std::size_t> nearest;  ///< of those, by its value: an index into Exploration::points
  double nearest_value = 0;            ///< in the unit of the metric
};

/// "cycles <= 2000", in the unit of the metric.
std::string constraintText(const Constraint& constraint);
/// A value of its metric: "4096 bytes", "0.35".
std::string valueText(const Constraint& constraint, double value);

/// Of two constraints that no point can meet together; nothing where there are none.
std::optional<Diagnostic> contradictionIn(const std::vector<Constraint>& constraints);

/// One for each constraint, in their order.
std::vector<ConstraintReport> constraintReports(const Exploration& exploration,
                                                const std::vector<Constraint>& constraints);

/// That no run of the workload that ended has a value of the metric, and why.
Diagnostic valueOfNone(const Workload& workload, const MetricSpec& metric);

/// Of a run that ended, but whose costs cannot be counted, or hang on a symbol that nothing gives; nothing of
/// others.
std::optional<Diagnostic> withoutNumbers(const PointResult& result);
/// A warning of a run that ended and needs more on-chip memory than the machine has; nothing of others.
std::optional<Diagnostic> overCapacity(const DesignPoint& point);

/// Why the frontier of an exploration is empty though points ended: none has a value of an objective or of
/// what is constrained, or none meets the constraints. Nothing where it is not.
std::optional<Diagnostic> noFeasiblePoint(const Workload& workload, const Exploration& exploration,
                                          const std::vector<Constraint>& constraints);

}  // namespace sluice::inline explorer

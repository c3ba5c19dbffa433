// Points that ended, counted by the constraints that they do not meet.

#include "engine/explorer/constraint_report.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

#include "engine/explorer/elaborated.h"
#include "engine/explorer/metrics/registry.h"
#include "engine/explorer/metrics/statistic.h"
#include "engine/explorer/metrics/technology_metrics.h"
#include "engine/explorer/point.h"
#include "engine/explorer/tables.h"

namespace sluice::inline explorer {
namespace {

std::string numberText(const MetricSpec* metric, double value) {
  std::ostringstream text;
  text << std::setprecision(metric && metric->isWhole() ? 17 : 6) << value;
  return text.str();
}

const char* comparison(const Constraint& constraint) {
  return constraint.at_most ? " <= " : " >= ";
}

std::string sentenceOf(const ConstraintReport& report, const Document& document,
                       const Exploration& exploration, std::uint64_t ended) {
  const Constraint& constraint = report.constraint;
  std::string sentence = constraint.metric + comparison(constraint) +
                         valueText(constraint, constraint.value) + " excludes " +
                         std::to_string(report.excluded) + " of " + std::to_string(ended);
  if (!report.nearest) return sentence;
  sentence += " (the nearest has " + valueText(constraint, report.nearest_value) + ":";
  const DesignPoint& point = exploration.points[*report.nearest];
  for (const Knob& knob : document.knobs)
    sentence += " " + knob.name + "=" + knobText(knob, point.knobs.at(knob.name));
  return sentence + ")";
}

}  // namespace

std::string constraintText(const Constraint& constraint) {
  return constraint.metric + comparison(constraint) +
         numberText(findMetric(constraint.metric), constraint.value);
}

std::string valueText(const Constraint& constraint, double value) {
  const MetricSpec* const metric = findMetric(constraint.metric);
  const bool unit = metric && !metric->unit.empty();
  return numberText(metric, value) + (unit ? " " + metric->unit : "");
}

std::optional<Diagnostic> contradictionIn(const std::vector<Constraint>& constraints) {
  for (const Constraint& high : constraints)
    for (const Constraint& low : constraints)
      if (high.metric == low.metric && high.at_most && !low.at_most && low.value > high.value)
        return error("no-feasible-point", Location(Where::Constraint, constraintText(high)),
                     "it contradicts " + constraintText(low), "leave one of them out");
  return std::nullopt;
}

std::vector<ConstraintReport> constraintReports(const Exploration& exploration,
                                                const std::vector<Constraint>& constraints) {
  std::vector<ConstraintReport> reports;
  for (const Constraint& constraint : constraints) {
    ConstraintReport& report = reports.emplace_back();
    report.constraint = constraint;
    for (std::size_t i = 0; i < exploration.points.size(); ++i) {
      const DesignPoint& point = exploration.points[i];
      if (point.state != PointState::Done || fulfils(point, {constraint})) continue;
      ++report.excluded;
      const double value = metric(point, constraint.metric);
      if (std::isnan(value)) continue;
      if (report.nearest &&
          (constraint.at_most ? value >= report.nearest_value : value <= report.nearest_value))
        continue;
      report.nearest = i;
      report.nearest_value = value;
    }
  }
  return reports;
}

Diagnostic valueOfNone(const Workload& workload, const MetricSpec& metric) {
  const std::optional<Statistic> statistic = statisticOf(metric);
  const MetricSpec& of = statistic && statistic->of ? *statistic->of : metric;
  Absence absence{statistic ? "its runs end under too few traces" : "", "take another metric"};
  if (of.priced && workload.technology)
    absence = absenceOf(of, *workload.technology).value_or(std::move(absence));
  return error("missing-data", Location(Where::DesignSpace),
               "no run that ended has a value of '" + metric.name + "'" +
                   (absence.why.empty() ? "" : ": " + absence.why),
               std::move(absence.fix));
}

std::optional<Diagnostic> withoutNumbers(const PointResult& result) {
  if (result.point.state != PointState::Failed || result.simulation.fault) return std::nullopt;
  if (auto beyond = beyondCounting(result.symbolic)) return beyond;
  return error("run-failed", Location("program"), result.point.cause,
               "give the input that decides it, or streams and tiles of known size");
}

std::optional<Diagnostic> overCapacity(const DesignPoint& point) {
  if (point.state != PointState::Infeasible) return std::nullopt;
  return warning("memory-exceeded", Location(Where::Machine) / Location(Where::Field, "on_chip_capacity"),
                 point.cause, "choose smaller tiles or depths, or give the machine that much");
}

namespace {

/// Where every point needs more than there is: by how much the least of them.
std::optional<Diagnostic> everywhereOverCapacity(const Exploration& exploration) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const DesignPoint& point : exploration.points) {
    if (point.state != PointState::Infeasible) return std::nullopt;
    least = std::min(least, point.metrics.on_chip_bytes);
  }
  if (exploration.points.empty()) return std::nullopt;
  return error("memory-exceeded", Location(Where::Machine) / Location(Where::Field, "on_chip_capacity"),
               "every point needs more on-chip memory than the machine has; the least is " +
                   std::to_string(least) + " bytes",
               "give the machine that much, or the knobs other values");
}

}  // namespace

std::optional<Diagnostic> noFeasiblePoint(const Workload& workload, const Exploration& exploration,
                                          const std::vector<Constraint>& constraints) {
  const auto isDone = [](const DesignPoint& point) { return point.state == PointState::Done; };
  const auto ended = static_cast<std::uint64_t>(std::ranges::count_if(exploration.points, isDone));
  if (ended == 0) return everywhereOverCapacity(exploration);
  if (!exploration.frontier.empty()) return std::nullopt;
  std::vector<std::string> asked = exploration.objectives;
  for (const Constraint& constraint : constraints) asked.push_back(constraint.metric);
  for (const std::string& name : asked) {
    const auto has = [&](const DesignPoint& point) {
      return isDone(point) && !std::isnan(metric(point, name));
    };
    if (std::ranges::none_of(exploration.points, has)) return valueOfNone(workload, *findMetric(name));
  }
  if (constraints.empty()) return std::nullopt;
  std::string cause = "no point meets all constraints: ";
  for (const ConstraintReport& report : constraintReports(exploration, constraints)) {
    if (!cause.ends_with(": ")) cause += "; ";
    cause += sentenceOf(report, workload.document, exploration, ended);
  }
  return error("no-feasible-point", Location(Where::DesignSpace), std::move(cause),
               exploration.pruned > 0 ? "loosen one of them; " + std::to_string(exploration.pruned) +
                                            " more points were ruled out by their bounds before they ran"
                                      : "loosen one of them, or give the knobs other values");
}

}  // namespace sluice::inline explorer

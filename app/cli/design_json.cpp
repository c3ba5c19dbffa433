#include "app/cli/design_json.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <nlohmann/json.hpp>

#include "app/cli/diagnostics.h"
#include "app/cli/point_json.h"
#include "app/cli/report.h"
#include "app/cli/step_json.h"

namespace sluice::cli {
namespace {

/// Schedules that were not legal and are listed, each whole; compiled programs have tens of thousands, which
/// are counted and told by their codes.
constexpr std::size_t most_rejected = 1000;

/// A count is whole, as in the metrics of a point.
Json boundJson(const BoundGap& gap) {
  if (gap.metric->kind != MetricKind::Count || std::floor(gap.bound) != gap.bound) return gap.bound;
  return static_cast<std::uint64_t>(gap.bound);
}

/// `statistics` over traces, which no run has.
Json toJson(const Document& document, const Design& design, const std::vector<std::string>& statistics) {
  Json object = {{"schedule", scheduleJson(design.schedule)}, {"parent", orNull(design.parent)}};
  const Json point = pointOf(document, design);
  for (const auto& [name, value] : point.items()) object[name] = value;
  object["bounds_only"] = design.point.fidelity == Fidelity::Symbolic;  // `cause` says why
  for (const std::string& name : statistics) {
    const double value = metric(design.point, name);
    object["metrics"][name] = std::isfinite(value) ? Json(value) : Json();
  }
  object["bounds"] = Json::object();
  for (const BoundGap& gap : design.gaps) object["bounds"][gap.metric->name] = boundJson(gap);
  object["within"] = gapsJson(design.gaps);
  return object;
}

Json toJson(const BindingResource& bound) {
  return {{"resource", text(bound.bottleneck)},
          {"operator", bound.where.empty() ? Json() : Json(bound.where)},
          {"share", bound.share}};
}

/// "metrics_before" and so on; `rivals` are points of the same object.
Json toJson(const Document& document, const std::vector<ScheduleStep>& schedule, const LineageStep& step) {
  const Json before = pointJson(document, step.before), after = pointJson(document, step.after);
  return {{"step", stepJson(schedule[step.position])},
          {"state_before", before["state"]},
          {"state_after", after["state"]},
          {"metrics_before", before["metrics"]},
          {"metrics_after", after["metrics"]},
          {"bound_before", toJson(step.bound_before)},
          {"bound_after", toJson(step.bound_after)},
          {"rivals", step.rivals}};
}

Json toJson(const Sameness& sameness) {
  return {{"verdict", text(sameness.verdict)},
          {"why", sameness.why.empty() ? Json() : Json(sameness.why)},
          {"sizes", sameness.sizes},
          {"largest_difference", sameness.largest_difference}};
}

/// How often each code was the reason.
Json reasonsJson(const std::vector<RejectedDesign>& rejected) {
  Json reasons = Json::object();
  for (const RejectedDesign& design : rejected) {
    Json& count = reasons[design.why->front().code];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  return reasons;
}

}  // namespace

Json pointOf(const Document& document, const Design& design) {
  Json point = pointJson(document, design.point);
  if (design.point.fidelity == Fidelity::Symbolic && design.point.state == PointState::Done)
    point["state"] = "bounds";
  return point;
}

Json boundsJson(const ProgramBounds& bounds) {
  Json object = Json::object();
  for (const ReportedBound& bound : reportedBounds(bounds)) {
    const auto* const whole = std::get_if<std::uint64_t>(&bound.value);
    if (whole)
      object[bound.name] = *whole;
    else
      object[bound.name] = bound.isProved() ? Json(bound.number()) : Json();
  }
  return object;
}

Json gapsJson(const std::vector<BoundGap>& gaps) {
  Json within = Json::object();
  for (const BoundGap& gap : gaps) within[gap.metric->name] = gap.ratio;
  return within;
}

Json designJson(const std::string& file, const Workload& workload, const DesignRequest& request,
                const DesignResult& result, const std::vector<DesignReport>& reports) {
  const Document& document = workload.document;
  Json points = Json::array(), rejected = Json::array();
  std::vector<std::string> statistics;
  if (request.traces) {
    statistics = request.objectives;
    for (const Constraint& constraint : request.constraints) statistics.push_back(constraint.metric);
  }
  for (const Design& design : result.designs) {
    points.push_back(toJson(document, design, statistics));
    points.back()["trust"] = trustName(designTrust(workload, request, design).trust);
  }
  for (const DesignReport& report : reports) {
    Json& point = points[report.design];
    point["same_values"] = toJson(report.sameness);
    point["lineage"] = Json::array();
    for (const LineageStep& step : report.lineage)
      point["lineage"].push_back(toJson(document, result.designs[report.design].schedule, step));
  }
  for (const RejectedDesign& design :
       std::span(result.rejected).first(std::min(result.rejected.size(), most_rejected)))
    rejected.push_back({{"schedule", scheduleJson(design.schedule())},
                        {"code", design.why->front().code},
                        {"cause", design.why->front().cause}});
  return {{"file", file},
          {"objectives", request.objectives},
          {"seed", request.seed},
          {"bounds", request.traces ? Json() : boundsJson(result.bounds)},
          {"points", std::move(points)},
          {"frontier", result.frontier},
          {"evaluated", result.simulated},
          {"rejected", std::move(rejected)},
          {"rejected_count", result.rejected.size()},
          {"rejected_by_code", reasonsJson(result.rejected)},
          {"reused", result.reused},
          {"duplicates", result.duplicates},
          {"cut", result.cut},
          {"too_long", result.too_long},
          {"pruned", result.pruned},
          {"complete", result.complete},
          {"cancelled", result.cancelled},
          {"reference", result.reference},
          {"hypervolume", result.hypervolume},
          {"progress", result.progress},
          {"trust", trustJson(trustOf(document))},
          {"diagnostics", diagnosticsJson(result.remarks)},
          {"processor_seconds",
           {{"simulation", result.effort.simulation},
            {"evaluation", result.effort.evaluation},
            {"ruled_out", result.effort.ruled_out},
            {"search", result.effort.search}}},
          {"overhead", result.effort.overhead()},
          {"wall_seconds", result.wall_seconds}};
}

}  // namespace sluice::cli

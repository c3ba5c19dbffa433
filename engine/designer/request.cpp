#include "engine/designer/request.h"

#include <algorithm>
#include <cmath>

#include "engine/distributions/set_search.h"
#include "engine/explorer/constraint_report.h"
#include "engine/explorer/metrics/statistic.h"
#include "engine/program/spelling.h"

namespace sluice::inline designer {
namespace {

Diagnostics checkNames(const std::set<std::string>& names) {
  std::vector<std::string> known;
  for (const Transformation* transformation : registeredTransformations())
    known.push_back(transformation->spec.name);
  for (const std::string& name : names)
    if (!findTransformation(name))
      return {error("unknown-transformation", name, "'" + name + "' is not a transformation",
                    spellingFix(name, known, "use a transformation"))};
  return {};
}

Diagnostics checkLocked(const Document& document, const std::set<std::string>& locked) {
  for (const std::string& path : locked) {
    const std::size_t dot = path.rfind('.');
    const Graph* graph = findGraph(document, dot == std::string::npos ? "" : path.substr(0, dot));
    if (graph && graph->find(dot == std::string::npos ? path : path.substr(dot + 1))) continue;
    return {error("unknown-region", Location(Where::Region, path),
                  "the program has no region or operator of this name to lock",
                  "name one by its path, such as 'layer.expert'")};
  }
  return {};
}

Diagnostics checkNumbers(const DesignRequest& request) {
  if (request.budget == 0 || request.budget > ExploreOptions::most_points)
    return {error("invalid-budget", "budget", "it is " + std::to_string(request.budget) + " designs",
                  "give one from 1 to " + std::to_string(ExploreOptions::most_points))};
  if (!(request.seconds > 0))
    return {error("invalid-budget", "seconds", "no time is left to evaluate a design",
                  "give more than 0 seconds, or leave them out")};
  if (request.most_steps == 0)
    return {error("invalid-budget", "steps", "no step may be added", "allow at least 1")};
  return {};
}

bool ran(const Design& design) {
  return design.point.fidelity != Fidelity::Symbolic && design.point.state == PointState::Done;
}

/// Of a metric that was bounded alone it is the bound.
bool mayFulfil(const Constraint& constraint, const Design& design) {
  const double value = metric(design.point, constraint.metric);
  if (constraint.at_most) return value <= constraint.value;
  return !ran(design) || value >= constraint.value;
}

/// "cycles <= 2000 (at best 2104 where the others are fulfilled)": a constraint, and what comes nearest to
/// it.
std::string missed(const Constraint& constraint, const DesignRequest& request, const DesignResult& result) {
  std::optional<double> best;
  for (const Design& design : result.designs) {
    const bool counts = design.point.state == PointState::Done && (constraint.at_most || ran(design));
    if (!counts || !std::ranges::all_of(request.constraints, [&](const Constraint& other) {
          return other.metric == constraint.metric || mayFulfil(other, design);
        }))
      continue;
    const double value = metric(design.point, constraint.metric);
    if (!best || (constraint.at_most ? value < *best : value > *best)) best = value;
  }
  if (!best) return constraintText(constraint) + " (no design fulfils the others)";
  if (constraint.at_most && *best <= constraint.value)
    return constraintText(constraint) + " (met by bounds, by no run)";
  const char* const others = request.constraints.size() == 1 ? "" : " where the others are fulfilled";
  return constraintText(constraint) + " (at best " + text(Value(std::llround(*best))) + others + ")";
}

/// Designs ended, or could have been ended, that the constraints rule out.
Diagnostic whyInfeasible(const DesignRequest& request, const DesignResult& result) {
  std::string all;
  for (const Constraint& constraint : request.constraints)
    all += (all.empty() ? "" : ", ") + missed(constraint, request, result);
  const std::size_t count = result.designs.size();
  const auto runs = static_cast<std::uint64_t>(std::ranges::count_if(result.designs, ran));
  return error("no-feasible-point", Location(Where::Constraint, constraintText(request.constraints.front())),
               (count == 1 ? "the only design does not fulfil "
                           : "none of " + std::to_string(count) + " designs fulfils ") +
                   all +
                   (runs < count ? "; " + std::to_string(count - runs) +
                                       " of them were not simulated, as their bounds tell as much"
                                 : ""),
               runs < request.budget ? "loosen one" : "loosen one, or raise the budget of designs");
}

/// No design is on the frontier: why.
Diagnostics whyNone(const DesignRequest& request, const DesignResult& result) {
  const auto first = [&](PointState state) {
    return std::ranges::find_if(result.designs, [&](const Design& design) {
      return design.point.fidelity != Fidelity::Symbolic && design.point.state == state;
    });
  };
  const std::size_t count = result.designs.size();
  const std::string none_runs = count == 1 ? "the only design does not run to its end"
                                           : "none of " + std::to_string(count) + " designs runs to its end";
  const auto cause = [&](const auto& design) {
    if (design == result.designs.end()) return none_runs;
    return none_runs + (count == 1 ? ": " : "; of the first: ") + design->point.cause;
  };
  if (std::ranges::any_of(result.designs, ran)) return {whyInfeasible(request, result)};
  if (const auto stuck = first(PointState::Deadlocked); stuck != result.designs.end())
    return {error("deadlock", "designs", cause(stuck),
                  "allow fifo_depth, or deepen FIFOs first ('sluice-cli unlock' says which)")};
  const auto failed = first(PointState::Infeasible) != result.designs.end() ? first(PointState::Infeasible)
                                                                            : first(PointState::Failed);
  // Those that were cut, or not run at all, broke a constraint.
  if (failed == result.designs.end() && !request.constraints.empty() && result.too_long == 0)
    return {whyInfeasible(request, result)};
  return {error("run-failed", "designs", cause(failed),
                result.too_long > 0
                    ? "begin with a smaller program: a run of more than 'most_work' is given up"
                    : "allow more transformations, or change the program or the machine")};
}

}  // namespace

DesignRequest overTraces(DesignRequest request, std::shared_ptr<const WorkloadSet> traces) {
  request.traces = std::move(traces);
  if (request.traces) setRequest(request.objectives, request.constraints);
  return request;
}

Diagnostics checkRequest(const Document& document, const DesignRequest& request, bool over_traces) {
  ExploreOptions alike;
  alike.objectives = request.objectives;
  alike.constraints = request.constraints;
  Document bare;  // its knobs are not searched
  bare.machine = document.machine;
  if (Diagnostics wrong = checkExploration(bare, alike); !wrong.empty()) return wrong;
  std::vector<std::string> metrics = request.objectives;
  for (const Constraint& constraint : request.constraints) metrics.push_back(constraint.metric);
  if (!request.traces && !over_traces)
    if (auto wrong = statisticOfOneTrace(metrics)) return {*std::move(wrong)};
  if (Diagnostics wrong = checkNumbers(request); !wrong.empty()) return wrong;
  for (const auto* names : {&request.allowed, &request.forbidden})
    if (Diagnostics wrong = checkNames(*names); !wrong.empty()) return wrong;
  if (transformationsOf(request).empty())
    return {error("nothing-legal", "transformations", "all that are allowed are forbidden as well",
                  "forbid fewer, or allow more")};
  return checkLocked(document, request.locked);
}

Diagnostics checkBudgets(const DesignRequest& request, const ProgramBounds& bounds) {
  for (const Constraint& constraint : request.constraints) {
    const Location place(Where::Constraint, constraintText(constraint));
    const std::optional<double> least = boundOf(bounds, constraint.metric);
    if (!least || !constraint.at_most || *least <= constraint.value) continue;
    const std::string value = valueText(constraint, *least);
    return {error("no-feasible-point", place, "no schedule of this program comes to less than " + value,
                  "allow at least " + value)};
  }
  if (bounds.infeasible.empty()) return {};
  return {error("no-feasible-point", "budget", bounds.infeasible, "allow more, or take another machine")};
}

Diagnostics remarksOn(const DesignRequest& request, const DesignResult& result) {
  if (result.cancelled) return {};
  if (result.designs.empty())
    return {error("invalid-budget", "seconds", "they were over before one design was evaluated",
                  "give more seconds, or a smaller program")};
  if (result.complete && result.designs.size() == 1 && result.pruned + result.duplicates == 0) {
    std::string cause = "no step is legal behind the program's schedule";
    if (!result.rejected.empty())
      cause += "; of the first that was tried: " + result.rejected.front().why->front().cause;
    if (const DesignPoint& plain = result.designs.front().point; plain.state == PointState::Deadlocked)
      cause += "; and as it is, the program does not run to its end: " + plain.cause;
    return {error("nothing-legal", "schedule", std::move(cause),
                  "allow more transformations, lock less, or begin with another schedule")};
  }
  if (result.frontier.empty()) return whyNone(request, result);
  Diagnostics remarks;
  const Design& best = result.designs[result.frontier.front()];
  if (std::ranges::count_if(result.designs, ran) < 2) return remarks;
  for (const std::string& name : request.objectives) {
    const double value = metric(best.point, name);
    if (std::ranges::any_of(result.designs, [&](const Design& design) {
          return ran(design) && metric(design.point, name) != value;
        }))
      continue;
    remarks.push_back(warning("unchanged-objective", name, "it is the same in every design",
                              "leave it out, or allow a transformation that changes it"));
  }
  return remarks;
}

bool asksForPrices(const DesignRequest& request) {
  const auto isPriced = [](const std::string& name) {
    const MetricSpec* const metric = findMetric(name);
    return metric && metric->priced;
  };
  return std::ranges::any_of(request.objectives, isPriced) ||
         std::ranges::any_of(request.constraints, isPriced, &Constraint::metric);
}

FurtherSteps transformationsOf(const DesignRequest& request) {
  FurtherSteps names;
  for (const Transformation* transformation : registeredTransformations()) {
    const std::string& name = transformation->spec.name;
    if ((request.allowed.empty() || request.allowed.contains(name)) && !request.forbidden.contains(name))
      names.insert(name);
  }
  return names;
}

BoundBudget budgetOf(const DesignRequest& request) {
  BoundBudget budget;
  for (const Constraint& constraint : request.constraints) {
    if (constraint.metric != "on_chip_bytes" || !constraint.at_most || constraint.value < 0) continue;
    const auto bytes = static_cast<Bytes>(std::min(constraint.value, 0x1p62));
    budget.on_chip_bytes = std::min(budget.on_chip_bytes.value_or(bytes), bytes);
  }
  return budget;
}

}  // namespace sluice::inline designer

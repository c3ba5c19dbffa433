#include "engine/designer/request.h"

#include <algorithm>
#include <cmath>

#include "engine/distributions/set_search.h"
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

/// "12 000 cycles" is left to those who print: a constraint as it was asked for.
std::string written(const Constraint& constraint) {
  return constraint.metric + (constraint.at_most ? " <= " : " >= ") +
         text(Value(std::llround(constraint.value)));
}

bool ran(const Design& design) {
  return design.point.level != Level::Symbolic && design.point.state == PointState::Done;
}

/// No design is on the frontier: why.
Diagnostics whyNone(const DesignRequest& request, const DesignResult& result) {
  const auto first = [&](PointState state) {
    return std::ranges::find_if(result.designs, [&](const Design& design) {
      return design.point.level != Level::Symbolic && design.point.state == state;
    });
  };
  const std::size_t count = result.designs.size();
  const std::string only = "the only design does not ",
                    none = "none of " + std::to_string(count) + " designs ";
  const std::string none_runs = count == 1 ? only + "run to its end" : none + "runs to its end";
  if (std::ranges::any_of(result.designs, ran))
    return {error("no-feasible-point", Location(Where::Constraint, written(request.constraints.front())),
                  count == 1 ? only + "fulfil the constraints" : none + "fulfils the constraints",
                  "loosen them, or raise the budget of designs")};
  if (const auto stuck = first(PointState::Deadlocked); stuck != result.designs.end())
    return {error("deadlock", "designs", none_runs + "; of the first: " + stuck->point.cause,
                  "allow fifo_depth, or deepen FIFOs first ('sluice-cli unlock' says which)")};
  const auto failed = first(PointState::Infeasible) != result.designs.end() ? first(PointState::Infeasible)
                                                                            : first(PointState::Failed);
  return {error("run-failed", "designs",
                none_runs + (failed == result.designs.end() ? "" : "; of the first: " + failed->point.cause),
                "allow more transformations, or change the program or the machine")};
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
    const Location place(Where::Constraint, written(constraint));
    if (const auto least = boundOf(bounds, constraint.metric);
        least && constraint.at_most && static_cast<double>(*least) > constraint.value)
      return {error("no-feasible-point", place,
                    "no schedule of this program comes to less than " + std::to_string(*least),
                    "allow at least " + std::to_string(*least))};
    for (const Constraint& other : request.constraints)
      if (constraint.metric == other.metric && constraint.at_most && !other.at_most &&
          other.value > constraint.value)
        return {
            error("no-feasible-point", place, "it contradicts " + written(other), "leave one of them out")};
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
      cause += "; of the first that was tried: " + result.rejected.front().why.front().cause;
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

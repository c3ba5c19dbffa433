#include "engine/explorer/explore.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "engine/core/quantity_text.h"
#include "engine/core/stopwatch.h"
#include "engine/explorer/constraint_report.h"
#include "engine/explorer/metrics/statistic.h"
#include "engine/explorer/metrics/technology_metrics.h"
#include "engine/explorer/search/numbering.h"
#include "engine/explorer/search/strategies.h"
#include "engine/program/spelling.h"

namespace sluice::inline explorer {
namespace {

Diagnostics checkObjectives(const std::vector<std::string>& objectives) {
  const auto refusal = [](Code code, std::string cause, std::string fix) {
    return Diagnostics{error(code, "objectives", std::move(cause), std::move(fix))};
  };
  if (objectives.empty() || objectives.size() > 3) {
    return refusal(objectives.empty() ? Code("missing-value") : Code("too-many"),
                   std::to_string(objectives.size()) + " objectives were given",
                   "give one, two or three metrics");
  }
  for (auto name = objectives.begin(); name != objectives.end(); ++name) {
    if (!findMetric(*name)) return {unknownMetric(*name, "objectives")};
    if (std::find(objectives.begin(), name, *name) != name)
      return refusal("duplicate-name", "'" + *name + "' is given twice", "give it once");
  }
  return {};
}

/// "cycles, off_chip_bytes or on_chip_bytes"
std::string namesOfBounded() {
  std::vector<std::string> names;
  for (const MetricSpec* metric : registeredMetrics())
    if (metric->knownAt(Fidelity::Symbolic)) names.push_back(metric->name);
  std::string list = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) list += (i + 1 < names.size() ? ", " : " or ") + names[i];
  return list;
}

/// What the level, or a short run, does not tell cannot be searched.
Diagnostics checkLevel(const ExploreOptions& options, const Strategy& strategy) {
  const bool symbolic = options.fidelity == Fidelity::Symbolic, short_runs = strategy.short_runs;
  if (!symbolic && !short_runs) return {};
  for (const std::string& name : options.objectives) {
    if (findMetric(name)->knownAt(Fidelity::Symbolic)) continue;
    const std::string known = "take " + namesOfBounded() + ", or ";
    if (symbolic)
      return {error("unknown-objective", "objectives", "'" + name + "' is not known at the symbolic level",
                    known + "the level 'count'")};
    return {error("unknown-objective", "objectives",
                  "'" + name + "' is not known of the short runs of '" + strategy.name + "'",
                  known + "another strategy, such as nsga2")};
  }
  return {};
}

Diagnostics checkSize(const DesignSpace& space, const ExploreOptions& options, const Strategy& strategy) {
  for (const Knob& knob : space.knobs) {
    if (knob.size() > 0) continue;
    return {error("empty-space", Location(Where::Knob, knob.name), "it has no value to explore",
                  "give its range, list or choices at least one value")};
  }
  const auto too_large = [&](const std::string& size, const std::string& most, std::string fix) {
    return Diagnostics{error("space-too-large", Location(Where::DesignSpace),
                             "it has " + size + " points; " + most, std::move(fix))};
  };
  if (space.size() >= std::uint64_t{1} << 63)
    return too_large("2^63 or more", "so many cannot be numbered", "narrow the knobs");
  const std::uint64_t shards = options.shard ? options.shard->count : 1;
  if (strategy.whole_space && (space.size() + shards - 1) / shards > options.budget) {
    return too_large(std::to_string(space.size()),
                     "at most " + std::to_string(options.budget) + " are to be evaluated",
                     "narrow the knobs, raise the budget, or search with a strategy such as nsga2");
  }
  constexpr std::uint64_t most = ExploreOptions::most_points;
  if (std::min(options.budget, space.size() / shards) <= most) return {};
  return {error("invalid-budget", "budget",
                std::to_string(options.budget) + " points are more than fit in memory; at most " +
                    std::to_string(most) + " are kept",
                "lower the budget, or divide the space into shards")};
}

Diagnostics checkStrategy(const ExploreOptions& options) {
  if (!findStrategy(options.strategy)) {
    std::vector<std::string> names;
    for (const Strategy& strategy : strategies()) names.emplace_back(strategy.name);
    return {error("unknown-strategy", "strategy", "'" + options.strategy + "' is not a strategy",
                  spellingFix(options.strategy, names, "use a strategy"))};
  }
  if (options.budget == 0)
    return {error("invalid-budget", "budget", "no point may be evaluated", "give a budget of at least 1")};
  if (!options.shard) return {};
  if (options.shard->count == 0 || options.shard->number >= options.shard->count)
    return {error("out-of-range", "shard",
                  "there is no shard " + std::to_string(options.shard->number) + " of " +
                      std::to_string(options.shard->count),
                  "number the shards from 0")};
  if (options.strategy != "exhaustive")
    return {error("conflicting-options", "shard",
                  "the strategy '" + options.strategy + "' decides on its points as it goes",
                  "shards divide an exhaustive exploration; use MPI for the others")};
  return {};
}

/// P(deadlock) and P(overflow).
bool isProbability(const MetricSpec& metric) {
  const std::optional<Statistic> statistic = statisticOf(metric);
  return statistic && !statistic->of;
}

Diagnostics checkConstraints(const std::vector<Constraint>& constraints) {
  for (const Constraint& constraint : constraints) {
    if (!std::isfinite(constraint.value)) {
      return {error("not-a-number", "constraint",
                    "a bound of " + constraint.metric + " is not a finite number",
                    "give a number, as in " + constraint.metric + "<=4e6")};
    }
    const MetricSpec* const metric = findMetric(constraint.metric);
    if (!metric) return {unknownMetric(constraint.metric, "constraint")};
    if (isProbability(*metric) && (constraint.value < 0 || constraint.value > 1))
      return {error("out-of-range", Location(Where::Constraint, constraintText(constraint)),
                    "a probability is from 0 to 100 %", "write for example " + metric->name + "<=5 %")};
  }
  if (auto wrong = contradictionIn(constraints)) return {*std::move(wrong)};
  return {};
}

/// What follows from prices is not known without a technology.
Diagnostics checkTechnology(bool technology, const ExploreOptions& options) {
  if (technology) return {};
  std::vector<std::string> names = options.objectives;
  for (const Constraint& constraint : options.constraints) names.push_back(constraint.metric);
  for (const std::string& name : names) {
    if (!findMetric(name)->priced) continue;
    return {missingTechnology(name)};
  }
  return {};
}

Diagnostics checked(const DesignSpace& space, bool technology, const ExploreOptions& options) {
  if (Diagnostics wrong = checkObjectives(options.objectives); !wrong.empty()) return wrong;
  if (Diagnostics wrong = checkConstraints(options.constraints); !wrong.empty()) return wrong;
  if (Diagnostics wrong = checkTechnology(technology, options); !wrong.empty()) return wrong;
  if (Diagnostics wrong = checkStrategy(options); !wrong.empty()) return wrong;
  const Strategy& strategy = *findStrategy(options.strategy);
  if (Diagnostics wrong = checkLevel(options, strategy); !wrong.empty()) return wrong;
  return checkSize(space, options, strategy);
}

bool counts(const DesignPoint& point, const std::vector<Constraint>& constraints) {
  return point.state == PointState::Done && fulfils(point, constraints);
}

/// A tenth worse than the worst, either way; `value` is to be minimised.
double aTenthWorse(double value) {
  return value < 0 ? value / 1.1 : value * 1.1;
}

double signedMetric(const DesignPoint& point, const std::string& name) {
  return minimised(name, metric(point, name));
}

/// `reference` with every objective to be minimised, as hypervolumes want it.
std::vector<double> minimisedReference(const Exploration& exploration, std::span<const double> reference) {
  std::vector<double> values;
  for (std::size_t k = 0; k < exploration.objectives.size(); ++k)
    values.push_back(minimised(exploration.objectives[k], reference[k]));
  return values;
}

/// Frontier, reference and hypervolume over the points that are done. An objective that should grow is
/// negated for the while.
void judge(Exploration& exploration, const std::vector<Constraint>& constraints) {
  const std::size_t objectives = exploration.objectives.size();
  std::vector<double> values;
  std::vector<std::size_t> done;
  for (std::size_t i = 0; i < exploration.points.size(); ++i) {
    if (!counts(exploration.points[i], constraints)) continue;
    done.push_back(i);
    for (const std::string& name : exploration.objectives)
      values.push_back(signedMetric(exploration.points[i], name));
  }
  if (done.empty()) return;
  for (std::size_t row : paretoFrontier(values, objectives)) exploration.frontier.push_back(done[row]);
  if (exploration.frontier.empty()) return;  // no point has a value of every objective
  const RelativeHypervolume relative = relativeHypervolume(values, objectives);
  exploration.hypervolume = relative.share;
  for (std::size_t k = 0; k < objectives; ++k)
    exploration.reference.push_back(minimised(exploration.objectives[k], relative.reference[k]));
}

}  // namespace

std::uint64_t DesignSpace::size() const {
  constexpr std::uint64_t most = std::uint64_t{1} << 63;
  std::uint64_t product = 1;
  for (const Knob& knob : knobs) {
    const std::uint64_t values = knob.size();
    if (values == 0) return 0;
    product = values > most / product ? most : product * values;
  }
  return product;
}

KnobValues DesignSpace::point(std::uint64_t index) const {
  return Numbering(knobs).point(index);
}

DesignSpace designSpace(const Document& document, const KnobValues& fixed) {
  DesignSpace space{document.knobs};
  for (Knob& knob : space.knobs) {
    const auto value = fixed.find(knob.name);
    if (value == fixed.end()) continue;
    knob.kind = KnobKind::List;
    knob.list = {value->second};
    knob.initial = value->second;
  }
  return space;
}

Diagnostics checkExploration(const Document& document, const ExploreOptions& options) {
  return checked(designSpace(document, options.fixed), !document.machine.technology.empty(), options);
}

Result<Constraint> parseConstraint(const std::string& text) {
  const auto refusal = [&](std::string cause) {
    return error("constraint-syntax", Location(Where::Constraint, text), std::move(cause),
                 "write it as METRIC<=NUMBER or METRIC>=NUMBER, as in on_chip_bytes<=4MB");
  };
  const std::size_t at = text.find_first_of("<>=");
  const bool equals = at != std::string::npos && text[at] == '=';  // of a share: none, or all
  if (at == std::string::npos || (!equals && (at + 1 >= text.size() || text[at + 1] != '=')))
    return refusal("it compares nothing with <= or >=");
  std::string name = text.substr(0, at), number = text.substr(at + (equals ? 1 : 2));
  for (std::string* each : {&name, &number}) {
    each->erase(0, each->find_first_not_of(' '));
    each->erase(each->find_last_not_of(' ') + 1);
  }
  const MetricSpec* const metric = findMetricTyped(name);
  Constraint constraint{metric ? metric->name : name, text[at] == '<', 0};
  if (metric) {
    const std::optional<double> value = parseQuantity(number, metric->unit);
    if (!value)
      return refusal("'" + number + "' is not a finite number" +
                     (metric->unit.empty() ? "" : " of " + metric->unit));
    constraint.value = *value;
    const bool whole_share = metric->kind == MetricKind::Fraction && (*value == 0 || *value == 1);
    if (equals && !whole_share) return refusal("= is for shares that are 0 or 1, as in P(deadlock)=0");
    if (equals) constraint.at_most = *value == 0;
  }
  if (Diagnostics wrong = checkConstraints({constraint}); !wrong.empty()) return wrong;
  return constraint;
}

bool fulfils(const DesignPoint& point, const std::vector<Constraint>& constraints) {
  return std::all_of(constraints.begin(), constraints.end(), [&](const Constraint& constraint) {
    const double value = metric(point, constraint.metric);
    return constraint.at_most ? value <= constraint.value : value >= constraint.value;
  });
}

std::vector<double> commonReference(std::span<const Exploration> explorations,
                                    const std::vector<Constraint>& constraints) {
  std::vector<double> reference;
  for (const std::string& name : explorations.front().objectives) {
    double worst = -std::numeric_limits<double>::infinity();
    for (const Exploration& exploration : explorations) {
      for (const DesignPoint& point : exploration.points) {
        if (counts(point, constraints)) worst = std::max(worst, signedMetric(point, name));
      }
    }
    reference.push_back(minimised(name, aTenthWorse(worst)));
  }
  return reference;
}

std::vector<double> hypervolumeByVisit(const Exploration& exploration,
                                       const std::vector<Constraint>& constraints,
                                       std::span<const double> reference) {
  std::vector<double> values;
  for (const std::size_t i : exploration.order) {
    const DesignPoint& point = exploration.points[i];
    for (const std::string& name : exploration.objectives)
      values.push_back(counts(point, constraints) ? signedMetric(point, name) : std::nan(""));
  }
  return hypervolumeByVisit(values, exploration.objectives.size(),
                            minimisedReference(exploration, reference));
}

Result<Exploration> explore(const Workload& workload, Executor& executor, const ExploreOptions& options) {
  std::vector<std::string> names = options.objectives;
  for (const Constraint& constraint : options.constraints) names.push_back(constraint.metric);
  if (auto wrong = statisticOfOneTrace(names)) return *std::move(wrong);
  return explore(workload, *localEvaluator(workload, executor), options);
}

Result<Exploration> explore(const Workload& workload, PointEvaluator& evaluator,
                            const ExploreOptions& options) {
  const Clock::time_point start = Clock::now();
  const DesignSpace space = designSpace(workload.document, options.fixed);
  if (Diagnostics wrong = checked(space, workload.technology != nullptr, options); !wrong.empty())
    return wrong;
  const Strategy& strategy = *findStrategy(options.strategy);
  std::optional<KnobExchange> exchange;  // who asks for every point gets every point
  if (!strategy.whole_space && space.size() > options.budget) exchange.emplace(workload, space.knobs);
  SearchContext context(space, evaluator, options,
                        exchange && !exchange->groups().empty() ? &*exchange : nullptr);
  if (options.warm_start) context.warmStart();
  if (context.trouble().empty()) strategy.search(context);
  if (!context.trouble().empty()) return context.trouble();
  Exploration exploration;
  exploration.objectives = options.objectives;
  context.take(exploration);
  if (!context.trouble().empty()) return context.trouble();
  judge(exploration, options.constraints);
  exploration.wall_seconds = secondsSince(start);
  return exploration;
}

}  // namespace sluice::inline explorer

#include "engine/distributions/set_search.h"

#include "engine/core/csv.h"
#include "engine/explorer/metrics/registry.h"

namespace sluice::inline distributions {
namespace {

Diagnostic onlyOne(const char* option, std::string cause, std::string fix) {
  return error("conflicting-options", Location(Where::Option, option), std::move(cause), std::move(fix));
}

Result<Done> checkRequest(const ExploreOptions& request) {
  if (request.fidelity == Fidelity::Symbolic)
    return onlyOne("--level symbolic", "there are no bounds over a set of traces", "take the level count");
  if (request.warm_start)
    return onlyOne("--warm-start",
                   "the store keeps the runs under each trace, not what a search could begin with",
                   "take --resume, which takes the runs from the store");
  return Done{};
}

void limitShares(const Constraint& constraint, const Statistic& statistic, SetOptions& options) {
  if (!constraint.at_most) return;
  if (statistic.kind == StatisticKind::Deadlocks) options.deadlocks = constraint.value;
  if (statistic.kind == StatisticKind::Infeasible) options.overflows = constraint.value;
}

}  // namespace

Statistic statisticMeant(const std::string& name, StatisticKind otherwise) {
  const MetricSpec& metric = *findMetric(name);
  return statisticOf(metric).value_or(Statistic{otherwise, 0, &metric});
}

SetRequest setRequest(std::vector<std::string>& objectives, std::vector<Constraint>& constraints) {
  SetRequest request;
  for (std::string& name : objectives) {
    if (!findMetric(name)) continue;
    request.objectives.push_back(statisticMeant(name, StatisticKind::Mean));
    name = text(request.objectives.back());
  }
  request.options.statistics = request.objectives;
  for (Constraint& constraint : constraints) {
    if (!findMetric(constraint.metric)) continue;
    const Statistic statistic = statisticMeant(constraint.metric, StatisticKind::Worst);
    limitShares(constraint, statistic, request.options);
    request.options.statistics.push_back(statistic);
    constraint.metric = text(statistic);
  }
  return request;
}

void SetSearch::showSpreads(std::shared_ptr<SampleTable> table) {
  for (const MetricSpec* metric : registeredMetrics())
    for (const double quantile : {0.05, 0.95})
      request_.options.shown.push_back({StatisticKind::Quantile, quantile, metric});
  if (!table) return;
  request_.options.on_samples = [table](const KnobValues& knobs,
                                        std::shared_ptr<const PointSamples> samples) {
    table->add(knobs, std::move(samples));
  };
}

Result<std::unique_ptr<SetSearch>> SetSearch::begin(const WorkloadSet& set, Executor& executor,
                                                    const SamplingPrecision& precision,
                                                    ExploreOptions& request) {
  SLUICE_CHECK(checkRequest(request));
  std::unique_ptr<SetSearch> search(new SetSearch(set, executor));
  search->request_ = setRequest(request.objectives, request.constraints);
  search->options().precision = precision;
  search->options().seed = request.seed;
  return search;
}

ExplorationRecord SetSearch::record(ExplorationRecord of_one) {
  hashes_ = hashesOf(set_);
  of_one.workload = hashes_.set;
  of_one.strategy += ", " + set_.description();
  const SamplingPrecision& precision = request_.options.precision;
  if (precision.relative > 0)
    of_one.strategy +=
        ", precision " + csvNumber(precision.relative) + " at " + csvNumber(precision.confidence);
  return of_one;
}

Result<PointStore*> SetSearch::keep(const std::filesystem::path& store, SqlitePointStore& points,
                                    bool resume) {
  SLUICE_TRY(samples_, SampleStore::open(store, points.exploration(), set_, hashes_, resume));
  request_.options.keeper = samples_.get();
  summaries_ = std::make_unique<SummaryStore>(points);
  return summaries_.get();
}

TraceEvaluator& SetSearch::evaluator() {
  if (!evaluator_) evaluator_ = std::make_unique<TraceEvaluator>(set_, executor_, request_.options);
  return *evaluator_;
}

}  // namespace sluice::inline distributions

#include "app/cli/set_exploration.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/cli/metric_text.h"
#include "app/cli/set_report.h"
#include "app/cli/table.h"
#include "engine/core/csv.h"
#include "engine/distributions/frontier_shares.h"
#include "engine/explorer/metrics/registry.h"
#include "engine/explorer/store/workload_hash.h"
#include "engine/explorer/tables.h"

namespace sluice::cli {
namespace {

/// The statistic that a name means; of a plain metric `otherwise`.
Statistic meantBy(const std::string& name, StatisticKind otherwise) {
  const MetricSpec& metric = *findMetric(name);
  return statisticOf(metric).value_or(Statistic{otherwise, 0, &metric});
}

Diagnostic onlyOne(const char* option, std::string cause, std::string fix) {
  return error("conflicting-options", Location(Where::Option, option), std::move(cause), std::move(fix));
}

Result<Done> checkRequest(const ExploreOptions& request) {
  if (request.level == Level::Symbolic)
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

Json traceNames(const WorkloadSet& set, const std::vector<std::size_t>& traces) {
  constexpr std::size_t most = 20;
  Json names = Json::array();
  for (std::size_t i = 0; i < std::min(most, traces.size()); ++i) names.push_back(set.traces[traces[i]].name);
  return names;
}

std::string cellOf(const MetricSpec& metric, double value) {
  if (!std::isfinite(value)) return "-";
  return metricText(metric, metric.isWhole() ? MetricValue(static_cast<std::uint64_t>(std::llround(value)))
                                             : MetricValue(value));
}

}  // namespace

Result<Done> refuseStatistics(const ExploreOptions& request) {
  std::vector<std::string> names = request.objectives;
  for (const Constraint& constraint : request.constraints) names.push_back(constraint.metric);
  if (auto wrong = statisticOfOneTrace(names)) return *std::move(wrong);
  return Done{};
}

Result<std::unique_ptr<SetExploration>> SetExploration::begin(const WorkloadSet& set, unsigned threads,
                                                              const SetArguments& arguments,
                                                              ExploreOptions& request) {
  SLUICE_CHECK(checkRequest(request));
  std::unique_ptr<SetExploration> all(new SetExploration(set, threads));
  SLUICE_TRY(all->options_.precision, precisionOf(arguments));
  if (all->options_.precision.relative > 0)
    all->precision_ = ", precision " + csvNumber(all->options_.precision.relative) + " at " +
                      csvNumber(all->options_.precision.confidence);
  all->options_.seed = request.seed;
  for (std::string& name : request.objectives) {
    if (!findMetric(name)) continue;  // it is refused with the others
    all->objectives_.push_back(meantBy(name, StatisticKind::Mean));
    name = text(all->objectives_.back());
  }
  all->options_.statistics = all->objectives_;
  for (Constraint& constraint : request.constraints) {
    const Statistic statistic = meantBy(constraint.metric, StatisticKind::Worst);
    limitShares(constraint, statistic, all->options_);
    all->options_.statistics.push_back(statistic);
    constraint.metric = text(statistic);
  }
  return all;
}

ExplorationRecord SetExploration::record(ExplorationRecord of_one) {
  hashes_ = hashesOf(set_);
  of_one.workload = hashes_.set;
  of_one.strategy += ", " + std::to_string(set_.traces.size()) + " traces" + precision_;
  return of_one;
}

Result<Done> SetExploration::keepSamples(const std::string& store, StoreJournal& journal, bool resume) {
  SLUICE_TRY(samples_, SampleStore::open(store, journal.exploration(), set_, hashes_, resume));
  options_.keeper = samples_.get();
  summaries_ = std::make_unique<SummaryJournal>(journal);
  return Done{};
}

TraceEvaluator& SetExploration::evaluator(std::function<void(std::uint64_t runs, std::uint64_t of)> on_run) {
  options_.on_run = std::move(on_run);
  evaluator_ = std::make_unique<TraceEvaluator>(set_, *executor_, options_);
  return *evaluator_;
}

std::vector<const PointSamples*> SetExploration::samplesOf(const Exploration& result) const {
  std::vector<const PointSamples*> samples;
  for (const DesignPoint& point : result.points) samples.push_back(evaluator_->samples(point.knobs));
  return samples;
}

std::vector<const MetricSpec*> SetExploration::bases() const {
  std::vector<const MetricSpec*> bases;
  for (const Statistic& objective : objectives_)
    if (objective.of && std::ranges::find(bases, objective.of) == bases.end()) bases.push_back(objective.of);
  return bases;
}

void SetExploration::addTo(Json& report, const Exploration& result) const {
  report["traces"] = tracesJson(set_);
  report["traces"]["runs"] = evaluator_->runs();
  report["traces"]["reused"] = evaluator_->reused();
  report["traces"]["retimed"] = evaluator_->retimed();
  report["traces"]["points_known_early"] = evaluator_->settled();
  const std::vector<const PointSamples*> samples = samplesOf(result);
  const std::vector<FrontierShare> shares =
      bases().empty() ? std::vector<FrontierShare>(samples.size()) : frontierShares(samples, bases());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Json& point = report["points"][i];
    for (const Statistic& statistic : options_.statistics) {
      const double value = metric(result.points[i], metricOf(statistic));
      point["metrics"][text(statistic)] = std::isfinite(value) ? Json(value) : Json();
    }
    if (!samples[i]) continue;
    point["evaluated"] = samples[i]->evaluated();
    Json distributions = Json::object();
    for (const MetricSpec* metric : bases())
      distributions[metric->name] = summaryJson(set_, *samples[i], *metric);
    point["distributions"] = std::move(distributions);
    point["not_done"] = unfinishedJson(set_, *samples[i]);
    point["on_frontier"] = {
        {"share", shares[i].share},
        {"traces", shares[i].on.size()},
        {"of", shares[i].on.size() + shares[i].off.size()},
        {"lost_under", shares[i].on.empty() ? Json::array() : traceNames(set_, shares[i].off)}};
  }
}

void SetExploration::print(const Document& document, const Exploration& result, bool all) const {
  std::vector<std::string> header;
  for (const Knob& knob : document.knobs) header.push_back(knob.name);
  const std::vector<const MetricSpec*> metrics = bases();
  for (const MetricSpec* metric : metrics)
    for (const char* word : {" mean", " p5", " p95", " worst"})
      header.push_back((word == std::string(" mean") ? metric->column : "") + word);
  header.insert(header.end(), {"on its frontier", "locks up", "traces", "frontier", "state"});
  Table table(header, 0);
  const std::vector<const PointSamples*> samples = samplesOf(result);
  const std::vector<FrontierShare> shares =
      metrics.empty() ? std::vector<FrontierShare>(samples.size()) : frontierShares(samples, metrics);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const DesignPoint& point = result.points[i];
    std::vector<std::string> row;
    for (const Knob& knob : document.knobs) row.push_back(knobText(knob, point.knobs.at(knob.name)));
    for (const MetricSpec* metric : metrics) {
      for (const Statistic& each :
           {Statistic{StatisticKind::Mean, 0, metric}, Statistic{StatisticKind::Quantile, 0.05, metric},
            Statistic{StatisticKind::Quantile, 0.95, metric}, Statistic{StatisticKind::Worst, 0, metric}})
        row.push_back(samples[i] ? cellOf(*metric, statistic(*samples[i], each)) : "-");
    }
    const bool best = std::ranges::find(result.frontier, i) != result.frontier.end();
    const double locked = samples[i] ? statistic(*samples[i], {StatisticKind::Deadlocks, 0, nullptr}) : 0;
    row.insert(row.end(),
               {percent(shares[i].share), percent(std::isnan(locked) ? 0 : locked),
                samples[i] ? grouped(samples[i]->evaluated()) : "-", best ? "*" : "", text(point.state)});
    table.row(std::move(row));
  }
  table.print(std::cout, all ? 0 : 100);
  std::cout << "\n"
            << counted(evaluator_->runs(), "run") << " under " << counted(set_.traces.size(), "trace");
  if (evaluator_->reused() > 0) std::cout << ", " << grouped(evaluator_->reused()) << " more from the store";
  if (evaluator_->retimed() > 0) std::cout << ", " << grouped(evaluator_->retimed()) << " of them re-timed";
  if (evaluator_->settled() > 0)
    std::cout << "; " << counted(evaluator_->settled(), "point") << " known before every trace was run";
  std::cout << "\n";
}

}  // namespace sluice::cli

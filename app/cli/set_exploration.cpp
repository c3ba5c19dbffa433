#include "app/cli/set_exploration.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/cli/metric_text.h"
#include "app/cli/set_report.h"
#include "app/cli/table.h"
#include "engine/core/atomic_file.h"
#include "engine/core/printable.h"
#include "engine/distributions/frontier_shares.h"
#include "engine/explorer/metrics/registry.h"
#include "engine/explorer/store/workload_hash.h"
#include "engine/explorer/tables.h"

namespace sluice::cli {
namespace {

Json traceNames(const WorkloadSet& set, const std::vector<std::size_t>& traces) {
  constexpr std::size_t most = 20;
  Json names = Json::array();
  for (std::size_t i = 0; i < std::min(most, traces.size()); ++i) names.push_back(set.traces[traces[i]].name);
  return names;
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
  std::unique_ptr<SetExploration> all(new SetExploration(set, threads));
  SLUICE_TRY(const SamplingPrecision precision, precisionOf(arguments));
  SLUICE_TRY(all->search_, SetSearch::begin(set, *all->executor_, precision, request));
  return all;
}

TraceEvaluator& SetExploration::evaluator(std::function<void(std::uint64_t runs, std::uint64_t of)> on_run) {
  search_->options().on_run = std::move(on_run);
  return search_->evaluator();
}

std::vector<const PointSamples*> SetExploration::samplesOf(const Exploration& result) const {
  std::vector<const PointSamples*> samples;
  for (const DesignPoint& point : result.points) samples.push_back(search_->evaluator().samples(point.knobs));
  return samples;
}

std::vector<const MetricSpec*> SetExploration::bases() const {
  std::vector<const MetricSpec*> bases;
  for (const Statistic& objective : search_->objectives())
    if (objective.of && std::ranges::find(bases, objective.of) == bases.end()) bases.push_back(objective.of);
  return bases;
}

void SetExploration::addTo(Json& report, const Exploration& result) const {
  report["traces"] = tracesJson(set_);
  report["traces"]["runs"] = search_->evaluator().runs();
  report["traces"]["reused"] = search_->evaluator().reused();
  report["traces"]["retimed"] = search_->evaluator().retimed();
  report["traces"]["points_known_early"] = search_->evaluator().settled();
  const std::vector<const PointSamples*> samples = samplesOf(result);
  const std::vector<FrontierShare> shares =
      bases().empty() ? std::vector<FrontierShare>(samples.size()) : frontierShares(samples, bases());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Json& point = report["points"][i];
    for (const Statistic& statistic : search_->options().statistics) {
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

Result<Done> SetExploration::writeSamples(const std::filesystem::path& file, const Document& document,
                                          const Exploration& result) const {
  std::vector<std::string> header;
  for (const Knob& knob : document.knobs) header.push_back(knob.name);
  std::ranges::copy(samplesHeader(), std::back_inserter(header));
  CsvTable table(header);
  const std::vector<const PointSamples*> samples = samplesOf(result);
  return writeFileAtomically(file, [&](const ByteSink& sink) -> Result<Done> {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      std::vector<std::string> knobs;
      for (const Knob& knob : document.knobs)
        knobs.push_back(knobText(knob, result.points[i].knobs.at(knob.name)));
      if (samples[i]) addSamples(table, knobs, set_, *samples[i]);
      SLUICE_CHECK(sink(table.text()));
      table.clear();
    }
    return Done{};
  });
}

void SetExploration::print(const Document& document, const Exploration& result, bool all) const {
  std::vector<std::string> header;
  for (const Knob& knob : document.knobs) header.push_back(knob.name);
  const std::vector<const MetricSpec*> metrics = bases();
  for (const MetricSpec* metric : metrics)
    for (const char* word : {" mean", " p5", " p95", " worst"})
      header.push_back((word == std::string(" mean") ? metric->column : "") + word);
  header.insert(header.end(), {"on its frontier", "deadlocks", "traces", "frontier", "state"});
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
        row.push_back(samples[i] ? metricText(*metric, statistic(*samples[i], each)) : "-");
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
            << counted(search_->evaluator().runs(), "run") << " under " << printableName(set_.description());
  if (search_->evaluator().reused() > 0)
    std::cout << ", " << grouped(search_->evaluator().reused()) << " more from the store";
  if (search_->evaluator().retimed() > 0)
    std::cout << ", " << grouped(search_->evaluator().retimed()) << " of them re-timed";
  if (search_->evaluator().settled() > 0)
    std::cout << "; " << counted(search_->evaluator().settled(), "point")
              << " known before every trace was run";
  std::cout << "\n";
}

}  // namespace sluice::cli

// runExportJob() of what a set of traces has to show: the distribution of a metric, boxes of designs, tokens
// of experts, bands of FIFOs.

#include <algorithm>

#include "app/chart/export_work.h"
#include "engine/distributions/expert_loads.h"
#include "engine/distributions/point_samples.h"
#include "engine/distributions/trace_evaluator.h"
#include "engine/explorer/constraint_report.h"
#include "engine/explorer/metrics/registry.h"
#include "widgets/distributions/box_plot.h"
#include "widgets/distributions/distribution_plot.h"
#include "widgets/distributions/experts_plot.h"

namespace sluice {

using namespace ui;

namespace {

/// Of the design under every trace.
Result<std::shared_ptr<const PointSamples>> samplesOf(const ExportJob& job, const WorkloadSet& set,
                                                      Executor& executor) {
  if (set.empty())
    return error("missing-data", Location(Where::File, job.file), "none of its inputs is a set of traces",
                 "give one: --input NAME=set:FOLDER, or a generated one: --input "
                 "NAME=set:zipf,count=100,skew=0.5");
  return sluice::samplesOf(set, job.knobs, executor);
}

/// Runs that ended, and none of them with the metric: a technology may have no areas.
bool lacks(const PointSamples& samples, const MetricSpec& metric) {
  return !samples.tracesIn(PointState::Done).empty() && orderedValues(samples, metric).empty();
}

Result<Done> exportExperts(const ExportJob& job, const WorkloadSet& set) {
  const std::optional<ExpertLoads> loads = expertLoads(set);
  if (!loads)
    return error("missing-data", Location(Where::File, job.file), "none of its inputs is a set of routings",
                 "give one: --input NAME=set:zipf,count=100,skew=0.5");
  ExpertsPlot plot;
  plot.setLoads(*loads, true);
  return writePicture(job, exportable(plot), {job.width, job.text});
}

}  // namespace

Result<std::vector<OccupancyBand>> bandsOf(const ExportJob& job, const WorkloadSet& set,
                                           const std::vector<std::string>& streams) {
  if (set.empty()) return std::vector<OccupancyBand>();
  const std::unique_ptr<Executor> executor = makeExecutor();
  SLUICE_TRY(const auto samples, samplesOf(job, set, *executor));
  return occupancyBands(set, job.knobs, streams, longestRun(*samples), *executor);
}

Result<Done> exportTraces(const ExportJob& job, const WorkloadSet& set) {
  if (job.chart == "experts") return exportExperts(job, set);
  const MetricSpec* const metric = findMetricTyped(job.metric);
  if (!metric || statisticOf(*metric))
    return error("unknown-metric", Location(Where::Option, "--metric " + job.metric),
                 "'" + job.metric + "' is not a metric of a run", "use one of those that 'explore' prints");
  if (job.chart == "boxes" && !set.empty()) {
    const auto table = std::make_shared<SampleTable>();
    SLUICE_CHECK(exploreAll(set, table));
    std::vector<SampledDesign> designs;
    for (auto& [knobs, samples] : table->all()) designs.push_back({knobs, samples});
    if (std::ranges::all_of(designs,
                            [&](const SampledDesign& each) { return lacks(*each.samples, *metric); }))
      return valueOfNone(*set.workload, *metric);
    BoxPlot plot;
    plot.setDesigns(designs, *metric);
    return writePicture(job, exportable(plot), {job.width, job.text});
  }
  const std::unique_ptr<Executor> executor = makeExecutor();
  SLUICE_TRY(const auto samples, samplesOf(job, set, *executor));
  if (lacks(*samples, *metric)) return valueOfNone(*set.workload, *metric);
  DistributionPlot plot;
  plot.setSamples(set, *samples, *metric, set.chosen);
  return writePicture(job, exportable(plot), {job.width, job.text});
}

}  // namespace sluice

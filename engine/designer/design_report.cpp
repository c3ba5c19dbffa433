#include "engine/designer/design_report.h"

namespace sluice::inline designer {

std::vector<DesignReport> reportFrontier(const Workload& workload, const KnobValues& knobs,
                                         const DesignRequest& request, const DesignResult& result,
                                         Executor& executor, const std::stop_token& stop) {
  const std::vector<Stage> stages = stagesOf(workload, knobs, result, executor, stop);
  if (stop.stop_requested()) return {};
  std::vector<std::optional<DesignReport>> found(result.frontier.size());
  executor.parallelFor(
      found.size(),
      [&](std::size_t i) {
        const std::size_t design = result.frontier[i];
        DesignReport report;
        report.design = design;
        report.lineage = lineageOf(request, result, design, stages);
        report.sameness = checkSameness(withSchedule(workload, result.designs[design].schedule), knobs, stop);
        if (!stop.stop_requested()) found[i] = std::move(report);
      },
      stop);
  std::vector<DesignReport> reports;
  for (std::optional<DesignReport>& report : found)
    if (report) reports.push_back(*std::move(report));
  return reports;
}

}  // namespace sluice::inline designer

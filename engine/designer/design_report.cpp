#include "engine/designer/design_report.h"

namespace sluice::inline designer {

std::vector<DesignReport> reportFrontier(const Workload& workload, const KnobValues& knobs,
                                         const DesignRequest& request, const DesignResult& result,
                                         Executor& executor, const std::stop_token& stop) {
  std::vector<std::optional<DesignReport>> found(result.frontier.size());
  executor.parallelFor(
      found.size(),
      [&](std::size_t i) {
        const std::size_t design = result.frontier[i];
        DesignReport report;
        report.design = design;
        Result<std::vector<LineageStep>> lineage = lineageOf(workload, knobs, request, result, design, stop);
        if (!lineage) return;
        report.lineage = *std::move(lineage);
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

#include "engine/designer/design_report.h"

#include <array>
#include <cstdio>

namespace sluice::inline designer {

std::vector<DesignReport> reportDesigns(const Workload& workload, const KnobValues& knobs,
                                        const DesignRequest& request, const DesignResult& result,
                                        std::span<const std::size_t> designs, Executor& executor,
                                        const std::stop_token& stop) {
  const std::vector<Stage> stages = stagesOf(workload, knobs, result, designs, executor, stop);
  if (stop.stop_requested()) return {};
  std::vector<std::optional<DesignReport>> found(designs.size());
  executor.parallelFor(
      found.size(),
      [&](std::size_t i) {
        const std::size_t design = designs[i];
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

std::vector<DesignReport> reportFrontier(const Workload& workload, const KnobValues& knobs,
                                         const DesignRequest& request, const DesignResult& result,
                                         Executor& executor, const std::stop_token& stop) {
  return reportDesigns(workload, knobs, request, result, result.frontier, executor, stop);
}

std::string samenessText(const Sameness& sameness) {
  std::string sizes;
  for (const auto& [name, value] : sameness.sizes)
    sizes += (sizes.empty() ? ", at " : ", ") + name + "=" + std::to_string(value);
  const char* verdict = sameness.verdict == Sameness::Verdict::Same ? "same tensors"
                        : sameness.verdict == Sameness::Verdict::Different
                            ? "DIFFERENT TENSORS"
                            : "not known to give the same tensors";
  if (sizes.empty() && sameness.verdict == Sameness::Verdict::Same) sizes = " at full size";
  return verdict + sizes + (sameness.why.empty() ? "" : ": " + sameness.why);
}

std::string boundText(const BindingResource& bound) {
  if (bound.bottleneck == Bottleneck::None) return "nothing that is known";
  const std::string where = bound.where.empty() ? "" : " at '" + bound.where + "'";
  std::array<char, 32> share{};
  (void)std::snprintf(share.data(), share.size(), " (%.1f %%)", bound.share * 100);
  return text(bound.bottleneck) + where + share.data();
}

}  // namespace sluice::inline designer

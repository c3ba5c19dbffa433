#include "engine/designer/design_report.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "engine/designer/plain_programs.h"

namespace sluice::inline designer {

std::vector<DesignReport> reportDesigns(const Workload& workload, const KnobValues& knobs,
                                        const DesignRequest& request, const DesignResult& result,
                                        std::span<const std::size_t> designs, Executor& executor,
                                        const std::stop_token& stop) {
  std::vector<Stage> stages = stagesOf(result, designs);
  std::vector<char> ran(stages.size());  // not of bool: threads write side by side
  std::vector<std::optional<Sameness>> proofs(designs.size());
  PlainPrograms plain;
  const auto prove = [&](std::size_t i) {
    const Workload scheduled = withSchedule(workload, result.designs[designs[i]].schedule);
    Sameness sameness = checkSameness(scheduled, knobs, plain, stop);
    if (!stop.stop_requested()) proofs[i] = std::move(sameness);
  };
  // In one go: neither needs the other.
  executor.parallelFor(
      stages.size() + proofs.size(),
      [&](std::size_t i) {
        if (i >= stages.size()) return prove(i - stages.size());
        runStage(stages[i], workload, knobs, result, stop);
        ran[i] = !stop.stop_requested();
      },
      stop);
  if (std::ranges::find(ran, char{0}) != ran.end()) return {};
  std::vector<DesignReport> reports;
  for (std::size_t i = 0; i < proofs.size(); ++i)
    if (proofs[i])
      reports.push_back({designs[i], *std::move(proofs[i]), lineageOf(request, result, designs[i], stages)});
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

TrustLabel designTrust(const Workload& workload, const DesignRequest& request, const Design& design) {
  Document document = workload.document;
  document.schedule = design.schedule;
  return request.traces ? trustOf(document) : trustOf(document, design.point.knobs, workload.inputs);
}

std::string boundText(const BindingResource& bound) {
  if (bound.bottleneck == Bottleneck::None) return "nothing that is known";
  const std::string where = bound.where.empty() ? "" : " at '" + bound.where + "'";
  std::array<char, 32> share{};
  (void)std::snprintf(share.data(), share.size(), " (%.1f %%)", bound.share * 100);
  return text(bound.bottleneck) + where + share.data();
}

}  // namespace sluice::inline designer

#pragma once
// What is reported of designs: that they compute the same, and how they came about. Command line and window
// have it in the same words.

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/designer/explanation.h"
#include "engine/designer/sameness.h"
#include "engine/program/trust.h"

namespace sluice::inline designer {

struct DesignReport {
  std::size_t design = 0;  ///< of the result
  Sameness sameness;
  std::vector<LineageStep> lineage;
};

/// Of designs that were simulated, in their order, on all threads. After a stop request those that were not
/// reached are left out.
std::vector<DesignReport> reportDesigns(const Workload& workload, const KnobValues& knobs,
                                        const DesignRequest& request, const DesignResult& result,
                                        std::span<const std::size_t> designs, Executor& executor,
                                        const std::stop_token& stop = {});
/// Of every design on the frontier.
std::vector<DesignReport> reportFrontier(const Workload& workload, const KnobValues& knobs,
                                         const DesignRequest& request, const DesignResult& result,
                                         Executor& executor, const std::stop_token& stop = {});

/// Why a design's cycles may be believed: of the program, with its schedule, at its point.
TrustLabel designTrust(const Workload& workload, const DesignRequest& request, const Design& design);
/// "same tensors, at D=64, F=128"; "not known to give the same tensors: why"; what differs.
std::string samenessText(const Sameness& sameness);
/// "compute at 'expert.up' (98.0 %)", "nothing that is known".
std::string boundText(const BindingResource& bound);

}  // namespace sluice::inline designer

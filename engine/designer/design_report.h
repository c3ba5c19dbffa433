#pragma once
// What is told of the designs on a frontier: that they compute the same, and how they came about.

#include <optional>
#include <stop_token>
#include <vector>

#include "engine/designer/explanation.h"
#include "engine/designer/sameness.h"

namespace sluice::inline designer {

struct DesignReport {
  std::size_t design = 0;  ///< of the result
  Sameness sameness;
  std::vector<LineageStep> lineage;
};

/// Of every design on the frontier, in its order, on all threads. After a stop request those that were not
/// reached are left out.
std::vector<DesignReport> reportFrontier(const Workload& workload, const KnobValues& knobs,
                                         const DesignRequest& request, const DesignResult& result,
                                         Executor& executor, const std::stop_token& stop = {});

}  // namespace sluice::inline designer

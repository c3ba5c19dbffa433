#pragma once
// A measured run beside the model's run at the same design point.

#include <memory>
#include <set>
#include <stop_token>
#include <string>

#include "engine/explorer/compare.h"
#include "engine/measurements/errors.h"

namespace sluice::inline measurements {

struct MeasuredComparison {
  PointResult model;  ///< with a timeline, unless only the cycles of the run were measured
  ModelErrors errors;
  bool of_model = false;         ///< MeasuredRun::of_model
  std::string point, recording;  ///< those of MeasuredRun
};

/// Runs the model at the point that the run was measured at: `knobs`, but what the run says of them. Names
/// that are neither knobs nor constants are added to `ignored`. Errors: of measuredPoint(), evaluate() and
/// modelErrors(); a stop request.
Result<MeasuredComparison> compareWithModel(std::shared_ptr<const Workload> workload, const KnobValues& knobs,
                                            const MeasuredRun& run, std::set<std::string>& ignored,
                                            const std::stop_token& stop = {});

/// Of several runs, in their order.
Result<std::vector<MeasuredComparison>> compareWithModel(const std::shared_ptr<const Workload>& workload,
                                                         const KnobValues& knobs,
                                                         const std::vector<MeasuredRun>& runs,
                                                         std::set<std::string>& ignored,
                                                         const std::stop_token& stop = {});

/// The same as a comparison of A, the model, with B, what was measured.
Comparison comparisonOf(const MeasuredComparison& compared);

}  // namespace sluice::inline measurements

#pragma once
// The design point that a run was measured at.

#include <memory>
#include <set>
#include <string>

#include "engine/explorer/evaluate.h"
#include "engine/measurements/measurement.h"

namespace sluice::inline measurements {

struct MeasuredPoint {
  std::shared_ptr<const Workload> workload;
  KnobValues knobs;
};

/// `workload` and `knobs` with what the run says of knobs and constants. Names that are neither are added to
/// `ignored`. Errors: a value that a knob does not have, a constant that is an expression.
Result<MeasuredPoint> measuredPoint(std::shared_ptr<const Workload> workload, KnobValues knobs,
                                    const MeasuredRun& run, std::set<std::string>& ignored);

}  // namespace sluice::inline measurements

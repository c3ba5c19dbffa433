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

/// What there is to tell of `ignored`: a warning where a knob or constant of nearly that name may be meant,
/// else a note.
Diagnostics unusedColumns(const std::set<std::string>& ignored, const Document& document);

}  // namespace sluice::inline measurements

#pragma once
// Confirmation: a program whose runs register-transfer simulation has measured, or papers print, and found as
// the model says.

#include <span>
#include <string>

#include "engine/measurements/measured_comparison.h"
#include "engine/program/provenance.h"

namespace sluice::inline measurements {

/// The document's provenance with the points of these runs among those that RTL confirms. Only a recording of
/// RTL that `emit rtl` wrote confirms anything, and only the point that it carries (MeasuredRun::point): a
/// table of cycles, a recording of other hardware or of the model may have its numbers from anywhere.
/// `source`: what was measured. Errors: a run that is no such recording, or of another point; one without
/// cycles; the first of its cycles, cycles of computing, tokens and most tokens that the model has another
/// number for. How many operators have the same waits, too, is told.
Result<Provenance> confirmedByRtl(std::span<const MeasuredComparison> runs, const Workload& workload,
                                  const std::string& source);

/// The same with these points among those that papers have. That the table is what a paper prints is its
/// author's word, `source`; that the model has the same cycles is checked. Errors: a run without cycles, or
/// with others.
Result<Provenance> publishedBy(std::span<const MeasuredComparison> runs, const Workload& workload,
                               const std::string& source);

}  // namespace sluice::inline measurements

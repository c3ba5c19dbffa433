#pragma once
// Confirmation: a program whose runs register-transfer simulation has measured, and found as the model says.

#include <span>
#include <string>

#include "engine/measurements/measured_comparison.h"
#include "engine/program/provenance.h"

namespace sluice::inline measurements {

/// Why the cycles of the document may be believed after these runs. `source`: what was measured. Errors: a
/// run without cycles, or the first of its cycles, cycles of computing, tokens and most tokens that the model
/// has another number for; a recording of the model itself. How many operators have the same waits, too, is
/// told.
Result<Provenance> confirmedByRtl(std::span<const MeasuredComparison> runs, const Document& document,
                                  std::string source);

}  // namespace sluice::inline measurements

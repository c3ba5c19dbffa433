#pragma once
// Confirmation: a program whose runs register-transfer simulation has measured, or papers print, and found as
// the model says.

#include <span>
#include <string>

#include <optional>

#include "engine/measurements/measured_comparison.h"
#include "engine/program/provenance.h"

namespace sluice::inline measurements {

/// What confirms a program.
struct Evidence {
  Trust trust = Trust::Model;  ///< the label of a program that had none
  /// The word of Provenance::covers for the point of a run. Error: the run is no evidence of this kind.
  Result<std::string> (*word)(const std::string& point, const MeasuredComparison& run) = nullptr;
};

/// A recording of RTL that `emit rtl` wrote, of the point that it carries (MeasuredRun::point): a table of
/// cycles, a recording of other hardware or of the model may have its numbers from anywhere.
extern const Evidence emitted_rtl;
/// Cycles that a paper prints; that it does is the word of who says so.
extern const Evidence printed_cycles;

/// A warning where a recording of emitted RTL (`recorded`: MeasuredRun::point) is of another point than the
/// one that the model runs, so that what differs says nothing of the model; nothing where it carries none.
std::optional<Diagnostic> otherPoint(const std::string& recorded, const Workload& workload,
                                     const KnobValues& knobs);

/// The document's provenance with the points of these runs among those that are confirmed. `source`: what was
/// measured, or who prints it. Errors: a run that is no such evidence; one without cycles; the first of its
/// cycles, cycles of computing, tokens and most tokens that the model has another number for. How many
/// operators have the same waits, too, is told.
Result<Provenance> confirmed(const Evidence& evidence, std::span<const MeasuredComparison> runs,
                             const Workload& workload, const std::string& source);

}  // namespace sluice::inline measurements

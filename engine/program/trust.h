#pragma once
// Trust: why the cycles of a document may be believed - from its provenance, unless it was changed since. RTL
// confirms the design points that it ran, and no others: at other knob values, or with other inputs, its
// label does not stand.

#include <string>
#include <string_view>

#include "engine/program/document.h"
#include "engine/program/flat_graph.h"

namespace sluice::inline program {

/// A hash of everything that cycles depend on, but for where knobs stand and the folders that inputs lie
/// in. 32 hexadecimal digits.
std::string coveredContent(const Document& document);
/// The same of one design point: with the values of knobs and inputs. RTL that was emitted carries it.
std::string coveredPoint(const Document& document, const KnobValues& knobs, const InputSet& inputs);
/// A word of Provenance::covers: this point, which RTL ran in this recording (MeasuredRun::recording).
std::string confirmedPoint(const std::string& point, const std::string& recording);

struct TrustLabel {
  Trust trust = Trust::Model;
  std::string source, detail;  ///< of the provenance: its author's words, by which nothing is decided
  bool changed = false;    ///< it has a provenance, but of another program, machine or input than this one
  bool elsewhere = false;  ///< it is said that RTL confirms it, and not here but at `points` others
  std::size_t points = 0;  ///< that RTL ran, of the document as it is
};
/// Of all points of the document, those that RTL did not run among them: Model where the document says
/// nothing, and where it was changed since.
TrustLabel trustOf(const Document& document);
/// Of one point.
TrustLabel trustOf(const Document& document, const KnobValues& knobs, const InputSet& inputs);

/// The metric that a label is of: recordings, measurements and papers have cycles.
inline constexpr std::string_view trusted_metric = "cycles";
/// The label of one metric. Energy, area and whatever else was held against nothing are of the model alone.
TrustLabel ofMetric(const TrustLabel& label, std::string_view metric);

/// "model", "calibrated", "rtl", "published": as in files and JSON.
std::string_view trustName(Trust trust);
/// Beside a number: "calibrated", "RTL", "published"; nothing of the model alone.
std::string shortText(const TrustLabel& label);
/// For people: "calibrated on measurements (fig8.csv, 15 runs)", "model only; RTL confirms 2 other points".
std::string text(const TrustLabel& label);

}  // namespace sluice::inline program

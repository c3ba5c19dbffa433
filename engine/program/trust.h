#pragma once
// Trust: why the cycles of a document may be believed - from its provenance, unless it was changed since. RTL
// confirms the design points that it ran, and papers have cycles of the points that they print, and of no
// others: at other knob values, or with other inputs, neither label stands.

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
/// Likewise: this point, whose cycles are printed in the papers.
std::string publishedPoint(const std::string& point);
/// What the words of Provenance::covers say of a point: nothing (Model), that RTL ran it, or that papers have
/// it.
Trust trustOfPoint(const std::string& covers, const std::string& point);

struct TrustLabel {
  Trust trust = Trust::Model;
  std::string source, detail;  ///< of the provenance: its author's words, by which nothing is decided
  bool changed = false;    ///< it has a provenance, but of another program, machine or input than this one
  bool elsewhere = false;  ///< RTL confirms it, or papers have it, and not here but at `points` others
  std::size_t points = 0;  ///< that RTL ran or papers have, of the document as it is
  Trust claimed = Trust::Model;  ///< by the provenance; `trust` is what of it holds
};
/// Of all points of the document, those that RTL did not run and no paper has among them: Model where the
/// document says nothing, and where it was changed since.
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

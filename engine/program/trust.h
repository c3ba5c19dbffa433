#pragma once
// Trust: why the cycles of a document may be believed - from its provenance, unless it was changed since.

#include <string>

#include "engine/program/document.h"

namespace sluice::inline program {

/// A hash of everything that cycles depend on, but for where knobs stand and the folders that inputs lie
/// in. 32 hexadecimal digits.
std::string coveredContent(const Document& document);

struct TrustLabel {
  Trust trust = Trust::Model;
  std::string source, detail;  ///< of the provenance
  bool changed = false;  ///< it has a provenance, but of another program, machine or input than this one
};
/// Model where the document says nothing, and where it was changed since.
TrustLabel trustOf(const Document& document);

/// "model", "calibrated", "rtl", "published": as in files and JSON.
std::string_view trustName(Trust trust);
/// Beside a number: "calibrated", "RTL", "published"; nothing of the model alone.
std::string shortText(const TrustLabel& label);
/// For people: "calibrated on measurements (fig8.csv, 15 runs)".
std::string text(const TrustLabel& label);

}  // namespace sluice::inline program

#pragma once
// Provenance: what the cycles of a document were held against, as its author or a calibration says. trust.h
// tells whether that still holds of the document as it is.

#include <cstdint>
#include <string>

namespace sluice::inline program {

/// From the weakest to the strongest.
enum class Trust : std::uint8_t {
  Model,       ///< the simulator says so
  Calibrated,  ///< numbers of the machine or the workload were fitted to measurements
  Rtl,         ///< register-transfer simulation gives the same cycles at the points that `covers` has
  Published,   ///< the papers print these cycles, and the simulator gives them
};

struct Provenance {
  Trust trust = Trust::Model;
  std::string source;  ///< "fig8.csv, 15 runs"; "STeP, Figure 8"
  std::string detail;  ///< what was fitted, and how far off it is
  /// coveredContent() of the document that was held against it, and behind it, each after a space, the
  /// coveredPoint() of every design point that RTL ran or papers have (confirmedPoint(), publishedPoint());
  /// empty: whatever the document holds.
  std::string covers;

  bool operator==(const Provenance&) const = default;
};

}  // namespace sluice::inline program

#pragma once
// How much of a recording's time is kept: when operators did what, and how many tokens were in FIFOs.

#include <cstddef>

#include "engine/measurements/measurement.h"

namespace sluice::inline measurements {

/// Counts what is kept. Beyond `most` all of it is given up, as a picture of the beginning alone would
/// mislead.
class Moments {
 public:
  static constexpr std::size_t most = 4'000'000;

  /// `wanted`: ReadOptions::over_time.
  explicit Moments(bool wanted) : wanted_(wanted) {}

  bool keep() { return wanted_ && ++count_ <= most; }
  /// At the end: where there were too many, takes them out of the measurement and says so in its notes.
  void settle(Measurement& measurement) const;

 private:
  bool wanted_;
  std::size_t count_ = 0;
};

}  // namespace sluice::inline measurements

#pragma once
// How much of a recording is kept: its names, when operators did what, and how many tokens were in FIFOs.

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

/// The names that are kept of a file, so that long ones, and many, take no more memory than that.
class NameBudget {
 public:
  static constexpr std::size_t most = std::size_t{1} << 28;  ///< bytes

  /// False: with this one there are too many.
  bool keep(std::size_t bytes) { return (kept_ += bytes) <= most; }
  void drop(std::size_t bytes) { kept_ -= bytes; }

 private:
  std::size_t kept_ = 0;
};

}  // namespace sluice::inline measurements

#pragma once
// Numbering: which point of a design space has which index. Mixed radix, the last knob fastest.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/program/document.h"

namespace sluice::inline explorer {

class Numbering {
 public:
  explicit Numbering(std::span<const Knob> knobs);

  /// Values of each knob.
  const std::vector<std::uint64_t>& radices() const { return radices_; }
  /// Whether the knob's values have no order: choices, and a list that neither rises nor falls throughout.
  bool isCategory(std::size_t knob) const { return categories_[knob]; }
  KnobValues point(std::uint64_t index) const;
  /// Nothing for a point that is not in the space.
  std::optional<std::uint64_t> indexOf(const KnobValues& point) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<std::int64_t>> values_;
  std::vector<std::uint64_t> radices_;
  std::vector<bool> categories_;
};

/// The number of each knob's value at a point.
std::vector<std::uint64_t> digitsOf(std::uint64_t index, std::span<const std::uint64_t> radices);
/// The other way round.
std::uint64_t indexOfDigits(std::span<const std::uint64_t> digits, std::span<const std::uint64_t> radices);

}  // namespace sluice::inline explorer

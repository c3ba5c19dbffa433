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
  KnobValues point(std::uint64_t index) const;
  /// Nothing for a point that is not in the space.
  std::optional<std::uint64_t> indexOf(const KnobValues& point) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<std::int64_t>> values_;
  std::vector<std::uint64_t> radices_;
};

}  // namespace sluice::inline explorer

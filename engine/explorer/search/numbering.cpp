#include "engine/explorer/search/numbering.h"

#include <algorithm>

namespace sluice::inline explorer {
namespace {

bool isOrdered(const std::vector<std::int64_t>& values) {
  return std::is_sorted(values.begin(), values.end()) || std::is_sorted(values.rbegin(), values.rend());
}

}  // namespace

Numbering::Numbering(std::span<const Knob> knobs) {
  for (const Knob& knob : knobs) {
    names_.push_back(knob.name);
    values_.push_back(knob.values());
    radices_.push_back(values_.back().size());
    categories_.push_back(knob.kind == KnobKind::Choice || !isOrdered(values_.back()));
  }
}

KnobValues Numbering::point(std::uint64_t index) const {
  const std::vector<std::uint64_t> digits = digitsOf(index, radices_);
  KnobValues point;
  for (std::size_t k = 0; k < digits.size(); ++k) point[names_[k]] = values_[k][digits[k]];
  return point;
}

std::optional<std::uint64_t> Numbering::indexOf(const KnobValues& point) const {
  std::vector<std::uint64_t> digits;
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const auto value = point.find(names_[k]);
    if (value == point.end()) return {};
    const auto at = std::find(values_[k].begin(), values_[k].end(), value->second);
    if (at == values_[k].end()) return {};
    digits.push_back(static_cast<std::uint64_t>(at - values_[k].begin()));
  }
  return indexOfDigits(digits, radices_);
}

std::vector<std::uint64_t> digitsOf(std::uint64_t index, std::span<const std::uint64_t> radices) {
  std::vector<std::uint64_t> digits(radices.size());
  for (std::size_t k = digits.size(); k-- > 0; index /= radices[k]) digits[k] = index % radices[k];
  return digits;
}

std::uint64_t indexOfDigits(std::span<const std::uint64_t> digits, std::span<const std::uint64_t> radices) {
  std::uint64_t index = 0;
  for (std::size_t k = 0; k < digits.size(); ++k) index = index * radices[k] + digits[k];
  return index;
}

}  // namespace sluice::inline explorer

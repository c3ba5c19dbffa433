#include "engine/explorer/search/numbering.h"

#include <algorithm>

namespace sluice::inline explorer {

Numbering::Numbering(std::span<const Knob> knobs) {
  for (const Knob& knob : knobs) {
    names_.push_back(knob.name);
    values_.push_back(knob.values());
    radices_.push_back(values_.back().size());
  }
}

KnobValues Numbering::point(std::uint64_t index) const {
  KnobValues point;
  for (std::size_t k = values_.size(); k-- > 0; index /= radices_[k])
    point[names_[k]] = values_[k][index % radices_[k]];
  return point;
}

std::optional<std::uint64_t> Numbering::indexOf(const KnobValues& point) const {
  std::uint64_t index = 0;
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const auto value = point.find(names_[k]);
    if (value == point.end()) return {};
    const auto at = std::find(values_[k].begin(), values_[k].end(), value->second);
    if (at == values_[k].end()) return {};
    index = index * radices_[k] + static_cast<std::uint64_t>(at - values_[k].begin());
  }
  return index;
}

}  // namespace sluice::inline explorer

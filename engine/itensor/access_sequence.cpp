#include "engine/itensor/access_sequence.h"

#include <algorithm>

namespace sluice::inline itensor {

AccessSequence::AccessSequence(const ITensor& type)
    : type_(type), count_(tokenCount(type)), index_(type.loops.size()), offset_(type.rank()) {
  computeOffset();
}

std::int64_t AccessSequence::iteration(std::size_t d) const {
  return index_[d] * type_.loops[d].step;
}

void AccessSequence::advance() {
  if (atEnd()) return;
  ++position_;
  for (std::size_t d = index_.size(); d-- > 0;) {
    if (++index_[d] < type_.loops[d].trips) {
      for (std::size_t k = 0; k < offset_.size(); ++k) offset_[k] += type_.stride(k, d);
      return;
    }
    --index_[d];
    for (std::size_t k = 0; k < offset_.size() && index_[d] > 0; ++k)
      offset_[k] -= index_[d] * type_.stride(k, d);
    index_[d] = 0;
  }
}

void AccessSequence::seek(std::int64_t position) {
  position_ = std::clamp<std::int64_t>(position, 0, count_);
  std::int64_t rest = position_;
  for (std::size_t d = index_.size(); d-- > 0;) {
    index_[d] = rest % type_.loops[d].trips;
    rest /= type_.loops[d].trips;
  }
  computeOffset();
}

void AccessSequence::computeOffset() {
  for (std::size_t k = 0; k < offset_.size(); ++k) {
    offset_[k] = type_.map[k].constant;
    for (std::size_t d = 0; d < index_.size(); ++d) {
      if (index_[d] > 0) offset_[k] += index_[d] * type_.stride(k, d);
    }
  }
}

}  // namespace sluice::inline itensor

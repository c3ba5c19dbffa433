#include "engine/itensor/canonical.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace sluice::inline itensor {
namespace {

/// Walks the loops of the canonical form from the innermost outwards.
class CanonicalLoops {
 public:
  explicit CanonicalLoops(const ITensor& type) : type_(type), above_(type.loops.size()) {}

  /// The next loop; false at the end.
  bool next() {
    if (!step()) return false;
    loop_ = above_;
    trips_ = type_.loops[loop_].trips;
    for (std::size_t below = above_; step(); below = above_) {
      if (!continues(above_)) {
        above_ = below;
        break;
      }
      trips_ *= type_.loops[above_].trips;
    }
    return true;
  }
  std::int64_t trips() const { return trips_; }
  std::int64_t stride(std::size_t k) const { return type_.stride(k, loop_); }

 private:
  /// To the next loop outwards that runs more than once; false, and at 0, where there is none.
  bool step() {
    while (above_ > 0) {
      if (type_.loops[--above_].trips > 1) return true;
    }
    return false;
  }
  /// Whether loop d goes on where this one ends.
  bool continues(std::size_t d) const {
    for (std::size_t k = 0; k < type_.rank(); ++k) {
      if (type_.stride(k, d) != trips_ * stride(k)) return false;
    }
    return true;
  }

  const ITensor& type_;
  std::size_t above_;  ///< the outermost loop looked at
  std::size_t loop_ = 0;
  std::int64_t trips_ = 1;
};

bool sameElement(const ITensor& a, const ITensor& b) {
  return a.scalar == b.scalar && a.vector_token == b.vector_token && a.tile == b.tile && a.rank() == b.rank();
}

}  // namespace

ITensor canonicalForm(const ITensor& type) {
  struct Loop {
    std::int64_t trips, step;
    std::vector<std::int64_t> strides;
  };
  std::vector<Loop> inner_first;
  for (CanonicalLoops loops(type); loops.next();) {
    Loop loop{loops.trips(), 0, {}};
    for (std::size_t k = 0; k < type.rank(); ++k) {
      loop.strides.push_back(loops.stride(k));
      loop.step = std::gcd(loop.step, loop.strides.back());
    }
    if (loop.step == 0) loop.step = 1;  // a reuse loop
    inner_first.push_back(std::move(loop));
  }
  ITensor form{type.tile, type.scalar, type.vector_token, {}, {}};
  for (const AffineForm& result : type.map) form.map.push_back({result.constant, {}});
  for (auto loop = inner_first.rbegin(); loop != inner_first.rend(); ++loop) {
    form.loops.push_back({loop->trips, loop->step});
    for (std::size_t k = 0; k < type.rank(); ++k)
      form.map[k].coefficients.push_back(loop->strides[k] / loop->step);
  }
  return form;
}

bool sameStream(const ITensor& a, const ITensor& b) {
  if (!sameElement(a, b)) return false;
  for (std::size_t k = 0; k < a.rank(); ++k) {
    if (a.map[k].constant != b.map[k].constant) return false;
  }
  CanonicalLoops left(a), right(b);
  for (;;) {
    const bool more = left.next();
    if (more != right.next()) return false;
    if (!more) return true;
    if (left.trips() != right.trips()) return false;
    for (std::size_t k = 0; k < a.rank(); ++k) {
      if (left.stride(k) != right.stride(k)) return false;
    }
  }
}

std::strong_ordering compareTypes(const ITensor& a, const ITensor& b) {
  const auto by_loop = [](const ITensorLoop& x, const ITensorLoop& y) {
    return std::pair(x.trips, x.step) <=> std::pair(y.trips, y.step);
  };
  const auto by_form = [](const AffineForm& x, const AffineForm& y) {
    return std::tie(x.constant, x.coefficients) <=> std::tie(y.constant, y.coefficients);
  };
  if (const auto order =
          std::tie(a.scalar, a.vector_token, a.tile) <=> std::tie(b.scalar, b.vector_token, b.tile);
      order != 0)
    return order;
  if (const auto order = std::lexicographical_compare_three_way(a.loops.begin(), a.loops.end(),
                                                                b.loops.begin(), b.loops.end(), by_loop);
      order != 0)
    return order;
  return std::lexicographical_compare_three_way(a.map.begin(), a.map.end(), b.map.begin(), b.map.end(),
                                                by_form);
}

}  // namespace sluice::inline itensor

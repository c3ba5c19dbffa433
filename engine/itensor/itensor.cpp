#include "engine/itensor/itensor.h"

#include <algorithm>
#include <cstdlib>

namespace sluice::inline itensor {
namespace {

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// Multiplies `total` by `factor`; false where it exceeds most_itensor_size.
bool grow(std::int64_t& total, std::int64_t factor) {
  return !__builtin_mul_overflow(total, factor, &total) && total <= most_itensor_size;
}

/// Adds |coefficient| * step * (trips - 1) to `reach`; false where it leaves the bound.
bool reachBy(std::int64_t& reach, std::int64_t coefficient, const ITensorLoop& loop) {
  if (coefficient == 0 || loop.trips == 1) return true;
  if (coefficient < -most_itensor_size || coefficient > most_itensor_size) return false;
  std::int64_t far = std::abs(coefficient);
  return grow(far, loop.step) && grow(far, loop.trips - 1) && (reach += far) <= most_itensor_size;
}

Result<Done> verifyCounts(const ITensor& type) {
  if (type.loops.size() > most_itensor_loops || type.rank() > most_itensor_loops)
    return error("too-many", "iter_space and iter_map",
                 "there are " + counted(type.loops.size(), "loop") + " and " +
                     counted(type.rank(), "map result") + ", more than " + std::to_string(most_itensor_loops),
                 "merge adjacent loops, or collapse dimensions of the tensor");
  if (!type.tile.empty() && type.tile.size() != type.rank())
    return error("rank-mismatch", "iter_map",
                 "the element has " + counted(type.tile.size(), "dimension") + " and the map " +
                     counted(type.rank(), "result"),
                 "give the map one result for each dimension of the element");
  for (std::size_t k = 0; k < type.rank(); ++k) {
    if (type.map[k].coefficients.size() != type.loops.size())
      return error("rank-mismatch", "iter_map, result " + std::to_string(k),
                   "it is over " + counted(type.map[k].coefficients.size(), "loop") +
                       " but the iteration space has " + std::to_string(type.loops.size()),
                   "name every loop of iter_space once on the left of ->");
  }
  return Done{};
}

Result<Done> verifyPositive(const ITensor& type) {
  for (const std::int64_t extent : type.tile) {
    if (extent < 1)
      return error("out-of-range", "element", "the extent " + std::to_string(extent) + " is not positive",
                   "use extents of at least 1");
  }
  if (type.scalar.bits < 1)
    return error("out-of-range", "element", "the scalar has no bits", "use a scalar such as f32, bf16 or i8");
  for (std::size_t d = 0; d < type.loops.size(); ++d) {
    if (type.loops[d].trips < 1 || type.loops[d].step < 1)
      return error("out-of-range", "loop d" + std::to_string(d),
                   "its trip count " + std::to_string(type.loops[d].trips) + " and step " +
                       std::to_string(type.loops[d].step) + " are not both positive",
                   "use trip counts and steps of at least 1");
  }
  return Done{};
}

Result<Done> verifySizes(const ITensor& type) {
  const std::string smaller = "use smaller sizes; the limit is 2^60";
  std::int64_t bits = type.scalar.bits;
  for (const std::int64_t extent : type.tile) {
    if (!grow(bits, extent)) return error("too-many", "element", "a token has more than 2^60 bits", smaller);
  }
  for (std::size_t d = 0; d < type.loops.size(); ++d) {
    std::int64_t bound = type.loops[d].trips;
    if (!grow(bound, type.loops[d].step))
      return error("too-many", "loop d" + std::to_string(d), "trips times step exceeds 2^60", smaller);
    if (!grow(bits, type.loops[d].trips))
      return error("too-many", "iter_space", "the stream has more than 2^60 bits", smaller);
  }
  for (std::size_t k = 0; k < type.rank(); ++k) {
    const AffineForm& form = type.map[k];
    bool fits = form.constant >= -most_itensor_size && form.constant <= most_itensor_size;
    std::int64_t reach = fits ? std::abs(form.constant) : 0;
    for (std::size_t d = 0; d < type.loops.size(); ++d)
      fits = fits && reachBy(reach, form.coefficients[d], type.loops[d]);
    if (!fits)
      return error("too-many", "iter_map, result " + std::to_string(k), "its offsets exceed 2^60", smaller);
  }
  return Done{};
}

}  // namespace

AffineForm AffineForm::loop(std::size_t d, std::size_t loops) {
  AffineForm form = zero(loops);
  form.coefficients.at(d) = 1;
  return form;
}

std::optional<std::size_t> AffineForm::bareLoop() const {
  std::optional<std::size_t> found;
  if (constant != 0) return found;
  for (std::size_t d = 0; d < coefficients.size(); ++d) {
    if (coefficients[d] == 0) continue;
    if (found || coefficients[d] != 1) return std::nullopt;
    found = d;
  }
  return found;
}

bool AffineForm::isZero() const {
  return constant == 0 &&
         std::all_of(coefficients.begin(), coefficients.end(), [](std::int64_t c) { return c == 0; });
}

Result<Done> verify(const ITensor& type) {
  for (const auto& check : {verifyCounts, verifyPositive, verifySizes}) {
    if (Result<Done> done = check(type); !done) return done;
  }
  return Done{};
}

std::int64_t tokenCount(const ITensor& type) {
  std::int64_t count = 1;
  for (const ITensorLoop& loop : type.loops) count *= loop.trips;
  return count;
}

std::int64_t tokenBits(const ITensor& type) {
  std::int64_t bits = type.scalar.bits;
  for (const std::int64_t extent : type.tile) bits *= extent;
  return bits;
}

std::int64_t volumeBits(const ITensor& type) {
  return tokenCount(type) * tokenBits(type);
}

std::int64_t iterationBound(const ITensor& type, std::size_t d) {
  return type.loops[d].trips * type.loops[d].step;
}

OffsetRange offsetRange(const ITensor& type, std::size_t k) {
  OffsetRange range{type.map[k].constant, type.map[k].constant + type.extent(k)};
  for (std::size_t d = 0; d < type.loops.size(); ++d) {
    if (type.loops[d].trips == 1) continue;
    const std::int64_t reach = type.stride(k, d) * (type.loops[d].trips - 1);
    (reach < 0 ? range.begin : range.end) += reach;
  }
  return range;
}

std::optional<std::vector<std::int64_t>> inferredShape(const ITensor& type) {
  std::vector<std::int64_t> shape(type.rank());
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const OffsetRange range = offsetRange(type, k);
    if (range.begin != 0) return std::nullopt;
    shape[k] = range.end;
  }
  return shape;
}

std::vector<std::size_t> reuseLoops(const ITensor& type) {
  std::vector<std::size_t> loops;
  for (std::size_t d = 0; d < type.loops.size(); ++d) {
    if (std::none_of(type.map.begin(), type.map.end(), [d](const AffineForm& form) { return form.uses(d); }))
      loops.push_back(d);
  }
  return loops;
}

std::int64_t revisitFactor(const ITensor& type) {
  std::int64_t factor = 1;
  for (const std::size_t d : reuseLoops(type)) factor *= type.loops[d].trips;
  return factor;
}

bool isProjectedPermutation(const ITensor& type) {
  std::uint64_t used = 0;
  for (const AffineForm& form : type.map) {
    if (form.isZero()) continue;
    const std::optional<std::size_t> loop = form.bareLoop();
    if (!loop || (used >> *loop & 1) != 0) return false;
    used |= std::uint64_t{1} << *loop;
  }
  return true;
}

bool isRegularTiling(const ITensor& type) {
  if (!isProjectedPermutation(type)) return false;
  for (std::size_t k = 0; k < type.rank(); ++k) {
    const std::optional<std::size_t> loop = type.map[k].bareLoop();
    // The step of a loop of one trip is never taken.
    if (loop && type.loops[*loop].trips > 1 && type.loops[*loop].step != type.extent(k)) return false;
  }
  return true;
}

std::optional<std::int64_t> boundedProduct(std::span<const std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (!grow(product, factor)) return std::nullopt;
  }
  return product;
}

}  // namespace sluice::inline itensor

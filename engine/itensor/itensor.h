#pragma once
// An iterative tensor type: a stream of tiles of a tensor together with the order in which they come. The
// stream carries no addresses, so two kernels may be joined by a bare FIFO only if their types describe the
// same stream (canonical.h).
//
//   for every index of the loops, last loop fastest:
//     iteration[d] = index[d] * loops[d].step
//     offset[k]    = map[k](iteration)
//     token        = tensor[offset[k] ... offset[k] + extent(k) - 1 in every dimension k]

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/scalar.h"

namespace sluice::inline itensor {

struct ITensorLoop {
  std::int64_t trips = 1;
  std::int64_t step = 1;

  bool operator==(const ITensorLoop&) const = default;
};

/// One result of the iteration map: constant + sum of coefficient * iteration.
struct AffineForm {
  std::int64_t constant = 0;
  std::vector<std::int64_t> coefficients;  ///< one per loop

  /// The form that is loop `d` of `loops` loops and nothing else.
  static AffineForm loop(std::size_t d, std::size_t loops);
  static AffineForm zero(std::size_t loops) { return {0, std::vector<std::int64_t>(loops)}; }
  /// The loop d where the form is exactly d.
  std::optional<std::size_t> bareLoop() const;
  bool isZero() const;
  bool uses(std::size_t d) const { return coefficients[d] != 0; }

  bool operator==(const AffineForm&) const = default;
};

struct ITensor {
  std::vector<std::int64_t> tile;  ///< a token's shape; empty: the token is a scalar
  Scalar scalar;
  bool vector_token = false;       ///< vector<...>, after vectorisation
  std::vector<ITensorLoop> loops;  ///< outermost first
  std::vector<AffineForm> map;     ///< one per dimension of the tensor

  std::size_t rank() const { return map.size(); }
  /// A token's extent in dimension k of the tensor.
  std::int64_t extent(std::size_t k) const { return tile.empty() ? 1 : tile[k]; }
  /// How far the offset in dimension k moves from one index of loop d to the next.
  std::int64_t stride(std::size_t k, std::size_t d) const { return map[k].coefficients[d] * loops[d].step; }

  bool operator==(const ITensor&) const = default;
};

/// The order in which a stream brings the tiles of a tensor; null: nothing is known of it. Never changed, so
/// that the many streams of a graph share theirs.
using StreamOrder = std::shared_ptr<const ITensor>;

/// Loops and dimensions of a type that passes verify(); offsets, tokens and bits of its stream.
constexpr std::size_t most_itensor_loops = 32;
constexpr std::int64_t most_itensor_size = std::int64_t{1} << 60;

/// Whether the type is well-formed: counts that match, positive sizes, nothing that overflows. Everything
/// below and in the other files of this module takes types that are.
Result<Done> verify(const ITensor& type);

struct OffsetRange {
  std::int64_t begin = 0, end = 0;  ///< the end excluded

  bool operator==(const OffsetRange&) const = default;
};

std::int64_t tokenCount(const ITensor& type);
std::int64_t tokenBits(const ITensor& type);
std::int64_t volumeBits(const ITensor& type);  ///< of the whole stream
/// One past the last index of loop d, in steps: trips * step.
std::int64_t iterationBound(const ITensor& type, std::size_t d);
/// The elements between the first and the last that the stream touches in dimension k.
OffsetRange offsetRange(const ITensor& type, std::size_t k);
/// The smallest tensor from 0 that holds all tokens; empty where an offset is not from 0 on.
std::optional<std::vector<std::int64_t>> inferredShape(const ITensor& type);
/// Loops that move no offset: all faster loops are replayed.
std::vector<std::size_t> reuseLoops(const ITensor& type);
/// How often the whole is sent: the product of the reuse loops' trips.
std::int64_t revisitFactor(const ITensor& type);
/// Every map result is a loop of its own, or 0.
bool isProjectedPermutation(const ITensor& type);
/// ... and every such loop steps by the tile, so that tiles neither overlap nor leave gaps.
bool isRegularTiling(const ITensor& type);

/// The product of positive numbers, empty where it exceeds most_itensor_size.
std::optional<std::int64_t> boundedProduct(std::span<const std::int64_t> factors);
/// Smallest integer not below a / b; a >= 0, b > 0.
constexpr std::int64_t quotientUp(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
/// Bits as whole bytes.
constexpr std::int64_t bytesOf(std::int64_t bits) {
  return quotientUp(bits, 8);
}

}  // namespace sluice::inline itensor

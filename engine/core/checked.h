#pragma once
// Arithmetic on counts that may be too large: sums and products that say so instead of wrapping around.

#include <cstdint>
#include <limits>

namespace sluice {

/// Counts of results have 63 bits, so that files, stores and JSON can hold them.
constexpr std::uint64_t largest_count = std::numeric_limits<std::int64_t>::max();

/// The largest number where the product does not fit.
constexpr std::uint64_t saturatingProduct(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

/// Adds to a count of at most `bits` bits; false, and nothing is added, where it would not fit. One branch:
/// the simulator does this for every token.
template <unsigned bits>
constexpr bool addWithin(std::uint64_t& count, std::uint64_t more) {
  static_assert(bits < 64, "the sum of two of them must not wrap around");
  const std::uint64_t sum = count + more;
  if ((sum | more) >> bits != 0) return false;
  count = sum;
  return true;
}

}  // namespace sluice

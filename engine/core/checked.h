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

/// Adds to a count that stays within `most`; false, and nothing is added, where it would not.
constexpr bool addWithin(std::uint64_t most, std::uint64_t& count, std::uint64_t more) {
  if (count > most || more > most - count) return false;
  count += more;
  return true;
}

}  // namespace sluice

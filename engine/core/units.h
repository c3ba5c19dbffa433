#pragma once
// Units of every number in Sluice: cycles, bytes, floating-point operations; all counted, never rounded but
// for people, who read them with SI prefixes.

#include <cmath>
#include <cstdint>
#include <iterator>

namespace sluice {

using Cycles = std::uint64_t;
using Bytes = std::uint64_t;
using Flops = std::uint64_t;

/// Smallest integer not below a / b; b > 0.
constexpr std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

struct Prefixed {
  double value;
  const char* prefix;  ///< "", "k", "M", ...
};

/// With the SI prefix that leaves less than 999.5: more would be printed as 1000.
inline Prefixed withPrefix(double value) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t step = 0;
  for (; std::abs(value) >= 999.5 && step + 1 < std::size(prefixes); ++step) value /= 1000;
  return {value, prefixes[step]};
}

}  // namespace sluice

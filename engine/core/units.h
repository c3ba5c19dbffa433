#pragma once
// Units of every number in Sluice: cycles, bytes, floating-point operations; all counted, never rounded.

#include <cstdint>

namespace sluice {

using Cycles = std::uint64_t;
using Bytes = std::uint64_t;
using Flops = std::uint64_t;

/// Smallest integer not below a / b; b > 0.
constexpr std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace sluice

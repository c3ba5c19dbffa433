#pragma once
// Samples of a design space. Private to the strategies.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/random.h"

namespace sluice::inline explorer {

/// `count` different indices below `size` (all of them, if there are fewer), in random order.
std::vector<std::uint64_t> distinctPoints(std::uint64_t size, std::uint64_t count, SplitMix64& random);
/// `count` different points; each knob's values are drawn equally often, as far as that goes. `radices`:
/// values of each knob.
std::vector<std::uint64_t> latinHypercube(std::span<const std::uint64_t> radices, std::uint64_t count,
                                          SplitMix64& random);

}  // namespace sluice::inline explorer

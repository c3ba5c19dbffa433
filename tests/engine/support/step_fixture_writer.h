#pragma once
// Writes a flat graph as a fixture of the executable reference model ({"depth", "cfg", "fb", "ops"}).

#include <cstdint>
#include <string>

#include "tests/engine/support/random_graphs.h"

namespace sluice {

/// Operator i gets id i. The depths of streams and the switch cycles are drawn anew from `seed`, in the
/// fixture's own way: one default, some operators with another, switch cycles of every port. The graph must
/// be one of randomReferenceGraph's.
std::string stepFixture(const RandomGraph& random, std::uint64_t seed);

}  // namespace sluice

#pragma once
// Random small flat graphs for the differential tests. The same seed gives the same graph everywhere. Stream
// shapes are tracked, so most graphs are legal; shallow FIFOs on reconvergent paths make some of them
// deadlock, and a few join streams that do not match.

#include <cstdint>

#include "engine/program/flat_graph.h"

namespace sluice {

struct RandomGraph {
  FlatGraph graph;
  InputSet inputs;
};

RandomGraph randomGraph(std::uint64_t seed);
/// Loads and stores of large tiles that contend for the memory, and little else.
RandomGraph randomMemoryGraph(std::uint64_t seed);

/// Of the operators, machines and element types that the executable reference model knows, and without the
/// tokens that it does not check.
RandomGraph randomReferenceGraph(std::uint64_t seed);

}  // namespace sluice

#pragma once
// The maximum cycle ratio of a directed graph with a length and a height on each edge: the largest sum of
// lengths over sum of heights of any cycle, exactly.
//
// Newton's method on the ratio (Dinkelbach 1967; Lawler 1976): a cycle that is longer than `ratio` times its
// height has a larger ratio, which is the next one. Cycles are found by Bellman and Ford's relaxation, first
// in floating point, then in 128-bit integers from the potentials that were found; only the latter decides.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/csdf/graph.h"

namespace sluice::inline csdf {

struct RatioEdge {
  std::uint32_t from = 0, to = 0;
  std::int64_t length = 0;    ///< not negative
  Rational height = {};       ///< of either sign; its sum over a cycle counts
  std::int32_t channel = -1;  ///< for the caller
  bool causal = false;        ///< `to` begins behind it even where its length is 0
};

struct MaximumCycle {
  std::vector<std::size_t> edges;  ///< one behind the other
  bool impossible = false;  ///< its height is not positive: no period is long enough. `ratio` has no meaning
  Rational ratio;
};

struct CycleSearch {
  std::optional<MaximumCycle> cycle;  ///< absent: no cycle has a length
  bool overflow = false;              ///< the numbers are beyond 128 bits
  bool stopped = false;
};

CycleSearch maximumCycleRatio(std::size_t nodes, const std::vector<RatioEdge>& edges,
                              const std::stop_token& stop = {});

}  // namespace sluice::inline csdf

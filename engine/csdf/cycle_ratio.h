#pragma once
// The maximum cycle ratio of a directed graph with a length and a height on each edge: the largest sum of
// lengths over sum of heights of any cycle, exactly.
//
// Policy iteration (policy_iteration.h) gives a cycle and times that nearly always are those of the largest
// ratio. Newton's method decides, in 128-bit integers (Dinkelbach 1967; Lawler 1976): a cycle that is longer
// than `ratio` times its height has a larger ratio, which is the next one; such cycles are found by Bellman
// and Ford's relaxation, which ends at once where the times are right.

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

/// Where the search begins, and what the next one may begin with. The answer is that of any other start, but
/// for which of several cycles of the same ratio it names.
struct RatioStart {
  double ratio = 0;                ///< nearly
  std::vector<double> potentials;  ///< by node; empty: none is known
};

CycleSearch maximumCycleRatio(std::size_t nodes, const std::vector<RatioEdge>& edges, RatioStart& start,
                              const std::stop_token& stop = {});

}  // namespace sluice::inline csdf

#pragma once
// Which throughput a dataflow graph reaches with how much storage: the exact Pareto frontier of the sum of
// all channels' capacities against throughput.
//
// A critical cycle bounds the throughput of every distribution of capacities that gives the channels on it no
// more (S. Stuijk, M. Geilen, T. Basten: "Throughput-buffering trade-off exploration for cyclo-static and
// synchronous dataflow graphs", IEEE Trans. Computers 57(10), 2008: only storage dependencies are worth
// enlarging). The cycle is kept as a cut. What a cut shows to be no faster than what is known is not
// evaluated: it is branched on the channels of the cut, of which one must have more. Branches are taken up by
// the tokens that they need at least, which the cuts tell together; the one with the fewest that no cut
// excludes is evaluated, and is the next point if it is faster. Every step is exact, and none leaves out a
// point.
//
// Room is taken when a firing that fills it starts, and given back when the firing that empties it ends; a
// channel's capacity includes its initial tokens. Channels that only serialise an actor have none.

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/csdf/throughput.h"

namespace sluice::inline csdf {

struct StoragePoint {
  std::int64_t storage = 0;              ///< tokens in all channels together, by their weights
  std::vector<std::int64_t> capacities;  ///< by channel; -1: it is not bounded
  Rational period;                       ///< of one iteration, in time units; 0: nothing bounds it
};

struct StorageProgress {
  std::uint64_t evaluations = 0;
  std::int64_t storage = 0;  ///< all smaller ones have been looked at
  std::size_t points = 0;
};

/// What is looked for.
struct StorageGoal {
  /// By channel, what a token of its capacity counts; 0: it is not bounded. Empty: 1 each.
  std::vector<std::int64_t> weights = {};
  bool fastest = false;  ///< only the last point, which has the graph's own throughput
};

struct StorageBudget {
  std::uint64_t evaluations = 1'000'000;
  std::size_t branches = 4'000'000;
  std::function<bool(const StorageProgress&)> go_on = {};  ///< now and then; false ends the search
  std::stop_token stop = {};                               ///< ends it, also within an evaluation
};

struct StorageFrontier {
  std::vector<StoragePoint> points;  ///< by storage; each is faster than all before it
  std::vector<std::int64_t> least;   ///< by channel: with less it deadlocks, whatever the others have
  std::int64_t least_storage = 0;    ///< their sum
  bool complete = false;             ///< the last point has the graph's own throughput
  /// Points with less are exact; a distribution of that size may be faster than the last point.
  std::int64_t searched_below = 0;
  std::uint64_t evaluations = 0, branches = 0;
};

/// Of a graph that is consistent and live; others have an empty frontier. A search that is ended early gives
/// what was found by then. Errors as of csdfThroughput(), without "cancelled".
Result<StorageFrontier> storageFrontier(const CsdfGraph& graph, const StorageBudget& budget = {},
                                        const StorageGoal& goal = {});

}  // namespace sluice::inline csdf

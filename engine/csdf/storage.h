#pragma once
// Which throughput a dataflow graph reaches with how much storage: the exact Pareto frontier of the sum of
// all channels' capacities against throughput.
//
// A critical cycle bounds the throughput of every distribution of capacities that gives the channels on it no
// more (S. Stuijk, M. Geilen, T. Basten: "Throughput-buffering trade-off exploration for cyclo-static and
// synchronous dataflow graphs", IEEE Trans. Computers 57(10), 2008: only storage dependencies are worth
// enlarging). The cycle is kept as a cut. Distributions are taken up by size; one that a cut shows to be no
// faster than what is known is not evaluated, but enlarged beyond the cut, in each of its channels. What is
// evaluated and faster is the next point. Every step is exact, and none leaves out a point.
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
  std::int64_t storage = 0;              ///< tokens in all channels together
  std::vector<std::int64_t> capacities;  ///< by channel; -1: it is not bounded
  Rational period;                       ///< of one iteration, in time units; 0: nothing bounds it
};

struct StorageProgress {
  std::uint64_t evaluations = 0;
  std::int64_t storage = 0;  ///< all smaller ones have been looked at
  std::size_t points = 0;
};

struct StorageBudget {
  std::uint64_t evaluations = 1'000'000;
  std::size_t distributions = 4'000'000;                   ///< that wait to be looked at
  std::function<bool(const StorageProgress&)> go_on = {};  ///< now and then; false ends the search
  std::stop_token stop = {};
};

struct StorageFrontier {
  std::vector<StoragePoint> points;  ///< by storage; each is faster than all before it
  std::vector<std::int64_t> least;   ///< by channel: with less it locks up, whatever the others have
  std::int64_t least_storage = 0;    ///< their sum
  bool complete = false;             ///< the last point has the graph's own throughput
  std::uint64_t evaluations = 0, distributions = 0;
};

/// Of a graph that is consistent and live; others have an empty frontier. Errors as of csdfThroughput().
Result<StorageFrontier> storageFrontier(const CsdfGraph& graph, const StorageBudget& budget = {});

}  // namespace sluice::inline csdf

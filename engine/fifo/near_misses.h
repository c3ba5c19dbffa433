#pragma once
// Near misses: of a run that ended, the FIFOs that were a few slots away from a deadlock, and what their
// narrowness costs. Both are found by running: with so many slots fewer, and with as many as wanted.

#include "engine/explorer/evaluate.h"
#include "engine/fifo/depth_search.h"

namespace sluice::inline fifo {

struct NearMiss {
  std::string origin, stream;  ///< of the (scheduled) document
  std::size_t instances = 1;
  std::uint64_t depth = 0;
  std::uint64_t fewer = 0;           ///< with so many slots fewer it deadlocks; 1 is the nearest
  std::vector<std::string> members;  ///< of the wait cycle that closes then
  Cycles stall = 0;                  ///< the run would be shorter by this if the FIFO were unlimited
  Cycles full = 0;                   ///< how long it was full, the longest of its instances
};

struct NearMisses {
  std::vector<NearMiss> list;  ///< the nearest first, of these the costliest
  std::size_t runs = 0;
  bool gave_up = false;  ///< the budget ended first
};

/// `point` is a recorded run that ended. `within`: how many slots are near.
NearMisses nearMisses(const Workload& workload, const PointResult& point, std::uint64_t within,
                      const SearchBudget& budget = {});

}  // namespace sluice::inline fifo

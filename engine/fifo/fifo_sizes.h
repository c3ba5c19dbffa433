#pragma once
// FIFO sizes from a run: every FIFO as deep as a run filled it, tried before anybody sees it.

#include <stop_token>

#include "engine/fifo/unlock.h"

namespace sluice {

enum class FifoNeed {
  Run,       ///< what the run with the present depths fills: no slower, no deeper than needed
  Unlimited  ///< what a run with unlimited FIFOs fills: no producer ever waits for room
};

struct FifoSizes {
  std::vector<Repair::Change> changes;         ///< of streams of the (scheduled) document, those that differ
  Document document;                           ///< with the changes in it
  Cycles cycles_before = 0, cycles_after = 0;  ///< both simulated
  double bytes_before = 0, bytes_after = 0;    ///< room in the FIFOs that were sized
};

/// Of the FIFOs in a region, or of all (""). Errors: the program cannot be simulated to its end.
Result<FifoSizes> sizeFifos(const Workload& workload, const KnobValues& knobs, const std::string& region,
                            FifoNeed need, std::stop_token stop = {});

}  // namespace sluice

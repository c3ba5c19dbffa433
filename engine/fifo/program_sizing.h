#pragma once
// The depths of a program's FIFOs by one of the strategies, tried before anybody sees them.

#include "engine/fifo/strategies/strategies.h"
#include "engine/fifo/unlock.h"

namespace sluice::inline fifo {

struct ProgramSizing {
  std::vector<Repair::Change> changes;       ///< of streams of the (scheduled) document, those that differ
  Document document;                         ///< with the changes in it
  std::optional<Cycles> cycles_before;       ///< absent: it deadlocks with the present depths
  Cycles cycles_after = 0;                   ///< simulated, as those before
  double bytes_before = 0, bytes_after = 0;  ///< room in the FIFOs that were sized
  std::int64_t blocks_before = 0, blocks_after = 0;  ///< of BRAM, as sizing/fifo_blocks.h counts them
  std::vector<SimulatedSizing> front;                ///< where asked for: less room at more cycles
  std::vector<std::string> fifos;                    ///< names, parallel to the depths of the frontier
};

/// Of the FIFOs in a region, or of all (""). Errors: the strategy needs what the program has not, or the
/// program does not come to its end.
Result<ProgramSizing> sizeProgram(const Workload& workload, const KnobValues& knobs,
                                  const std::string& region, const DepthStrategy& strategy,
                                  const DepthOptions& options = {});

}  // namespace sluice::inline fifo

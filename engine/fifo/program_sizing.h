#pragma once
// The depths of a program's FIFOs by one of the strategies, tried before anybody sees them.

#include <memory>

#include "engine/fifo/strategies/strategies.h"
#include "engine/fifo/unlock.h"

namespace sluice::inline fifo {

/// A FIFO that was sized: those of one stream of the (scheduled) document.
struct SizedFifoGroup {
  std::string origin;  ///< of the stream
  std::string name;    ///< "expert.pack.out -> expert.gate.in"
  std::size_t instances = 1;
  std::uint64_t depth = 0;  ///< before
  double bytes = 0;         ///< of one more token in each
};

struct ProgramSizing {
  std::vector<Repair::Change> changes;  ///< of streams of the (scheduled) document, those that differ
  Document document;                    ///< with the changes in it
  std::optional<Cycles> cycles_before;  ///< absent: it deadlocks with the present depths
  Cycles cycles_after = 0;              ///< simulated, as those before
  /// Room in all FIFOs of the program, sized ones and others: what a run has as the metric fifo_bytes.
  double bytes_before = 0, bytes_after = 0;
  std::int64_t blocks_before = 0, blocks_after = 0;  ///< of BRAM, as sizing/fifo_blocks.h counts them
  std::vector<SizedFifoGroup> fifos;                 ///< that were sized
  /// Where asked for: less room at more cycles. Depths are parallel to `fifos`; bytes and blocks are of all
  /// FIFOs of the program.
  std::vector<SimulatedSizing> front;
  std::shared_ptr<const ScheduledProgram> scheduled;  ///< null without a schedule
};

/// Of the FIFOs in a region, or of all (""). Errors: the strategy needs what the program has not, or the
/// program does not come to its end.
Result<ProgramSizing> sizeProgram(const Workload& workload, const KnobValues& knobs,
                                  const std::string& region, const DepthStrategy& strategy,
                                  const DepthOptions& options = {});
/// The same sizing with the depths of a point of its frontier, tried like those before. `number`: from 1.
/// Errors: there is no such point.
Result<ProgramSizing> pickFromFront(const Workload& workload, const KnobValues& knobs, ProgramSizing sizing,
                                    std::size_t number, const std::stop_token& stop = {});

}  // namespace sluice::inline fifo

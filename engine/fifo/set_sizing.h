#pragma once
// FIFO depths of a program for every trace of a set: of each FIFO the most that any trace asks for.

#include "engine/core/executor.h"
#include "engine/explorer/workload_set.h"
#include "engine/fifo/program_sizing.h"

namespace sluice::inline fifo {

struct SetSizing {
  Document document;                    ///< with these depths
  std::vector<Repair::Change> changes;  ///< FIFOs whose depth changes
  std::vector<std::size_t> needed_by;   ///< parallel: the first trace that asks for so much
  double bytes_before = 0, bytes_after = 0;
  std::optional<Cycles> most_cycles_before;  ///< of all traces; absent: it deadlocks under one
  Cycles most_cycles_after = 0;
};

/// As sizeProgram() under each trace; the depths found have been run under all. Errors: those of the first
/// trace that has one, and a trace that does not end with them.
Result<SetSizing> sizeSet(const WorkloadSet& set, const KnobValues& knobs, const std::string& region,
                          const DepthStrategy& strategy, const DepthOptions& options, Executor& executor);

}  // namespace sluice::inline fifo

#pragma once
// The traces of a set under which a program runs, to its end or into a deadlock: the others say nothing of
// FIFO depths.

#include <stop_token>

#include "engine/core/executor.h"
#include "engine/explorer/workload_set.h"

namespace sluice::inline fifo {

/// The place of each begins with the trace.
Diagnostics underTrace(Diagnostics wrong, const std::string& trace);
/// Why the run of a point did not come to an end or a deadlock; nothing where it did.
Diagnostics failureOf(const Result<PointResult>& point);

/// What comes of a program under the traces of a set.
struct TraceRuns {
  std::vector<std::size_t> locked;  ///< traces under which it deadlocks, ascending
  Cycles most_cycles = 0;
};

struct RunnableTraces {
  WorkloadSet set;
  TraceRuns runs;  ///< of the program as it is, under these traces
};

/// `set` without the traces under which the run fails; each is a warning in `left_out`. Errors: that of the
/// first trace where all fail, cancelled.
Result<RunnableTraces> runnableTraces(WorkloadSet set, const KnobValues& knobs, Executor& executor,
                                      const std::stop_token& stop);

}  // namespace sluice::inline fifo

#pragma once
// The depths that free a program under every trace of a set, with the fewest bytes, and the trace that needs
// each.
//
// A solution for some of the traces costs no more than one for all. So the depths for the traces that
// deadlock are searched, beginning with one of them, and tried under all; a trace that still deadlocks joins
// those that are searched for, until none does.

#include "engine/core/executor.h"
#include "engine/fifo/runnable_traces.h"
#include "engine/fifo/unlock.h"

namespace sluice::inline fifo {

struct SetUnlock {
  std::vector<std::size_t> locked;  ///< traces under which the program deadlocks as it is
  std::vector<std::size_t> real;    ///< of these, those that no depths free
  /// Absent: none was found within the budget, or nothing deadlocks that depths could free. Its `cycles` are
  /// the most of all traces.
  std::optional<Repair> repair;
  std::vector<std::size_t>
      needed_by;  ///< parallel to the changes: a trace that deadlocks with one slot less there
  std::vector<std::size_t> searched;  ///< the traces that decided
  std::size_t runs = 0;
  bool gave_up = false;  ///< the budget ended first
};

/// Errors: a trace under which the program, with other depths, is refused or fails. There is at least one
/// trace.
Result<SetUnlock> unlockSet(const RunnableTraces& traces, const KnobValues& knobs, Executor& executor,
                            const SearchBudget& budget = {});

}  // namespace sluice::inline fifo

#pragma once
// Unlock: is a deadlock artificial (some finite depths free it) or real (none do), why, and the repair with
// the fewest bytes, re-simulated before anybody sees it.

#include "engine/explorer/evaluate.h"
#include "engine/fifo/depth_search.h"
#include "engine/fifo/lock_reasons.h"

namespace sluice::inline fifo {

struct Repair {
  struct Change {
    std::string origin;  ///< of the stream in the (scheduled) document
    std::string stream;  ///< "expert.pack.out -> expert.gate.in"
    std::size_t instances = 1;
    std::uint64_t from = 0, to = 0;
    double bytes = 0;  ///< more on chip, of all instances
  };
  std::vector<Change> changes;
  double bytes = 0;
  Cycles cycles = 0;      ///< of the run with these depths
  bool minimal = false;   ///< no repair with fewer bytes exists; else: none was found
  bool verified = false;  ///< the repaired document was run to its end
};

/// The smallest repair of one wait cycle, all FIFOs outside it being unlimited. Together they may cost less
/// than the whole repair: wait cycles that close later are not in the report. `cycles` is of the program with
/// this repair alone, and `verified` that its wait cycle is gone then.
struct CycleRepair : Repair {
  bool ends = false;     ///< the program with this repair alone
  std::size_t left = 0;  ///< wait cycles that it deadlocks in instead
};

struct Unlock {
  LockKind kind = LockKind::Undecided;
  std::vector<LockKind> cycles;  ///< parallel to DeadlockReport::cycles
  /// Parallel to DeadlockReport::cycles; absent: not artificial, or the budget ended first.
  std::vector<std::optional<CycleRepair>> cycle_repairs;
  std::vector<LockReason> reasons;  ///< why larger FIFOs are the fix, or what is wrong instead
  std::optional<Repair> repair;
  std::size_t runs = 0;
  bool gave_up = false;  ///< the budget ended first
};

/// `locked` is a run of `graph` with a deadlock. `token_bytes`: of every stream, given the run without limits
/// (which tells the sizes that only a run can).
using TokenBytes = std::function<std::vector<double>(const SimulationResult& unlimited)>;
Unlock unlock(const FlatGraph& graph, const InputSet& inputs, const SimulationResult& locked,
              const TokenBytes& token_bytes, const SearchBudget& budget = {});

/// Bytes of a token of every stream of the point; `unlimited` tells the sizes that only a run can.
std::vector<double> tokenBytes(const PointResult& point, const SimulationResult& unlimited);

/// The same for a design point; `locked.simulation.deadlock` is set. The repaired document has been
/// evaluated.
Unlock unlock(const Workload& workload, const PointResult& locked, const SearchBudget& budget = {});

/// A stream of the (scheduled) document by its ends: "expert.pack.out -> expert.gate.in".
std::string fifoName(const Stream& stream, const std::string& origin);

/// The document with the repair in it, one change to undo: depths of its streams, or, behind a schedule, as
/// further fifo_depth steps. `scheduled`: the program that the repair speaks of, null without a schedule.
Document repaired(const Document& document, const ScheduledProgram* scheduled, const Repair& repair);

}  // namespace sluice::inline fifo

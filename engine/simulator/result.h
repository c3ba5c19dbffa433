#pragma once
// What a simulation gives back. Vectors are parallel to FlatGraph::operators and FlatGraph::streams.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/diagnostic.h"
#include "engine/core/units.h"
#include "engine/program/flat_graph.h"
#include "engine/simulator/occupancy_series.h"

namespace sluice::inline simulator {

/// Count: only the numbers below (the sweep). Record: also occupancy over time of every stream. Timeline:
/// also what every process did at every cycle, and exact occupancy of far more events.
enum class RecordMode { Count, Record, Timeline };

class Timeline;

struct StreamStats {
  std::uint64_t tokens = 0;
  std::uint64_t max_occupancy = 0;  ///< tokens in the FIFO at once, in simulated time, exact; 0 in Count mode
  std::vector<std::uint64_t> groups;  ///< groups[k]: tokens whose stop level is >= k, = total extent of the
                                      ///< dimension of rank index k
};

struct OperatorStats {
  Cycles finished = 0;  ///< local clock at the end
  Cycles busy = 0;      ///< computing, or (memory operators) waiting for memory
  Cycles blocked_on_input = 0, blocked_on_output = 0;
  Flops flops = 0;
  Bytes off_chip_bytes = 0;    ///< tile bytes moved, not rounded up to requests
  Cycles blocked_on_unit = 0;  ///< waiting for an on-chip memory unit that others use (Machine::scratchpads)
  /// Of its bursts, in a memory with banks: those that found their row open, and those that had to open it.
  std::uint64_t row_hits = 0, row_activations = 0;
  std::uint64_t switches = 0;  ///< of a merge: how often the next group came from another input than the last
};

enum class WaitReason { Empty, Full, Memory };

struct BlockedOperator {
  OperatorId op = 0;
  WaitReason reason = WaitReason::Empty;
  StreamId stream = 0;       ///< meaningless for Memory
  OperatorId waits_for = 0;  ///< the operator at the stream's other end
  Cycles since = 0;          ///< local clock when it blocked, that is, of its last progress
  std::uint64_t token = 0;   ///< number of the token it wants to push or pop
  /// Of an operator that watches several streams: inputs that may still bring something (EagerMerge), or an
  /// input and a full output. It waits for any of them, `stream` is the first. Empty: for `stream` alone.
  std::vector<StreamId> any_of;
  std::uint32_t distance =
      0;  ///< waits between it and a member of a wait cycle (or a stranded one); 0: it is one
};

/// Operators that wait for each other only.
struct CircularWait {
  /// Every operator waits for the next, the last for the first; where one waits for any of several streams, a
  /// bundle of such wait cycles, each member once.
  std::vector<OperatorId> members;
  Cycles closed_at = 0;  ///< when the last of its waits began
};

struct DeadlockReport {
  Cycles at = 0;  ///< when the last wait of all began
  std::vector<BlockedOperator> blocked;
  std::vector<CircularWait> cycles;  ///< disjoint, independent of each other
  std::vector<OperatorId> stranded;  ///< wait for an operator that has finished
  std::vector<OperatorId> victims;   ///< wait for the above, at a distance

  /// Null: it is not blocked.
  const BlockedOperator* find(OperatorId op) const;
};

/// Why a run could not go on: mostly a stop level, tile or selector that an operator cannot accept.
struct SimulationFault {
  OperatorId op = 0;
  std::uint32_t port = 0;
  std::uint64_t token = 0;
  Code code = "wrong-token";
  std::string cause, fix;
};

/// A token as it was pushed into a captured stream (SimulationOptions::capture); tests and the token
/// inspector read these.
struct CapturedToken {
  Cycles arrival = 0;
  std::uint32_t stop = 0;  ///< 0: Val
  std::uint64_t rows = 0, cols = 0, valid = 0;
  std::vector<std::uint32_t> selected;
  std::uint64_t scalar = 0;
};

/// What arrived at a Printer.
struct PrintedStream {
  OperatorId op = 0;
  std::vector<CapturedToken> tokens;
};

struct SimulationResult {
  Cycles cycles = 0;
  std::uint64_t token_hops = 0;  ///< one token moved over one stream = one hop
  std::uint64_t hbm_requests = 0;
  Flops flops = 0;
  Bytes off_chip_bytes = 0;
  std::vector<StreamStats> streams;
  std::vector<OperatorStats> operators;
  std::vector<OccupancySeries> occupancy;            ///< parallel to streams; empty in Count mode
  std::shared_ptr<const Timeline> timeline;          ///< Timeline mode only
  std::vector<std::vector<CapturedToken>> captured;  ///< parallel to SimulationOptions::capture
  std::vector<PrintedStream> printed;                ///< in the order of the operators
  std::optional<DeadlockReport> deadlock;
  std::optional<SimulationFault> fault;
  bool cancelled = false;
  double wall_seconds = 0;

  /// It came to its end by itself, so its numbers are those of the whole program.
  bool finished() const { return !cancelled && !deadlock && !fault; }
};

}  // namespace sluice::inline simulator

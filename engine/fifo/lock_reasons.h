#pragma once
// Why a deadlock is artificial or real, in clauses, from the accounts of tokens and stops on the streams.

#include <string>
#include <variant>
#include <vector>

#include "engine/simulator/explanation.h"

namespace sluice::inline fifo {

enum class LockKind {
  Artificial,  ///< larger FIFOs free it; tried
  Real,        ///< no depth does; tried with unlimited FIFOs
  Undecided    ///< the budget ended before the run with unlimited FIFOs did
};
std::string text(LockKind kind);

/// What a stream brought in a run.
struct StreamAccount {
  StreamId stream = 0;
  std::uint64_t tokens = 0;
  std::vector<std::uint64_t> stops;  ///< of level 1 or more, 2 or more ...
};

// Of a deadlock whose kind is not known.
struct NotRunToItsEnd {};     ///< the run with unlimited FIFOs did not end within the budget
struct NotAllDepthsTried {};  ///< it does not end, but the order of arrival decides what happens

// With unlimited FIFOs the program ends, or not because of these.
struct OnlyRoomMissing {
  Cycles ends_at = 0;
};
struct FaultWithoutLimits {
  SimulationFault fault;
};
struct Brought {
  StreamAccount account;
  bool by_then = false;  ///< when a fault ended the run
};
struct LeftOver {  ///< tokens for an operator that has finished
  OperatorId reader = 0, writer = 0;
  StreamAccount account;
  std::uint64_t taken = 0;
};
struct StarvedCycle {
  std::vector<OperatorId> members;
};
struct NoStopCame {
  OperatorId op = 0;
  std::size_t level = 0;  ///< of the stop that it waits for
  StreamAccount account;
};
struct HasSent {
  OperatorId op = 0;
  std::uint64_t tokens = 0;
  StreamAccount account;  ///< of the stream that it waits at
};
struct EndlessLoop {
  std::vector<OperatorId> members;
};
/// The depths free the run, but not the document with them in it.
struct DocumentDiffers {
  std::string why;  ///< it could not be run; empty: it does not end
};

using LockReason =
    std::variant<NotRunToItsEnd, NotAllDepthsTried, OnlyRoomMissing, FaultWithoutLimits, Brought, LeftOver,
                 StarvedCycle, NoStopCame, HasSent, EndlessLoop, DocumentDiffers>;
/// A sentence.
std::string text(const LockReason& reason, const Naming& names);

/// `unlimited`: the run with unlimited FIFOs. Artificial: how far each wait cycle lacks room. Real: what is
/// wrong there, and what arrived on the streams concerned.
std::vector<LockReason> lockReasons(const FlatGraph& graph, const SimulationResult& locked,
                                    const SimulationResult& unlimited, LockKind kind);

}  // namespace sluice::inline fifo

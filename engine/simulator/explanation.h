#pragma once
// Why nothing moves, in clauses: who waits for what, because who waits for what, until the wait cycle closes;
// and the one text of them.

#include <string>
#include <vector>

#include "engine/simulator/result.h"

namespace sluice::inline simulator {

/// How a text calls the operators and streams of a graph.
struct Naming {
  const FlatGraph& graph;
  /// As who wrote the program does: what elaboration put behind exp.out, "exp.out.broadcast", is "exp.out".
  bool as_written = false;
  const char* arrow = " -> ";

  std::string op(OperatorId id) const;
  std::string ends(StreamId id) const;    ///< of a stream: "exp.out -> divide.in1"
  std::string stream(StreamId id) const;  ///< the same in quotes
};

/// An operator waits for any of these: a token of an empty stream, or room in a full one.
struct WaitClause {
  struct At {
    StreamId stream = 0;
    bool full = false;
    std::uint64_t depth = 0;
    OperatorId other = 0;  ///< at its other end
  };
  OperatorId op = 0;
  std::vector<At> at;  ///< empty: memory has not answered
  std::uint64_t token =
      0;  ///< number of the token that it wants to push or pop, where it waits at one stream
  Cycles since = 0;
};
WaitClause waitClause(const FlatGraph& graph, const BlockedOperator& blocked);
/// "exp is waiting to push token 17 into 'exp.out -> divide.in1', because it is full (depth 4)".
std::string text(const WaitClause& wait, const Naming& names);

/// A wait, and what it rests on.
struct BecauseClause {
  enum class Kind {
    Next,      ///< the wait of the next clause
    Closes,    ///< that of an earlier one: the wait cycle closes
    Finished,  ///< `who` has finished
    Stuck,     ///< `who` is in a wait cycle, or stranded
    Memory     ///< memory has not answered
  };
  WaitClause wait;
  Kind kind = Kind::Next;
  OperatorId who = 0;    ///< whom it waits for; none where memory has not answered
  std::size_t step = 0;  ///< Closes: the position of the earlier clause
};

/// From `op`, which is blocked, to where the waits lead: back to a clause before, to an operator that has
/// finished, or (of a victim) into a wait cycle.
std::vector<BecauseClause> becauseChain(const FlatGraph& graph, const DeadlockReport& report, OperatorId op);
/// A sentence each: "2. exp is waiting ..., because".
std::vector<std::string> texts(const std::vector<BecauseClause>& chain, const Naming& names);

/// One line: "deadlock at cycle 9: a waits for b waits for a; 5 operators are blocked".
std::string text(const DeadlockReport& report, const Naming& names);

}  // namespace sluice::inline simulator

#pragma once
// Traces: all that the two ends of a stream, and an operator and the memory, ever told each other in a run. A
// part of the network can be run again between traces (engine/operators/retime.h).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/units.h"
#include "engine/simulator/token.h"

namespace sluice::inline simulator {

struct SentToken {
  Cycles arrival;
  Cycles follow;  ///< see Channel
  Token token;
};

/// A slot that a receiver has freed.
struct FreedSlot {
  Cycles at;
  Cycles follow;  ///< see Channel
};

/// A process about to wait for a token or a slot.
struct Look {
  Cycles clock;
  Cycles waited;  ///< its clock when it last waited before
};

struct StreamTrace {
  std::vector<SentToken> sent;
  /// The sender before it waited for the token's slot, and the receiver before it waited for the token; one
  /// more of the latter where it saw the end. As far as told: an operator need not ask.
  std::vector<Look> asked, looked;
  std::vector<FreedSlot> taken;
  Cycles close_follow = 0;
};

struct MemoryTrace {
  struct Run {
    Cycles issued;
    std::uint64_t requests;
    Cycles answered;
  };
  std::vector<Run> runs;
  std::size_t answered = 0;  ///< of them, so far
};

/// More users than a group can lose: it stays for as long as its network.
constexpr std::uint64_t kept = std::uint64_t{1} << 62;

inline void keep(const Token& token) {
  const bool holds = token.kind == TokenKind::Buffer || token.kind == TokenKind::Tuple;
  if (holds && token.group->users < kept) token.group->users += kept;
}

}  // namespace sluice::inline simulator

#pragma once
// Whether given FIFOs let a design run at full rate, and whether they let it run at all: for any sizing, hand
// edits included. The answer is a system of difference constraints on the kernels' starts; a negative cycle
// in it is a pair of reconvergent paths.

#include <optional>
#include <string>

#include "engine/tensor/sizing/timed_graph.h"

namespace sluice::inline tensor {

enum class FifoConflictKind {
  Stall,
  Deadlock,
  PossibleDeadlock  ///< unless pipelines that drain are full enough, which depends on the times of their
                    ///< tokens
};

/// Around the cycle, FIFO paths and slow paths take turns; in the common case there is one of each, from the
/// same fork to the same join. Together the FIFOs on the first give less than the kernels on the second need:
/// cycles of delay for a stall, tokens for a deadlock.
struct FifoConflict {
  FifoConflictKind kind = FifoConflictKind::Stall;
  std::vector<std::vector<std::size_t>> fifo_paths;  ///< streams, from producer to consumer
  std::vector<std::vector<std::size_t>> slow_paths;
  std::int64_t offered = 0;
  std::int64_t needed = 0;
};

struct CheckOptions {
  Equalisation equalisation = Equalisation::Normal;
  FifoBehaviour fifo;
};

/// Full rate needs start times t with D(i) + hop <= t(j) - t(i) <= delay on every stream; `delays` has what
/// its FIFO offers.
std::optional<FifoConflict> findStall(const TimedGraph& graph,
                                      std::span<const std::optional<std::int64_t>> delays,
                                      const CheckOptions& options);

/// The delays that FIFOs of these depths offer; nothing where any delay will do.
std::vector<std::optional<std::int64_t>> offeredDelays(const TimedGraph& graph,
                                                       std::span<const std::int64_t> depths,
                                                       const CheckOptions& options);

/// Kernels that do not drain swallow tokens before the first one comes out; a FIFO beside them must hold as
/// many. What the kernels beside them hold themselves is certain only where these do not drain either.
std::optional<FifoConflict> findDeadlock(const TimedGraph& graph, std::span<const std::int64_t> depths);

struct FifoVerdict {
  std::optional<FifoConflict> stall;
  /// Not searched for where all kernels have one rate and nothing stalls: that schedule is a proof.
  std::optional<FifoConflict> deadlock;
  /// False where a kernel does not drain and streams differ in their tokens per execution: the deadlock check
  /// counts tokens of one kind.
  bool deadlock_checked = true;
};

/// Both checks for depths from anywhere; fails for a bad graph, a wrong number of depths, or a depth below 0.
Result<FifoVerdict> checkDepths(const TimedGraph& graph, std::span<const std::int64_t> depths,
                                const CheckOptions& options);

/// The conflict in words, with the kernels' names and how much is missing.
Diagnostic describe(const FifoConflict& conflict, const TimedGraph& graph);

}  // namespace sluice::inline tensor

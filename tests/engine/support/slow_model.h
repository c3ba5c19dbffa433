#pragma once
// A slow, obvious model of a flat graph's timing and tokens, written from engine/simulator/semantics.md and
// sharing nothing with the simulator. Each operator is a straight-line procedure that is run again from time
// 0 whenever the thing it waited for has appeared; what it did before must come out the same again (checked),
// and it gets one wait further. Memory is walked request by request, cycle by cycle. The least fixpoint of
// that is the answer.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/program/flat_graph.h"
#include "engine/simulator/result.h"

namespace sluice::slow {

/// What travels on a stream: a tile, a selector (width > 0), a buffer or a pair.
struct SlowValue {
  std::uint64_t rows = 0, cols = 0, bytes_per_element = 0, valid = 0;
  std::uint64_t scalar = 0;     ///< MetadataGen's number
  bool in_memory_unit = false;  ///< left in a memory unit: the operator that processes it pays for the read
  std::uint64_t width = 0;      ///< selector: number of targets
  std::vector<std::uint32_t> selected;  ///< selector: ascending
  std::shared_ptr<const std::vector<std::pair<SlowValue, std::uint32_t>>> buffer;
  std::shared_ptr<const std::pair<SlowValue, SlowValue>> pair;

  Bytes size() const { return width > 0 ? width : rows * cols * bytes_per_element; }
};

struct SlowToken {
  SlowValue value;
  std::uint32_t stop = 0;
  Cycles enqueued = 0;  ///< the sender's clock after it got the slot
  Cycles arrival = 0;
  std::optional<Cycles> waited;  ///< the sender's clock when it last waited; none: nobody follows it
};

struct SlowStream {
  std::uint64_t depth = 1;
  std::vector<SlowToken> tokens;
  std::vector<Cycles> dequeued;                        ///< of the first tokens
  std::vector<std::optional<Cycles>> receiver_waited;  ///< when the receiver had last waited; of the same
  std::optional<Cycles> closed;                        ///< the producer's final clock
  std::optional<Cycles> closer_waited;                 ///< when it had last waited

  std::uint64_t maxOccupancy() const;
  std::uint64_t occupancyAt(Cycles time) const;  ///< after everything that happens at `time`
  std::uint64_t group(std::uint32_t level) const;
};

enum class SlowState { Finished, Blocked, Faulted };

struct SlowOperator {
  SlowState state = SlowState::Blocked;
  Cycles clock = 0;
  Flops flops = 0;
  Bytes off_chip_bytes = 0;
  WaitReason reason = WaitReason::Empty;  ///< Blocked
  StreamId stream = 0;                    ///< Blocked
  std::uint64_t token = 0;                ///< Blocked, Faulted
  std::string cause;                      ///< Faulted
  bool polls = false;  ///< Blocked on all its inputs at once; reason, stream and token mean nothing
};

struct SlowResult {
  Cycles cycles = 0;  ///< meaningless unless every operator finished
  std::uint64_t hbm_requests = 0;
  std::vector<SlowStream> streams;      ///< parallel to FlatGraph::streams
  std::vector<SlowOperator> operators;  ///< parallel to FlatGraph::operators

  bool faulted() const;
  bool deadlocked() const;  ///< something is unfinished and nothing faulted
};

/// Whose clock it is that others learn of: that of the last wait, as in the reference, or the clock itself,
/// as in hardware, where everybody sees what comes in the cycle after.
enum class Shows { LastWait, Clock };

SlowResult simulateSlowly(const FlatGraph& graph, const InputSet& inputs, Shows shows = Shows::LastWait);

}  // namespace sluice::slow

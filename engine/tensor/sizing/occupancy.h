#pragma once
// How many tokens wait between two kernels: the published maximum (Equations 1 and 2), the exact peak for
// each kind of FIFO, and the depth that follows.

#include <cstdint>
#include <optional>

#include "engine/tensor/sizing/token_curve.h"

namespace sluice::inline tensor {

/// What a FIFO does in the cycles in which it matters.
struct FifoBehaviour {
  std::int64_t hop_latency = 0;  ///< cycles from the push to the earliest pop: 0 bypass, 1 registered
  bool slot_held_while_processed = false;  ///< the slot is free only when the consumer has finished the token
  bool push_while_popped = false;  ///< a full FIFO accepts a token in the cycle in which another leaves
};

/// A stream between two kernels that run without stalls.
struct StreamTiming {
  TokenCurve production;   ///< of the producer, from its start
  Interval consumption;    ///< what the consumer takes for a token
  std::int64_t delay = 0;  ///< from the start of the producer to that of the consumer
};

enum class OccupancyEquation { One, Two };

/// The published estimate: Equation 1 where the producer is faster, Equation 2 otherwise.
struct MaximumOccupancy {
  OccupancyEquation equation = OccupancyEquation::Two;
  std::int64_t tokens = 0;
};

/// The peak at the last push.
std::int64_t occupancyEquation1(const StreamTiming& stream);
/// The peak when the consumer starts.
std::int64_t occupancyEquation2(const StreamTiming& stream);
MaximumOccupancy maximumOccupancy(const StreamTiming& stream);

/// Tokens in the FIFO at the end of cycle `time`, the consumer waiting for tokens that are not there yet.
std::int64_t occupancyAt(const StreamTiming& stream, const FifoBehaviour& fifo, std::int64_t time);
/// The maximum of occupancyAt over time; exact for whole intervals.
std::int64_t peakOccupancy(const StreamTiming& stream, const FifoBehaviour& fifo);

/// max(2, n + 1), n the larger of the published estimate and the peak. The estimate alone is up to two tokens
/// short for registered FIFOs and can be 0; the one more is for FIFOs that refuse a token in the cycle in
/// which a slot becomes free.
std::int64_t recommendedDepth(const StreamTiming& stream, const FifoBehaviour& fifo);
/// The longest delay at which a FIFO of this depth never fills (`stream.delay` is not read); less than the
/// shortest possible delay where it always does, nothing where it holds all tokens and any delay will do.
std::optional<std::int64_t> longestDelay(StreamTiming stream, const FifoBehaviour& fifo, std::int64_t depth);

}  // namespace sluice::inline tensor

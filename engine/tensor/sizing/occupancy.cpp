#include "engine/tensor/sizing/occupancy.h"

#include <algorithm>

namespace sluice::inline tensor {
namespace {

/// What a FIFO must hold: the larger of the published estimate and the peak.
std::int64_t tokensToHold(const StreamTiming& stream, const FifoBehaviour& fifo) {
  return std::max(maximumOccupancy(stream).tokens, peakOccupancy(stream, fifo));
}

/// When the consumer can take the first token, and how long its slot stays taken after that.
struct FirstPop {
  std::int64_t time = 0;
  std::int64_t held = 0;
};

FirstPop firstPop(const StreamTiming& stream, const FifoBehaviour& fifo) {
  return {std::max(stream.delay, stream.production.initial_delay + fifo.hop_latency),
          fifo.slot_held_while_processed ? cyclesOf(1, stream.consumption) : 0};
}

}  // namespace

std::int64_t occupancyEquation1(const StreamTiming& stream) {
  const std::int64_t tokens = stream.production.tokens;
  return std::min(tokens,
                  tokens - intervalsWithin(latency(stream.production) - stream.delay, stream.consumption));
}

std::int64_t occupancyEquation2(const StreamTiming& stream) {
  const TokenCurve& production = stream.production;
  return std::min(production.tokens,
                  intervalsCovering(stream.delay - production.initial_delay, production.interval));
}

MaximumOccupancy maximumOccupancy(const StreamTiming& stream) {
  if (shorter(stream.production.interval, stream.consumption))
    return {OccupancyEquation::One, occupancyEquation1(stream)};
  return {OccupancyEquation::Two, occupancyEquation2(stream)};
}

std::int64_t occupancyAt(const StreamTiming& stream, const FifoBehaviour& fifo, std::int64_t time) {
  const FirstPop first = firstPop(stream, fifo);
  const TokenCurve at_its_pace{first.time + first.held, stream.consumption, stream.production.tokens};
  const std::int64_t as_they_come = tokensAt(stream.production, time - fifo.hop_latency - first.held);
  return tokensAt(stream.production, time) - std::min(tokensAt(at_its_pace, time), as_they_come);
}

std::int64_t peakOccupancy(const StreamTiming& stream, const FifoBehaviour& fifo) {
  const TokenCurve& production = stream.production;
  const FirstPop first = firstPop(stream, fifo);
  const std::int64_t first_free = first.time + first.held;
  if (!shorter(production.interval, stream.consumption)) {
    // From the first free slot on, a slot becomes free for each further token.
    return std::min(production.tokens,
                    intervalsCovering(first_free - production.initial_delay, production.interval));
  }
  // The consumer falls behind, from the first token to the last.
  const std::int64_t after_first = intervalsWithin(latency(production) - first_free, stream.consumption);
  return production.tokens - (after_first < 0 ? 0 : std::min(production.tokens, 1 + after_first));
}

std::int64_t recommendedDepth(const StreamTiming& stream, const FifoBehaviour& fifo) {
  return std::max<std::int64_t>(2, tokensToHold(stream, fifo) + 1);
}

std::optional<std::int64_t> longestDelay(StreamTiming stream, const FifoBehaviour& fifo, std::int64_t depth) {
  const std::int64_t holds = depth - (fifo.push_while_popped ? 0 : 1);
  if (holds >= stream.production.tokens) return std::nullopt;
  // The need grows with the delay, and is all tokens when the consumer starts after the last one.
  std::int64_t enough = stream.production.initial_delay + fifo.hop_latency - 1;
  std::int64_t too_long = std::max(enough, latency(stream.production)) + 1;
  while (too_long - enough > 1) {
    stream.delay = enough + (too_long - enough) / 2;
    (tokensToHold(stream, fifo) <= holds ? enough : too_long) = stream.delay;
  }
  return enough;
}

}  // namespace sluice::inline tensor

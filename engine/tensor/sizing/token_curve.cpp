#include "engine/tensor/sizing/token_curve.h"

#include <algorithm>

namespace sluice::inline tensor {
namespace {

/// Products of two 64-bit counts; every result fits 64 bits again (timed_graph.h bounds the counts).
__extension__ using Wide = __int128;

std::int64_t floorOf(Wide numerator, Wide denominator) {
  const Wide quotient = numerator / denominator;
  return static_cast<std::int64_t>(quotient - (numerator % denominator < 0 ? 1 : 0));
}

}  // namespace

bool shorter(const Interval& a, const Interval& b) {
  return Wide(a.cycles) * b.tokens < Wide(b.cycles) * a.tokens;
}

std::int64_t cyclesOf(std::int64_t count, const Interval& interval) {
  return -floorOf(-Wide(count) * interval.cycles, interval.tokens);
}

std::int64_t intervalsWithin(std::int64_t cycles, const Interval& interval) {
  return floorOf(Wide(cycles) * interval.tokens, interval.cycles);
}

std::int64_t intervalsCovering(std::int64_t cycles, const Interval& interval) {
  return -floorOf(-Wide(cycles) * interval.tokens, interval.cycles);
}

std::int64_t latency(const TokenCurve& curve) {
  return timeOfToken(curve, curve.tokens - 1);
}

std::int64_t timeOfToken(const TokenCurve& curve, std::int64_t token) {
  return curve.initial_delay + cyclesOf(token, curve.interval);
}

std::int64_t tokensAt(const TokenCurve& curve, std::int64_t time) {
  if (time < curve.initial_delay) return 0;
  return std::min(curve.tokens, 1 + intervalsWithin(time - curve.initial_delay, curve.interval));
}

TokenCurve stretched(const TokenCurve& curve, std::int64_t at) {
  if (curve.tokens < 2 || at <= curve.initial_delay) return curve;
  return {curve.initial_delay, {at - curve.initial_delay, curve.tokens - 1}, curve.tokens};
}

}  // namespace sluice::inline tensor

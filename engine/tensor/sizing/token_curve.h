#pragma once
// When the tokens of a kernel come: none for an initial delay, then one every interval until all are out. The
// consumption of a kernel is such a curve too: its delay is the start of the kernel, its interval the time
// that one token keeps the kernel busy.

#include <cstdint>

namespace sluice::inline tensor {

/// The initiation interval as a fraction, because a kernel stretched to another one's latency rarely gets a
/// whole one.
struct Interval {
  std::int64_t cycles = 1;
  std::int64_t tokens = 1;
};

bool shorter(const Interval& a, const Interval& b);

/// Cycles that `count` intervals take, rounded up.
std::int64_t cyclesOf(std::int64_t count, const Interval& interval);
/// Whole intervals in `cycles`, rounded towards minus infinity.
std::int64_t intervalsWithin(std::int64_t cycles, const Interval& interval);
/// Intervals that cover `cycles`, rounded up.
std::int64_t intervalsCovering(std::int64_t cycles, const Interval& interval);

/// Times count from the start of the kernel's execution, tokens from 0.
struct TokenCurve {
  std::int64_t initial_delay = 0;
  Interval interval;
  std::int64_t tokens = 1;
};

/// When the last token comes.
std::int64_t latency(const TokenCurve& curve);
std::int64_t timeOfToken(const TokenCurve& curve, std::int64_t token);
/// How many tokens have come at the end of cycle `time`.
std::int64_t tokensAt(const TokenCurve& curve, std::int64_t time);

/// The same delay and tokens, the last of them at `at`; needs at >= latency(curve).
TokenCurve stretched(const TokenCurve& curve, std::int64_t at);

}  // namespace sluice::inline tensor

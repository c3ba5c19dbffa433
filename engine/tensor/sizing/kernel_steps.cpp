#include "engine/tensor/sizing/kernel_steps.h"

#include <algorithm>
#include <numeric>

#include "engine/itensor/itensor.h"

namespace sluice::inline tensor {

KernelSteps stepsOf(const TimedKernel& kernel, std::span<const std::int64_t> takes) {
  const TokenCurve& curve = kernel.curve;
  std::int64_t steps = curve.tokens;
  for (const std::int64_t tokens : takes) steps = std::max(steps, tokens);
  // One interval a token of its own; where inputs come more often, their steps share it.
  const Interval own{curve.interval.cycles * curve.tokens, curve.interval.tokens * steps};
  const bool faster = own.cycles < own.tokens;
  const std::int64_t first = quotientUp(steps, curve.tokens) - 1;
  const std::int64_t least = faster ? first : cyclesOf(first, own);
  const std::int64_t divisor = std::gcd(own.cycles, own.tokens);
  return {steps, faster ? Interval{1, 1} : Interval{own.cycles / divisor, own.tokens / divisor},
          std::max(curve.initial_delay, least)};
}

}  // namespace sluice::inline tensor

#pragma once
// A kernel with its curve as the steps of the operator Kernel: one for each token of its busiest port.

#include <span>

#include "engine/tensor/sizing/timed_graph.h"

namespace sluice::inline tensor {

struct KernelSteps {
  std::int64_t steps = 1;          ///< of an execution
  Interval interval;               ///< of a step, in lowest terms; at least a cycle
  std::int64_t initial_delay = 0;  ///< cycles from the first step until the first token leaves
};

/// `takes`: tokens of an execution, by input.
KernelSteps stepsOf(const TimedKernel& kernel, std::span<const std::int64_t> takes);

}  // namespace sluice::inline tensor

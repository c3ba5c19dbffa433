// How long something takes, by a clock that is never set back.

#pragma once

#include <chrono>

namespace sluice {

using Clock = std::chrono::steady_clock;

/// Seconds.
inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace sluice

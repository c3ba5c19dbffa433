#include "engine/core/time_limit.h"

#include <chrono>

namespace sluice {

TimeLimit::TimeLimit(double seconds, const std::stop_token& stop)
    : passed_on_(stop, [this] { source_.request_stop(); }) {
  constexpr double for_ever = 3e7;  // a year; what is more may overflow a clock
  constexpr double no_time = 1e-6;  // over before a thread has begun to wait
  if (seconds < no_time)
    source_.request_stop();
  else if (seconds < for_ever)
    clock_ = std::jthread([this, seconds](const std::stop_token& quit) { wait(quit, seconds); });
}

void TimeLimit::wait(const std::stop_token& quit, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                          std::chrono::duration<double>(seconds));
  std::unique_lock lock(mutex_);
  over_.wait_until(lock, quit, end, [] { return false; });
  if (!quit.stop_requested()) source_.request_stop();
}

}  // namespace sluice

#pragma once
// ThreadClock: the processor time of the calling thread, which the load of the machine does not change.

#include <ctime>

namespace sluice {

class ThreadClock {
 public:
  /// Seconds since it was made, on the thread that made it.
  double seconds() const { return now() - start_; }

 private:
  static double now() {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  const double start_ = now();
};

}  // namespace sluice

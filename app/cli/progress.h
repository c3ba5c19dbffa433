#pragma once
// One line on stderr that shows how far the work is; nothing where stderr is not a terminal.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace sluice::cli {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// `fraction` in 0..1; `seconds_left` below 0: not known. Where that is not known after a
  /// second, the time spent since the construction stands in place of the fraction. At most ten times a
  /// second.
  void show(const std::string& what, double fraction, double seconds_left);
  void clear();

 private:
  bool terminal_ = false, shown_ = false;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_;
};

/// Calls a function several times a second, by another thread, until it is destroyed: for work that tells of
/// itself at long intervals.
class Heartbeat {
 public:
  explicit Heartbeat(std::function<void()> beat);

 private:
  std::mutex mutex_;
  std::condition_variable_any over_;
  std::jthread thread_;  ///< last: it uses all of the above
};

/// Time left when `fraction` took `spent` seconds; -1 while that is too early to say.
double secondsLeft(double fraction, double spent);

}  // namespace sluice::cli

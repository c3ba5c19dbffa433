#pragma once
// TimeLimit: a stop request that comes by itself when a number of seconds is over. A simulation that is
// running by then ends as it does when a person stops it.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace sluice {

class TimeLimit {
 public:
  /// Begins to count. `seconds`: of wall time, infinity for no limit; `stop` is passed on.
  TimeLimit(double seconds, const std::stop_token& stop);

  /// Requested to stop by `stop`, or when the time is over.
  std::stop_token token() const { return source_.get_token(); }

 private:
  void wait(const std::stop_token& quit, double seconds);

  std::stop_source source_;
  std::mutex mutex_;
  std::condition_variable_any over_;
  std::stop_callback<std::function<void()>> passed_on_;
  std::jthread clock_;  ///< last: it uses all of the above
};

}  // namespace sluice

#pragma once
// Ctrl-C as a stop request: the first SIGINT asks the work to stop, a second one kills the program.

#include <stop_token>
#include <thread>

namespace sluice::cli {

class Interrupt {
 public:
  /// Takes SIGINT over; construct it before any other thread is started, so that all of them leave the signal
  /// alone.
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::jthread waiter_;
};

}  // namespace sluice::cli

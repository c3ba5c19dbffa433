#pragma once
// SIGINT, SIGTERM and SIGHUP as a stop request, for every command alike. main() has one.

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "engine/core/diagnostic.h"

namespace sluice::cli {

class Interrupt {
 public:
  /// How long a command that has taken the token may go on.
  static constexpr std::chrono::seconds patience{20};

  /// Takes the signals over; construct it before any other thread is started, so that all of them leave the
  /// signals alone. The first signal requests `stop`. `give_up` is called, by another thread, after a
  /// signal that a command has not heeded: at once where it has not taken the token, else when its time is up
  /// or a second one comes. It ends the program, or returns because the answer is on its way; a signal after
  /// that kills. SIGHUP that is ignored, by nohup, stays ignored.
  Interrupt(std::stop_source stop, std::function<void()> give_up);
  /// The signals stay blocked: one that comes when the answer is there changes nothing any more.
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// For a command that stops in its own way, with what it has found so far. Output that is lost requests
  /// the stop, too.
  std::stop_token token();

  /// A signal has come.
  bool came() const { return signal_ != 0; }
  /// Which signal came, and how the user goes on.
  Diagnostic diagnostic() const;
  /// How the user goes on after a stop.
  void setAdvice(std::string advice);

 private:
  void wait(const std::stop_token& quit);

  std::stop_source stop_;
  std::function<void()> give_up_;
  std::atomic<bool> heeded_ = false;
  std::atomic<int> signal_ = 0;
  mutable std::mutex mutex_;
  std::string advice_ = "run the command again";
  std::jthread waiter_;  ///< last: it uses all of the above
};

}  // namespace sluice::cli

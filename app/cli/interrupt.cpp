#include "app/cli/interrupt.h"

#include <csignal>

namespace sluice::cli {
namespace {

sigset_t onlyInterrupt() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t signals = onlyInterrupt();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // inherited by every thread from here on
  waiter_ = std::jthread([stop = stop_](const std::stop_token& quit) mutable {
    const sigset_t awaited = onlyInterrupt();
    for (bool first = true;; first = false) {
      int signal = 0;
      sigwait(&awaited, &signal);
      if (quit.stop_requested()) return;  // the destructor's own signal
      if (first) {
        stop.request_stop();
        continue;
      }
      std::signal(SIGINT, SIG_DFL);
      pthread_sigmask(SIG_UNBLOCK, &awaited, nullptr);
      std::raise(SIGINT);
    }
  });
}

Interrupt::~Interrupt() {
  waiter_.request_stop();
  pthread_kill(waiter_.native_handle(), SIGINT);
}

}  // namespace sluice::cli

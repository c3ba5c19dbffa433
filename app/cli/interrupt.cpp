#include "app/cli/interrupt.h"

#include <csignal>

namespace sluice::cli {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

bool isIgnored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

sigset_t taken() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  if (!isIgnored(SIGHUP)) sigaddset(&signals, SIGHUP);
  return signals;
}

}  // namespace

Interrupt::Interrupt(std::stop_source stop, std::function<void()> give_up)
    : stop_(std::move(stop)), give_up_(std::move(give_up)) {
  const sigset_t signals = taken();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // inherited by every thread from here on
  waiter_ = std::jthread([this](const std::stop_token& quit) { wait(quit); });
}

Interrupt::~Interrupt() {
  waiter_.request_stop();
  pthread_kill(waiter_.native_handle(), SIGINT);
}

void Interrupt::wait(const std::stop_token& quit) {
  const sigset_t signals = taken();
  int signal = 0;
  sigwait(&signals, &signal);
  if (quit.stop_requested()) return;  // the destructor's own signal
  signal_ = signal;
  stop_.request_stop();
  // timeout(1) and batch systems send theirs to the process and to its group: twice is once.
  const auto first = Clock::now();
  for (auto waited = 0s; heeded_ && waited < patience;) {
    const timespec rest{(patience - waited).count(), 0};
    sigtimedwait(&signals, nullptr, &rest);
    if (quit.stop_requested()) return;
    waited = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - first);
    if (waited >= 1s) break;
  }
  give_up_();
  sigwait(&signals, &signal);
  if (quit.stop_requested()) return;
  std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  std::raise(signal);
}

std::stop_token Interrupt::token() {
  heeded_ = true;
  return stop_.get_token();
}

void Interrupt::setAdvice(std::string advice) {
  const std::lock_guard lock(mutex_);
  advice_ = std::move(advice);
}

Diagnostic Interrupt::diagnostic() const {
  const std::lock_guard lock(mutex_);
  const char* const name = signal_ == SIGTERM ? "SIGTERM" : signal_ == SIGHUP ? "SIGHUP" : "SIGINT";
  return note("cancelled", "sluice-cli", std::string("cancelled by ") + name, advice_);
}

}  // namespace sluice::cli

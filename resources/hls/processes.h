#pragma once
// C simulation of dataflow: every process is a thread, every FIFO has the slots that it was given. A run in
// which all processes wait for each other is a deadlock: it ends with a message and status 3.

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace csim {

constexpr int exit_deadlock = 3;

/// One side of a FIFO that waits.
struct Waiter {
  std::condition_variable woken;
  bool waiting = false;
  std::string what;
};

/// What all processes have in common. One lock: it makes the count of waiting processes exact.
class Monitor {
 public:
  static Monitor& the() {
    static Monitor monitor;
    return monitor;
  }

  std::mutex mutex;

  /// Depths that the command line asks for in place of the emitted ones, by the names of streams.
  std::map<std::string, int> depths;
  /// The most slots that each stream had taken.
  std::map<std::string, std::pair<int, int>> peaks;

  int depthOf(const std::string& name, int emitted) {
    const auto found = depths.find(name);
    return found == depths.end() ? emitted : found->second;
  }

  void wait(std::unique_lock<std::mutex>& lock, Waiter& waiter) {
    waiter.waiting = true;
    waiting_.push_back(&waiter);
    check();
    waiter.woken.wait(lock, [&] { return !waiter.waiting; });
  }
  void wake(Waiter& waiter) {
    if (!waiter.waiting) return;
    waiter.waiting = false;
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      if (waiting_[i] == &waiter) {
        waiting_[i] = waiting_.back();
        waiting_.pop_back();
        break;
      }
    waiter.woken.notify_one();
  }

  void begin(std::size_t processes) {
    const std::lock_guard<std::mutex> lock(mutex);
    running_ += processes;
  }
  void end() {
    const std::lock_guard<std::mutex> lock(mutex);
    --running_;
    if (running_ > 0) check();
  }

 private:
  void check() {
    if (waiting_.size() < running_) return;
    std::fprintf(stderr, "deadlock: all %zu processes that have not ended wait:\n", running_);
    for (const Waiter* waiter : waiting_) std::fprintf(stderr, "  %s\n", waiter->what.c_str());
    std::fflush(nullptr);
    std::_Exit(exit_deadlock);
  }

  std::size_t running_ = 0;
  std::vector<Waiter*> waiting_;
};

/// The processes of a dataflow region. They start, together, where the region ends.
class Processes {
 public:
  void add(std::function<void()> process) { all_.push_back(std::move(process)); }
  ~Processes() {
    Monitor::the().begin(all_.size());
    std::vector<std::thread> threads;
    for (const std::function<void()>& process : all_)
      threads.emplace_back([&process] {
        process();
        Monitor::the().end();
      });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  std::vector<std::function<void()>> all_;
};

}  // namespace csim

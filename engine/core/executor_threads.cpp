// Executor on std::jthread: threads live for one parallelFor, which is short beside the simulations they run.

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "engine/core/executor.h"

namespace sluice {
namespace {

class ThreadExecutor : public Executor {
 public:
  explicit ThreadExecutor(unsigned threads)
      : threads_(threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency())) {}

  void parallelFor(std::size_t count, const std::function<void(std::size_t)>& body,
                   std::stop_token stop) override {
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> failed = false;
    std::exception_ptr failure;  // the first one; written once, by the thread that sets `failed`
    const auto work = [&] {
      while (!failed && !stop.stop_requested()) {
        const std::size_t i = next++;
        if (i >= count) return;
        try {
          body(i);
        } catch (...) {
          if (!failed.exchange(true)) failure = std::current_exception();
        }
      }
    };
    {
      std::vector<std::jthread> helpers;  // joined at the end of this block
      const std::size_t wanted = std::min<std::size_t>(threads_, count);
      helpers.reserve(wanted);
      try {
        while (helpers.size() + 1 < wanted) helpers.emplace_back(work);
      } catch (const std::system_error&) {
        // The system gives no more threads: those there are do all the work.
      }
      work();
    }
    if (failure) std::rethrow_exception(failure);
  }

  unsigned concurrency() const override { return threads_; }

 private:
  unsigned threads_;
};

}  // namespace

std::unique_ptr<Executor> makeThreadExecutor(unsigned threads) {
  return std::make_unique<ThreadExecutor>(threads);
}

}  // namespace sluice

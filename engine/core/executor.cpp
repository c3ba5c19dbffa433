// The executor of this build: oneTBB, or std::jthread where TBB is left out (ThreadSanitizer reports false
// races inside it).

#include "engine/core/executor.h"

#include <atomic>
#include <optional>

#ifdef SLUICE_WITH_TBB
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#endif

namespace sluice {

#ifdef SLUICE_WITH_TBB
namespace {

class TbbExecutor : public Executor {
 public:
  explicit TbbExecutor(unsigned threads)
      : arena_(threads > 0 ? static_cast<int>(threads) : tbb::task_arena::automatic) {
    if (static_cast<int>(threads) > tbb::info::default_concurrency()) {
      moreThanCores_.emplace(tbb::global_control::max_allowed_parallelism, threads);
    }
  }

  void parallelFor(std::size_t count, const std::function<void(std::size_t)>& body,
                   std::stop_token stop) override {
    std::atomic<std::size_t> next = 0;
    arena_.execute([&] {
      // The pieces of work here are long: each by itself, so that none waits behind another at the end, and
      // begun in order, which TBB's halves of a range are not.
      const auto run = [&](std::size_t) {
        if (!stop.stop_requested()) body(next++);
      };
      tbb::parallel_for(std::size_t{0}, count, run, tbb::simple_partitioner());
    });
  }

  unsigned concurrency() const override { return static_cast<unsigned>(arena_.max_concurrency()); }

 private:
  std::optional<tbb::global_control> moreThanCores_;  // without it TBB ignores such a wish
  tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<Executor> makeExecutor(unsigned threads) {
  return std::make_unique<TbbExecutor>(threads);
}
#else
std::unique_ptr<Executor> makeExecutor(unsigned threads) {
  return makeThreadExecutor(threads);
}
#endif

}  // namespace sluice

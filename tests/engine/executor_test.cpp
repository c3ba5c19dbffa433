// Both executors keep the same contract.

#include "engine/core/executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace sluice::executor_test {

using Factory = std::unique_ptr<Executor> (*)(unsigned);

class ExecutorContract : public testing::TestWithParam<Factory> {};

TEST_P(ExecutorContract, RunsEveryIndexOnce) {
  for (const unsigned threads : {0u, 1u, 2u, 7u}) {
    const auto executor = GetParam()(threads);
    for (const std::size_t count : {0u, 1u, 2u, 5u, 10000u}) {
      std::vector<std::atomic<int>> calls(count);
      executor->parallelFor(count, [&](std::size_t i) { ++calls.at(i); });
      for (const auto& n : calls) ASSERT_EQ(n, 1);
    }
  }
}

/// Who sorts work by its length has the long pieces begun first.
TEST_P(ExecutorContract, BeginsInOrder) {
  for (const unsigned threads : {1u, 4u}) {
    std::mutex mutex;
    std::vector<std::size_t> begun;
    GetParam()(threads)->parallelFor(500, [&](std::size_t i) {
      const std::scoped_lock lock(mutex);
      begun.push_back(i);
    });
    for (std::size_t place = 0; place < begun.size(); ++place)
      ASSERT_LT(begun[place], place + threads) << "it came before one that no thread has";
  }
}

TEST_P(ExecutorContract, TellsAndKeepsItsConcurrency) {
  EXPECT_GE(GetParam()(0)->concurrency(), 1u);
  const auto executor = GetParam()(3);
  EXPECT_EQ(executor->concurrency(), 3u);
  std::atomic<int> running = 0, most = 0;
  executor->parallelFor(300, [&](std::size_t) {
    const int now = ++running;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    --running;
  });
  EXPECT_LE(most, 3);
}

TEST_P(ExecutorContract, OneThreadIsTheCallersOwn) {
  std::set<std::thread::id> ids;
  GetParam()(1)->parallelFor(100, [&](std::size_t) { ids.insert(std::this_thread::get_id()); });
  EXPECT_EQ(ids, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST_P(ExecutorContract, StartsNothingAfterAStopRequest) {
  const auto executor = GetParam()(4);
  std::stop_source stop;
  std::atomic<int> started = 0, afterStop = 0;
  executor->parallelFor(
      100000,
      [&](std::size_t) {
        if (stop.stop_requested()) ++afterStop;
        if (++started == 50) stop.request_stop();
      },
      stop.get_token());
  EXPECT_GE(started, 50);
  EXPECT_LE(afterStop, 4);  // those that had passed the check when the stop came
  EXPECT_LT(started, 100000);

  executor->parallelFor(
      10, [](std::size_t) { FAIL() << "started although stopped before"; }, stop.get_token());
}

TEST_P(ExecutorContract, RethrowsAndStaysUsable) {
  const auto executor = GetParam()(4);
  for (int round = 0; round < 20; ++round) {
    try {
      executor->parallelFor(1000, [](std::size_t i) {
        if (i % 100 == 37) throw std::runtime_error("point failed");
      });
      FAIL() << "the exception was lost";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()), "point failed");
    }
  }
  std::atomic<int> calls = 0;
  executor->parallelFor(10, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 10);
}

TEST_P(ExecutorContract, MayBeNestedAndSharedByThreads) {
  const auto executor = GetParam()(3);
  std::atomic<int> calls = 0;
  executor->parallelFor(20, [&](std::size_t) { executor->parallelFor(20, [&](std::size_t) { ++calls; }); });
  EXPECT_EQ(calls, 400);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] { executor->parallelFor(500, [&](std::size_t) { ++calls; }); });
    }
  }
  EXPECT_EQ(calls, 2400);
}

INSTANTIATE_TEST_SUITE_P(Build, ExecutorContract, testing::Values(&makeExecutor));
INSTANTIATE_TEST_SUITE_P(Threads, ExecutorContract, testing::Values(&makeThreadExecutor));

TEST(ThreadExecutor, ReallyUsesItsThreads) {
  std::atomic<int> inside = 0;
  makeThreadExecutor(4)->parallelFor(4, [&](std::size_t) {
    ++inside;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (inside < 4 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(inside, 4);  // all four wait for each other
  });
}

}  // namespace sluice::executor_test

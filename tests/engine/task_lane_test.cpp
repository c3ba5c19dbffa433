// A lane under load: newest wins, nothing that was added is lost, what throws is reported, a stop is heard.

#include "engine/core/task_lane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <new>
#include <numeric>
#include <semaphore>
#include <stdexcept>
#include <vector>

namespace sluice::task_lane_test {

using testing::ElementsAre;
using testing::IsEmpty;

void unexpected(const Diagnostic& why) {
  ADD_FAILURE() << text(why);
}

/// Returns when it is asked to stop.
void untilStopped(const std::stop_token& stop) {
  std::binary_semaphore stopped(0);
  const std::stop_callback heard(stop, [&] { stopped.release(); });
  stopped.acquire();
}

/// A piece that is under way once this has returned, and ends when it is asked to.
void occupy(TaskLane& lane) {
  auto begun = std::make_shared<std::latch>(1);
  lane.add(
      [begun](const std::stop_token& stop) {
        begun->count_down();
        untilStopped(stop);
      },
      unexpected);
  begun->wait();
}

TEST(TaskLane, WorksOnWhatIsAddedInOrderOnePieceAtATime) {
  TaskLane lane;
  std::vector<int> done;  // without a lock: the thread sanitizer would tell
  for (int i = 0; i < 1000; ++i)
    lane.add([&done, i](const std::stop_token&) { done.push_back(i); }, unexpected);
  lane.finish();
  std::vector<int> all(1000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(done, all);
  EXPECT_EQ(lane.pending(), 0u);
  EXPECT_FALSE(lane.wanted());
}

TEST(TaskLane, LosesNothingThatManyThreadsAdd) {
  TaskLane lane;
  std::vector<int> next(8, 0);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < next.size(); ++t) {
      threads.emplace_back([&lane, &mine = next[t]] {
        for (int i = 0; i < 2000; ++i)
          lane.add([&mine, i](const std::stop_token&) { EXPECT_EQ(mine++, i); }, unexpected);
      });
    }
  }
  lane.finish();
  EXPECT_THAT(next, testing::Each(2000));
}

TEST(TaskLane, OnlyTheNewestOfWhatIsAskedForIsWorkedOn) {
  TaskLane lane;
  occupy(lane);
  std::vector<int> done;
  for (int i = 0; i < 100; ++i)
    lane.ask([&done, i](const std::stop_token&) { done.push_back(i); }, unexpected);
  lane.finish();
  EXPECT_EQ(done.back(), 99);
  for (std::size_t i = 1; i < done.size(); ++i) EXPECT_LT(done[i - 1], done[i]);
}

TEST(TaskLane, TheNewestOfManyThreadsIsNeverLost) {
  for (int round = 0; round < 50; ++round) {
    TaskLane lane;
    std::atomic<int> last = -1;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
          for (int i = 0; i < 50; ++i) {
            lane.ask([&last, t](const std::stop_token&) { last = t; }, unexpected);
          }
        });
      }
    }
    lane.ask([&last](const std::stop_token&) { last = 99; }, unexpected);
    lane.finish();
    EXPECT_EQ(last, 99);
  }
}

TEST(TaskLane, AskingStopsWhatIsUnderWay) {
  TaskLane lane;
  occupy(lane);
  bool fresh = false;
  lane.ask([&](const std::stop_token& stop) { fresh = !stop.stop_requested(); }, unexpected);
  lane.finish();  // would wait for ever
  EXPECT_TRUE(fresh) << "the newer piece was stopped with the older one";
}

TEST(TaskLane, AddingDoesNotStopWhatIsUnderWay) {
  TaskLane lane;
  occupy(lane);
  std::atomic<bool> begun = false;
  lane.add([&](const std::stop_token&) { begun = true; }, unexpected);
  EXPECT_EQ(lane.pending(), 2u);
  EXPECT_FALSE(begun);
  lane.stop();
  lane.finish();
  EXPECT_TRUE(begun) << "a stop is for one piece";
}

/// Also one that has not begun: nobody can know whether the thread has woken up already.
TEST(TaskLane, AStopReachesThePieceThatWasJustAdded) {
  for (int round = 0; round < 500; ++round) {
    TaskLane lane;
    lane.add(untilStopped, unexpected);
    lane.stop();
    lane.finish();
  }
}

TEST(TaskLane, APieceHasAStopOfItsOwn) {
  TaskLane lane;
  occupy(lane);
  std::vector<bool> stopped;
  const auto look = [&](const std::stop_token& stop) { stopped.push_back(stop.stop_requested()); };
  std::stop_source second;
  lane.add(look, unexpected);
  lane.add(look, unexpected, second);
  lane.add(look, unexpected);
  second.request_stop();
  lane.stop();
  lane.finish();
  EXPECT_THAT(stopped, ElementsAre(false, true, false));
}

TEST(TaskLane, ForgettingDropsWhatWaitsAndStopsWhatRuns) {
  TaskLane lane;
  occupy(lane);
  const auto held = std::make_shared<int>(0);
  for (int i = 0; i < 10; ++i) lane.add([held](const std::stop_token&) { ++*held; }, unexpected);
  EXPECT_TRUE(lane.wanted());
  lane.forget();
  EXPECT_FALSE(lane.wanted());
  EXPECT_LE(lane.pending(), 1u);
  EXPECT_EQ(held.use_count(), 1) << "what was forgotten is let go of";
  lane.finish();
  EXPECT_EQ(*held, 0);
  lane.add([held](const std::stop_token&) { ++*held; }, unexpected);
  lane.finish();
  EXPECT_EQ(*held, 1) << "it is of use afterwards";
}

TEST(TaskLane, WhatAPieceThrowsIsToldAndTheNextIsWorkedOn) {
  TaskLane lane;
  Diagnostics told;
  const auto tell = [&](const Diagnostic& why) { told.push_back(why); };
  bool after = false;
  lane.add([](const std::stop_token&) { throw std::runtime_error("this piece"); }, tell);
  lane.add([](const std::stop_token&) { throw std::bad_alloc(); }, tell);
  lane.add([](const std::stop_token&) { throw 7; }, tell);
  lane.add([&](const std::stop_token&) { after = true; }, tell);
  lane.finish();
  ASSERT_EQ(told.size(), 3u);
  EXPECT_THAT(told[0].cause, testing::HasSubstr("this piece"));
  EXPECT_NE(told[1], told[2]);
  EXPECT_TRUE(after);
}

TEST(TaskLane, APieceMayCallItsLane) {
  TaskLane lane;
  std::vector<int> done;
  const auto note = [&done](int number) {
    return [&done, number](const std::stop_token&) { done.push_back(number); };
  };
  std::latch ready(1);
  lane.add(
      [&](const std::stop_token& stop) {
        ready.wait();
        const std::stop_callback heard(stop, [&] { lane.add(note(2), unexpected); });
        lane.add(note(1), unexpected);
        lane.stop();
      },
      unexpected);
  ready.count_down();
  lane.finish();
  EXPECT_THAT(done, ElementsAre(1, 2));
}

TEST(TaskLane, ClosingStopsWhatRunsAndDropsTheRest) {
  std::vector<int> done;
  for (int round = 0; round < 200; ++round) {
    TaskLane lane;
    if (round % 2 == 0) occupy(lane);
    lane.add(untilStopped, unexpected);
    lane.add([&](const std::stop_token&) { done.push_back(1); }, unexpected);
  }
  EXPECT_THAT(done, IsEmpty());
  const TaskLane never_used;
}

}  // namespace sluice::task_lane_test

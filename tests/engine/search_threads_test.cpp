// The threads of a search for designs: steps decide alone, what they hand out and what is done ahead of them
// runs beside, and what was done ahead is taken over as if it had been done when it was wanted.

#include "engine/designer/search_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "engine/designer/kept_ahead.h"
#include "engine/designer/runs_ahead.h"

namespace sluice::search_threads_test {

TEST(SearchThreads, DecideByThemselvesAndRunTogether) {
  for (const unsigned threads : {1u, 3u}) {
    const std::unique_ptr<Executor> executor = makeExecutor(threads);
    SearchThreads search(*executor, false, {});
    std::atomic<int> ended = 0, pieces = 0;
    int steps = 0;
    search.work([&] {
      if (++steps == 1) {
        search.forAll(40, [&](std::size_t) { ++pieces; }, SearchThreads::Urgency::Decided, {});
        EXPECT_EQ(pieces, 40);
        for (int run = 0; run < 20; ++run) search.add([&] { ++ended; });
      }
      return ended < 20 ? SearchThreads::Next::Wait : SearchThreads::Next::Over;
    });
    EXPECT_EQ(ended, 20);
    EXPECT_THROW(SearchThreads(*executor, false, {}).work([&]() -> SearchThreads::Next {
      throw std::runtime_error("no");
    }),
                 std::runtime_error);
    SearchThreads other(*executor, false, {});
    bool added = false;
    EXPECT_THROW(other.work([&] {
      if (!std::exchange(added, true)) other.add([] { throw std::runtime_error("no"); });
      return SearchThreads::Next::Wait;
    }),
                 std::runtime_error);
  }
}

/// Where a step waits for a run, another thread asks once what to do ahead, and the run need not be one that
/// was added.
TEST(SearchThreads, WorkAheadWhereAStepWaits) {
  const std::unique_ptr<Executor> executor = makeExecutor(2);
  SearchThreads search(*executor, false, {});
  std::latch done_ahead(1);
  std::atomic<int> asked = 0, pieces = 0;
  std::atomic<bool> ended = false;
  bool added = false;
  search.work(
      [&] {
        if (!std::exchange(added, true)) search.add([&] { done_ahead.wait(); });
        return ended ? SearchThreads::Next::Over : SearchThreads::Next::Wait;
      },
      [&]() -> SearchThreads::Work {
        if (++asked > 1) return {};
        return [&] {
          search.forAll(5, [&](std::size_t) { ++pieces; }, SearchThreads::Urgency::Ahead, {});
          done_ahead.count_down();
          ended = true;
          search.noteEnd();
        };
      });
  EXPECT_EQ(pieces, 5);
}

TEST(KeptAhead, IsWorkedOutOnceForAllWhoWantIt) {
  KeptAhead<int> kept;
  std::atomic<int> worked = 0;
  const std::function<int()> work = [&] { return ++worked; };
  EXPECT_EQ(kept.ahead("a", work), 1);
  EXPECT_EQ(kept.ahead("a", work), 1);
  EXPECT_EQ(kept.wanted("a", work), 1);
  EXPECT_EQ(kept.wanted("a", work), 2);  // it is kept for one

  std::latch begun(1), go_on(1);
  std::jthread ahead([&] {
    kept.ahead("b", [&] {
      begun.count_down();
      go_on.wait();
      return 7;
    });
  });
  begun.wait();
  std::jthread later([&] { go_on.count_down(); });
  EXPECT_EQ(kept.wanted("b", work), 7);  // it is waited for
  EXPECT_EQ(worked, 2);

  for (int i = 0; i < 100; ++i) kept.ahead(std::to_string(i), [&] { return i; });
  EXPECT_EQ(kept.wanted("99", work), 99);
  EXPECT_EQ(kept.wanted("0", work), 3);  // it has made way
}

OwnRun ownRun(DesignRun::End end, Cycles cycles) {
  OwnRun run;
  run.end = end;
  run.point.metrics.cycles = cycles;
  return run;
}

TEST(RunsAhead, AreTakenOverAlsoWhereTheyAreUnderWay) {
  RunsAhead runs;
  std::stop_source ahead;
  const auto ten = [](std::stop_source&) { return ownRun(DesignRun::End::Done, 10); };
  ASSERT_TRUE(runs.make("a", 100, ahead.get_token(), ten));
  EXPECT_EQ(runs.take("b"), nullptr);
  int told = 0;
  const std::shared_ptr<RunsAhead::Run> ended = runs.take("a");
  runs.whenEnded(*ended, [&] { ++told; });
  EXPECT_EQ(told, 1);
  EXPECT_EQ(ended->made.point.metrics.cycles, 10u);
  EXPECT_EQ(runs.take("a"), nullptr);

  const auto taken = runs.make("c", 100, ahead.get_token(), [&](std::stop_source&) {
    const std::shared_ptr<RunsAhead::Run> own = runs.take("c");
    runs.whenEnded(*own, [&] { ++told; });
    runs.stopOthers();
    EXPECT_EQ(told, 1);
    EXPECT_FALSE(own->stop.stop_requested());
    return ownRun(DesignRun::End::Done, 20);
  });
  EXPECT_EQ(told, 2);
  EXPECT_EQ(taken->point.metrics.cycles, 20u);

  runs.make("d", 100, ahead.get_token(), [&](std::stop_source& own) {
    runs.stopOthers();
    EXPECT_TRUE(own.stop_requested());  // nobody wants it
    return ownRun(DesignRun::End::Stopped, 0);
  });
  EXPECT_EQ(runs.take("d"), nullptr);
  runs.stop(ahead);
  EXPECT_FALSE(runs.make("e", 100, ahead.get_token(), ten));
}

TEST(RunsAhead, TellOfAnotherHorizonWhatARunToItWould) {
  using End = DesignRun::End;
  constexpr Cycles never = std::numeric_limits<Cycles>::max();
  EXPECT_TRUE(tells(ownRun(End::Done, 90), 100, 100));
  EXPECT_TRUE(tells(ownRun(End::Done, 90), 100, 91));
  EXPECT_FALSE(tells(ownRun(End::Done, 90), 100, 90));  // it may have been cut there
  EXPECT_FALSE(tells(ownRun(End::Done, 90), never, 100));
  EXPECT_TRUE(tells(ownRun(End::Late, 0), 100, 80));
  EXPECT_FALSE(tells(ownRun(End::Late, 0), 100, 120));
  EXPECT_FALSE(tells(ownRun(End::TooLong, 0), 100, 80));
  EXPECT_FALSE(tells(ownRun(End::Stopped, 0), 100, 100));
}

}  // namespace sluice::search_threads_test

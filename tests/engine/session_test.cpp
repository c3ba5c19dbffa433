// The session as a window uses it: submit, drain, submit again before the answer came.

#include "engine/explorer/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <semaphore>
#include <set>
#include <thread>

#include "engine/explorer/search/strategies.h"
#include "engine/explorer/store/result_store.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::session_test {

using namespace testing_support;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds patience(60000);

Generation generationOf(const SessionEvent& event) {
  return std::visit([](const auto& e) { return e.generation; }, event);
}

template <class Event>
const Event* firstOf(const std::vector<SessionEvent>& events) {
  for (const SessionEvent& event : events) {
    if (const Event* found = std::get_if<Event>(&event)) return found;
  }
  return nullptr;
}

/// Drains like a window's timer until an Event came; gives everything that came up to then.
template <class Event>
std::vector<SessionEvent> drainUntil(Session& session) {
  std::vector<SessionEvent> all;
  for (const auto start = Clock::now(); Clock::now() - start < patience;) {
    for (SessionEvent& event : session.drain()) all.push_back(std::move(event));
    if (firstOf<Event>(all)) return all;
    std::this_thread::sleep_for(milliseconds(2));
  }
  ADD_FAILURE() << "the event did not come";
  return all;
}

PointRequest pointOf(const std::shared_ptr<const Workload>& workload, std::int64_t depth) {
  return {workload, {{"depth", depth}}};
}

ExploreRequest exploreOf(const std::shared_ptr<const Workload>& workload, const std::string& objective) {
  ExploreRequest request{workload};
  request.search.objectives = {objective};
  return request;
}

std::shared_ptr<const Workload> quick() {
  static const auto workload = workloadOf(chainDocument(3, 500, 0));
  return workload;
}
/// Hours of simulation, if nobody stops it.
std::shared_ptr<const Workload> endless() {
  static const auto workload = workloadOf(chainDocument(50, 2'000'000'000, 0));
  return workload;
}

TEST(Session, SymbolicAnswerComesBeforeTheSimulatedOne) {
  Session session(2);
  const Generation generation = session.submit(pointOf(quick(), 4));
  const std::vector<SessionEvent> events = drainUntil<PointReady>(session);
  ASSERT_TRUE(std::holds_alternative<SymbolicReady>(events.front()));
  const auto& symbolic = std::get<SymbolicReady>(events.front());
  EXPECT_EQ(symbolic.generation, generation);
  EXPECT_EQ(symbolic.knobs.at("depth"), 4);
  EXPECT_EQ(symbolic.result->operators.size(), symbolic.result->graph.operators.size());
  const PointReady& ready = *firstOf<PointReady>(events);
  EXPECT_EQ(ready.generation, generation);
  EXPECT_EQ(ready.result->point.knobs.at("depth"), 4);
  EXPECT_EQ(ready.result->point.state, PointState::Done);
  EXPECT_FALSE(ready.result->simulation.occupancy.empty());
  for (const auto start = Clock::now(); session.pointRunning() && Clock::now() - start < patience;)
    std::this_thread::yield();
  EXPECT_FALSE(session.pointRunning());
}

/// A window that is notified needs no timer: once for all that waits, and again for what comes after a drain.
TEST(Session, TellsOnceThatSomethingHasArrived) {
  std::counting_semaphore<> told(0);
  Session session(1, [&told] { told.release(); });
  for (int round = 0; round < 2; ++round) {
    const Generation generation = session.submit(pointOf(quick(), 4 + round));
    std::vector<SessionEvent> events;
    while (firstOf<PointReady>(events) == nullptr) {
      ASSERT_TRUE(told.try_acquire_for(patience)) << "nobody told that the answer is there";
      for (SessionEvent& event : session.drain()) events.push_back(std::move(event));
    }
    EXPECT_EQ(firstOf<PointReady>(events)->generation, generation);
  }
}

TEST(Session, TellsNothingMoreWhileSomethingWaits) {
  std::counting_semaphore<> told(0);
  Session session(1, [&told] { told.release(); });
  session.submit(pointOf(quick(), 8));
  for (const auto start = Clock::now(); session.pointRunning() && Clock::now() - start < patience;)
    std::this_thread::yield();
  EXPECT_TRUE(told.try_acquire_for(patience));
  EXPECT_FALSE(told.try_acquire()) << "more than once, though nothing was drained";
  EXPECT_GE(session.drain().size(), 2u);  // the symbolic answer and the simulated one
}

TEST(Session, ARefusedPointSaysWhy) {
  Session session(1);
  const Generation generation = session.submit(pointOf(quick(), 17));
  const std::vector<SessionEvent> events = drainUntil<PointFailed>(session);
  const PointFailed& failed = *firstOf<PointFailed>(events);
  EXPECT_EQ(failed.generation, generation);
  EXPECT_TRUE(hasErrors(failed.diagnostics));
}

/// A slider moved quickly: whatever is drained after a submit belongs to that submit.
TEST(Session, AnOlderAnswerNeverFollowsANewerRequest) {
  Session session(2);
  Generation newest = 0;
  for (int i = 0; i < 300; ++i) {
    newest = session.submit(pointOf(quick(), 1 + i % 16));
    if (i == 299) break;  // its answer is waited for below; on a busy machine it may already be there
    if (i % 7 == 0) std::this_thread::sleep_for(milliseconds(i % 5));
    for (const SessionEvent& event : session.drain()) EXPECT_EQ(generationOf(event), newest);
  }
  const std::vector<SessionEvent> events = drainUntil<PointReady>(session);
  ASSERT_NE(firstOf<PointReady>(events), nullptr);
  EXPECT_EQ(firstOf<PointReady>(events)->generation, newest);
  EXPECT_EQ(firstOf<PointReady>(events)->result->point.knobs.at("depth"), 1 + 299 % 16);
}

/// An answer that waits undrained is thrown away when something newer is asked for.
TEST(Session, AWaitingAnswerIsDroppedForANewerRequest) {
  Session session(1);
  session.submit(pointOf(quick(), 1));
  for (const auto start = Clock::now(); session.pointRunning() && Clock::now() - start < patience;)
    std::this_thread::yield();
  const Generation newer = session.submit(pointOf(quick(), 2));
  for (const SessionEvent& event : drainUntil<PointReady>(session)) EXPECT_EQ(generationOf(event), newer);
}

TEST(Session, ANewerPointBeatsALongOne) {
  Session session(1);
  session.submit(pointOf(endless(), 2));
  drainUntil<PointProgress>(session);
  const Generation newer = session.submit(pointOf(quick(), 3));
  const std::vector<SessionEvent> events = drainUntil<PointReady>(session);
  for (const SessionEvent& event : events) EXPECT_EQ(generationOf(event), newer);
}

TEST(Session, ProgressIsHonest) {
  Session session(1);
  session.submit(PointRequest{workloadOf(chainDocument(50, 300'000, 4)), {}});
  double last = 0;
  for (const SessionEvent& event : drainUntil<PointReady>(session)) {
    const auto* progress = std::get_if<PointProgress>(&event);
    if (!progress) continue;
    EXPECT_GE(progress->fraction, last);
    EXPECT_LE(progress->fraction, 1);
    EXPECT_TRUE(progress->seconds_left == -1 || progress->seconds_left >= 0);
    if (progress->fraction >= guess_holds) {
      EXPECT_EQ(progress->seconds_left, -1) << "the guess was too low";
    }
    last = progress->fraction;
  }
}

TEST(Session, CancelPointLeavesNothingBehind) {
  Session session(1);
  session.submit(pointOf(endless(), 2));
  drainUntil<PointProgress>(session);
  session.cancelPoint();
  EXPECT_FALSE(session.pointRunning());
  EXPECT_TRUE(session.drain().empty());
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_TRUE(session.drain().empty());
}

TEST(Session, AnExplorationStreamsItsPoints) {
  Session session(2);
  const Generation generation = session.submit(exploreOf(quick(), "cycles"));
  std::set<std::uint64_t> indices;
  std::uint64_t evaluated = 0;
  for (const SessionEvent& event : drainUntil<ExploreReady>(session)) {
    EXPECT_EQ(generationOf(event), generation);
    const auto* points = std::get_if<ExplorePoints>(&event);
    if (!points) continue;
    for (const auto& [index, point] : points->points) {
      EXPECT_TRUE(indices.insert(index).second);
      EXPECT_EQ(point.knobs.at("depth"), static_cast<std::int64_t>(index) + 1);
    }
    EXPECT_GT(points->progress.evaluated, evaluated);
    evaluated = points->progress.evaluated;
    EXPECT_EQ(points->progress.total, 16u);
  }
  EXPECT_EQ(indices.size(), 16u);
}

TEST(Session, CancelExploreAndStartAnother) {
  Session session(2);
  session.submit(exploreOf(endless(), "cycles"));
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_TRUE(session.exploreRunning());
  session.cancelExplore();
  EXPECT_FALSE(session.exploreRunning());
  const Generation newer = session.submit(exploreOf(quick(), "cycles"));
  const std::vector<SessionEvent> events = drainUntil<ExploreReady>(session);
  for (const SessionEvent& event : events) EXPECT_EQ(generationOf(event), newer);
}

TEST(Session, PointAndExplorationGoOnTogether) {
  Session session(1);
  const Generation exploring = session.submit(exploreOf(endless(), "cycles"));
  const Generation point = session.submit(pointOf(quick(), 5));
  EXPECT_NE(exploring, point);
  EXPECT_EQ(firstOf<PointReady>(drainUntil<PointReady>(session))->generation, point);
  EXPECT_TRUE(session.exploreRunning());
}

TEST(Session, AnExplorationThatCannotBeSaysWhy) {
  Session session(1);
  session.submit(exploreOf(quick(), "no_such_metric"));
  EXPECT_TRUE(hasErrors(firstOf<ExploreFailed>(drainUntil<ExploreFailed>(session))->diagnostics));
  const TemporaryFolder folder;
  ExploreRequest stored = exploreOf(quick(), "no_such_metric");
  stored.search.store = folder.path() / "none.db";
  session.submit(stored);
  drainUntil<ExploreFailed>(session);
  EXPECT_FALSE(std::filesystem::exists(stored.search.store));  // it would list what never was
}

Exploration searched(Session& session, const SearchRequest& search) {
  session.submit(ExploreRequest{quick(), search});
  const std::vector<SessionEvent> events = drainUntil<ExploreReady>(session);
  const ExploreReady* ready = firstOf<ExploreReady>(events);
  return ready ? *ready->result : Exploration{};
}

TEST(Session, ASearchKeepsItsBudgetItsObjectivesAndItsConstraints) {
  Session session(2);
  SearchRequest search;
  search.strategy = "nsga2";
  search.budget = 6;
  search.objectives = {"token_hops", "cycles", "on_chip_bytes"};
  search.fidelity = Fidelity::Record;
  const Exploration all = searched(session, search);
  EXPECT_EQ(all.points.size(), 6u);
  EXPECT_EQ(all.objectives, search.objectives);
  EXPECT_EQ(all.points.front().fidelity, Fidelity::Record);
  EXPECT_FALSE(all.frontier.empty());
  search.constraints = {{"cycles", true, 1}};
  EXPECT_TRUE(searched(session, search).frontier.empty());
  search.strategy = "pruned";
  search.budget = 16;
  const Exploration none = searched(session, search);
  EXPECT_TRUE(none.points.empty());
  ASSERT_TRUE(none.ruled_out);
  EXPECT_THAT(none.ruled_out->cause, testing::HasSubstr("cycles is at least"));
}

TEST(Session, ASearchFillsItsStoreAndGoesOnFromIt) {
  const TemporaryFolder folder;
  Session session(2);
  SearchRequest search;
  search.strategy = "random";
  search.budget = 5;
  search.store = folder.path() / "all.db";
  search.file = "chain.sluice";
  EXPECT_EQ(searched(session, search).reused, 0u);
  search.resume = true;
  EXPECT_EQ(searched(session, search).reused, 5u);
  search.warm_start = true;
  EXPECT_GE(searched(session, search).points.size(), 10u);  // those of before, and as many again
  Result<ResultStore> store = ResultStore::open(search.store, ResultStore::Access::Read);
  ASSERT_TRUE(store);
  const auto explorations = store->explorations();
  ASSERT_TRUE(explorations);
  ASSERT_EQ(explorations->size(), 2u);  // the second went on with the first
  EXPECT_EQ(explorations->front().file, "chain.sluice");
  EXPECT_EQ(explorations->front().strategy, "random");
  EXPECT_EQ(explorations->front().points, 5u);
}

TEST(Session, AStoreThatCannotBeSaysWhy) {
  Session session(1);
  ExploreRequest request = exploreOf(quick(), "cycles");
  request.search.store = "/nowhere/at/all.db";
  session.submit(request);
  const std::vector<SessionEvent> events = drainUntil<ExploreFailed>(session);
  EXPECT_THAT(text(firstOf<ExploreFailed>(events)->diagnostics), testing::HasSubstr("/nowhere/at/all.db"));
  request.search.store.clear();
  request.search.resume = true;
  session.submit(request);
  const std::vector<SessionEvent> without = drainUntil<ExploreFailed>(session);
  EXPECT_EQ(firstOf<ExploreFailed>(without)->diagnostics, checkSearch(quick()->document, request.search));
}

/// What a stop leaves in the store is there the next time.
TEST(Session, AStoppedSearchKeepsWhatItHas) {
  const TemporaryFolder folder;
  SearchRequest search;
  search.store = folder.path() / "some.db";
  {
    Session session(1);
    session.submit(ExploreRequest{quick(), search});
    drainUntil<ExplorePoints>(session);
    session.cancelExplore();
  }
  search.resume = true;
  Session session(1);
  const Exploration again = searched(session, search);
  EXPECT_EQ(again.points.size(), 16u);
  EXPECT_GE(again.reused, 1u);
}

TEST(Session, WhatCannotBeSearchedIsKnownBeforehand) {
  const Document& document = quick()->document;
  const auto why = [&](auto&& change) {
    SearchRequest search;
    search.budget = 1'000'000'000;
    change(search);
    return text(checkSearch(document, search));
  };
  for (const Strategy& strategy : strategies())
    EXPECT_EQ(why([&](SearchRequest& search) { search.strategy = strategy.name; }), "") << strategy.name;
  EXPECT_THAT(why([](SearchRequest& search) { search.budget = 15; }), testing::HasSubstr("16 points"));
  EXPECT_THAT(why([](SearchRequest& search) { search.strategy = "pruned", search.budget = 15; }),
              testing::HasSubstr("16 points"));
  EXPECT_THAT(why([](SearchRequest& search) { search.strategy = "nsga2", search.budget = 0; }),
              testing::HasSubstr("no point may be evaluated"));
  EXPECT_THAT(why([](SearchRequest& search) { search.strategy = "halving", search.objectives = {"flops"}; }),
              testing::HasSubstr("short runs"));
  EXPECT_THAT(
      why([](SearchRequest& search) { search.fidelity = Fidelity::Symbolic, search.objectives = {"flops"}; }),
      testing::HasSubstr("symbolic level"));
  EXPECT_THAT(why([](SearchRequest& search) {
                search.objectives = {"cycles", "cycles"};
              }),
              testing::HasSubstr("given twice"));
  EXPECT_THAT(why([](SearchRequest& search) { search.warm_start = true; }), testing::HasSubstr("store"));
}

TEST(Session, ClosingStopsEverything) {
  auto workload = workloadOf(endless()->document);
  auto session = std::make_unique<Session>(2);
  session->submit(pointOf(workload, 2));
  session->submit(exploreOf(workload, "cycles"));
  std::this_thread::sleep_for(milliseconds(50));
  session.reset();
  EXPECT_EQ(workload.use_count(), 1) << "somebody still works on it";
}

}  // namespace sluice::session_test

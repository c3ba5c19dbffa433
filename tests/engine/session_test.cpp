// The session as a window uses it: submit, drain, submit again before the answer came.

#include "engine/explorer/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "tests/engine/support/documents.h"

namespace sluice {
namespace {

using namespace testing_support;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr milliseconds promptly(2000);
#else
constexpr milliseconds promptly(200);
#endif
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

std::shared_ptr<const Workload> quick() {
  static const auto workload = workloadOf(chainDocument(3, 500, 0));
  return workload;
}
/// Minutes of simulation, if nobody stops it.
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
  const auto start = Clock::now();
  const Generation newer = session.submit(pointOf(quick(), 3));
  const std::vector<SessionEvent> events = drainUntil<PointReady>(session);
  EXPECT_LT(Clock::now() - start, promptly);
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
  std::this_thread::sleep_for(promptly);
  EXPECT_TRUE(session.drain().empty());
}

TEST(Session, AnExplorationStreamsItsPoints) {
  Session session(2);
  const Generation generation = session.submit(ExploreRequest{quick(), {"cycles"}});
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
  session.submit(ExploreRequest{endless(), {"cycles"}});
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_TRUE(session.exploreRunning());
  session.cancelExplore();
  EXPECT_FALSE(session.exploreRunning());
  const auto start = Clock::now();
  const Generation newer = session.submit(ExploreRequest{quick(), {"cycles"}});
  const std::vector<SessionEvent> events = drainUntil<ExploreReady>(session);
  EXPECT_LT(Clock::now() - start, promptly);
  for (const SessionEvent& event : events) EXPECT_EQ(generationOf(event), newer);
}

TEST(Session, PointAndExplorationGoOnTogether) {
  Session session(1);
  const Generation exploring = session.submit(ExploreRequest{endless(), {"cycles"}});
  const Generation point = session.submit(pointOf(quick(), 5));
  EXPECT_NE(exploring, point);
  EXPECT_EQ(firstOf<PointReady>(drainUntil<PointReady>(session))->generation, point);
  EXPECT_TRUE(session.exploreRunning());
}

TEST(Session, AnExplorationThatCannotBeSaysWhy) {
  Session session(1);
  session.submit(ExploreRequest{quick(), {"no_such_metric"}});
  EXPECT_TRUE(hasErrors(firstOf<ExploreFailed>(drainUntil<ExploreFailed>(session))->diagnostics));
}

TEST(Session, ClosingStopsEverythingAtOnce) {
  auto session = std::make_unique<Session>(2);
  session->submit(pointOf(endless(), 2));
  session->submit(ExploreRequest{endless(), {"cycles"}});
  std::this_thread::sleep_for(milliseconds(50));
  const auto start = Clock::now();
  session.reset();
  EXPECT_LT(Clock::now() - start, promptly);
}

}  // namespace
}  // namespace sluice

// Near misses and the frontier of two depths, against trying every depth by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/fifo/depth_frontier.h"
#include "engine/fifo/near_misses.h"
#include "engine/fifo/unlock.h"
#include "engine/program/stream_id.h"
#include "tests/engine/support/documents.h"

namespace sluice::near_misses_test {

using testing::UnorderedElementsAre;
using testing_support::sampleWorkload;
using testing_support::workloadOf;

std::shared_ptr<const Workload> sample(const std::string& name) {
  return sampleWorkload(std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads" / "deadlocks" /
                        (name + ".sluice"));
}

PointResult run(const Workload& workload, RecordMode mode = RecordMode::Record) {
  Result<PointResult> result = evaluate(workload, defaultKnobs(workload.document), mode);
  if (!result) throw std::runtime_error(text(result.diagnostics()));
  return *std::move(result);
}

/// The sample with other depths of its streams, by position.
std::shared_ptr<const Workload> with(const Workload& workload,
                                     const std::map<std::size_t, std::int64_t>& depths) {
  Document document = workload.document;
  for (const auto& [stream, depth] : depths) document.program.streams.at(stream).depth = Value(depth);
  return workloadOf(std::move(document));
}

bool locks(const Workload& workload) {
  return run(workload, RecordMode::Count).point.state == PointState::Deadlocked;
}

TEST(NearMisses, AreTheFifosThatAFewSlotsFewerLockUp) {
  const auto workload = with(*sample("interlocking"), {{0, 7}, {4, 6}});
  const PointResult point = run(*workload);
  ASSERT_EQ(point.point.state, PointState::Done);
  for (const std::uint64_t within : {1u, 2u, 5u}) {
    const NearMisses misses = nearMisses(*workload, point, within);
    EXPECT_FALSE(misses.gave_up);
    std::map<std::string, std::uint64_t> found;
    for (const NearMiss& miss : misses.list) found[miss.origin] = miss.fewer;
    for (std::size_t stream = 0; stream < workload->document.program.streams.size(); ++stream) {
      const std::int64_t depth = stream == 0 ? 7 : stream == 4 ? 6 : 2;
      std::uint64_t expected = 0;
      for (std::int64_t fewer = 1;
           expected == 0 && fewer < depth && fewer <= static_cast<std::int64_t>(within); ++fewer)
        if (locks(*with(*workload, {{stream, depth - fewer}}))) expected = static_cast<std::uint64_t>(fewer);
      const auto at = found.find("#" + text(workload->document.program.streams[stream].to));
      EXPECT_EQ(at == found.end() ? 0 : at->second, expected) << "stream " << stream << " within " << within;
    }
  }
  const NearMisses misses = nearMisses(*workload, point, 2);
  ASSERT_EQ(misses.list.size(), 2u);
  EXPECT_EQ(misses.list[0].stream, "shifted.out -> divided.in1");  // the nearest first
  EXPECT_EQ(misses.list[0].fewer, 1u);
  EXPECT_EQ(misses.list[1].fewer, 2u);
  EXPECT_THAT(misses.list[0].members,
              UnorderedElementsAre("sum", "shifted.out.broadcast", "divided", "spread_sum"));
  EXPECT_GT(misses.list[0].full, 0u);
  EXPECT_LE(misses.list[0].full, point.simulation.cycles);
}

TEST(NearMisses, TheStallIsWhatTheRunWouldBeShorterBy) {
  const auto workload = with(*sample("shallow_branch"), {{0, 8}});
  const PointResult point = run(*workload);
  const NearMisses misses = nearMisses(*workload, point, 1);
  ASSERT_EQ(misses.list.size(), 1u);
  const PointResult wide = run(*with(*workload, {{0, 1000}}));
  EXPECT_EQ(misses.list[0].stall, point.simulation.cycles - wide.simulation.cycles);
  EXPECT_GT(misses.list[0].stall, 0u);
}

TEST(NearMisses, ThereAreNoneWhereNothingIsTight) {
  const auto workload = sample("long_stall");
  EXPECT_TRUE(nearMisses(*workload, run(*workload), 1).list.empty());
}

void expectEveryCell(const Workload& workload, std::size_t first, std::size_t second, std::uint64_t up_to,
                     bool monotone) {
  const PointResult point = run(workload);
  const std::vector<std::string> ids = streamIds(workload.document.program, "");
  const auto frontier = depthFrontier(workload, point, ids.at(first), ids.at(second), up_to);
  ASSERT_TRUE(frontier) << text(frontier.diagnostics());
  EXPECT_EQ(frontier->monotone, monotone);
  for (std::uint64_t a = 1; a <= up_to; ++a)
    for (std::uint64_t b = 1; b <= up_to; ++b)
      EXPECT_EQ(frontier->endsAt(a, b), !locks(*with(workload, {{first, static_cast<std::int64_t>(a)},
                                                                {second, static_cast<std::int64_t>(b)}})))
          << a << ", " << b;
  for (const DepthFrontier::Corner& corner : frontier->corners) {
    const PointResult there = run(*with(workload, {{first, static_cast<std::int64_t>(corner.first)},
                                                   {second, static_cast<std::int64_t>(corner.second)}}));
    EXPECT_EQ(there.simulation.cycles, corner.cycles);
    EXPECT_TRUE(corner.first == 1 || !frontier->endsAt(corner.first - 1, corner.second));
    EXPECT_TRUE(corner.second == 1 || !frontier->endsAt(corner.first, corner.second - 1));
  }
}

TEST(DepthFrontier, IsThatOfTryingEveryCell) {
  expectEveryCell(*sample("interlocking"), 0, 4, 8, true);
  expectEveryCell(*sample("two_sources"), 0, 2, 6, true);
  expectEveryCell(*sample("series_of_fifos"), 0, 1, 8, true);
  expectEveryCell(*sample("feedback_without_room"), 2, 3, 5, false);
}

TEST(DepthFrontier, InterlockingCirclesHaveOneCornerAndASeriesHasMany) {
  const auto corners = [](const std::string& name, const std::string& a, const std::string& b) {
    const auto workload = sample(name);
    const auto frontier = depthFrontier(*workload, run(*workload), a, b, 10);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> list;
    for (const auto& corner : frontier->corners) list.emplace_back(corner.first, corner.second);
    return list;
  };
  EXPECT_THAT(corners("interlocking", "#shifted.in1", "#divided.in1"),
              testing::ElementsAre(std::pair(6u, 6u)));
  EXPECT_GT(corners("series_of_fifos", "#rows.in", "#join.in1").size(), 3u);
}

TEST(DepthFrontier, TheSuggestedPairIsThatOfTheRepair) {
  const auto workload = sample("interlocking");
  const PointResult locked = run(*workload);
  EXPECT_THAT(suggestedPair(locked, {"#shifted.in1", "#divided.in1"}),
              testing::ElementsAre("#shifted.in1", "#divided.in1"));
  const std::vector<std::string> pair = suggestedPair(locked, {});
  ASSERT_EQ(pair.size(), 2u);
  EXPECT_EQ(pair[0], "#shifted.in1");  // what is full in the wait cycle
  EXPECT_FALSE(depthFrontier(*workload, locked, "#shifted.in1", "#nobody.in", 4));
  EXPECT_FALSE(depthFrontier(*workload, locked, "#shifted.in1", "#shifted.in1", 4));
}

/// An exploration keeps deadlocked points, with the wait cycle and what memory they would have.
TEST(DeadlockedPoints, KeepTheirCause) {
  const PointResult locked = run(*sample("independent"), RecordMode::Count);
  ASSERT_TRUE(locked.point.deadlock);
  const DeadlockCause& cause = *locked.point.deadlock;
  EXPECT_EQ(cause.wait_cycles, 2u);
  EXPECT_EQ(cause.closed_at, 3u);
  EXPECT_THAT(cause.members, UnorderedElementsAre("a_sum", "a.out.broadcast", "a_join", "a_spread"));
  EXPECT_THAT(cause.full, testing::ElementsAre("a.out.broadcast.out[0] -> a_join.in1"));
  EXPECT_GT(locked.point.metrics.on_chip_bytes, 0u);
  EXPECT_FALSE(run(*sample("long_stall"), RecordMode::Count).point.deadlock);
}

}  // namespace sluice::near_misses_test

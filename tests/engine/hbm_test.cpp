// The closed form of the memory node against stepping every cycle: equal completions, equal state afterwards.

#include <gtest/gtest.h>

#include "engine/core/random.h"
#include "engine/simulator/memory.h"
#include "tests/engine/support/stepped_hbm.h"

namespace sluice::hbm_test {

using simulator::Hbm;
using simulator::HbmConfig;
using testing_support::SteppedHbm;

/// Issues `runs` in order of their ports' completions, each port's next one some cycles after its last;
/// returns every completion.
template <class Memory>
std::vector<std::pair<Cycles, std::uint32_t>> play(Memory& hbm, const std::vector<std::uint64_t>& groups,
                                                   const std::vector<std::vector<std::uint64_t>>& runs,
                                                   std::uint64_t gap) {
  std::vector<std::size_t> next(groups.size(), 0);
  for (const std::uint64_t group : groups) hbm.addPort(group);
  for (std::uint32_t port = 0; port < groups.size(); ++port) {
    if (!runs[port].empty()) hbm.issue(port, runs[port][next[port]++], port * gap);
  }
  std::vector<std::pair<Cycles, std::uint32_t>> completions;
  std::vector<std::uint32_t> completed;
  while (hbm.busy()) {
    completed.clear();
    const Cycles time = hbm.advance(completed);
    for (const std::uint32_t port : completed) {
      completions.emplace_back(time, port);
      if (next[port] < runs[port].size()) hbm.issue(port, runs[port][next[port]++], time + gap * (port % 3));
    }
  }
  return completions;
}

TEST(Hbm, HeedsAStopAndRefusesWhatCannotBeKept) {
  HbmConfig wide;
  wide.channels = 1000;  // stepped cycle by cycle
  std::vector<std::uint32_t> completed;
  {
    Hbm hbm(wide);
    std::stop_source stop;
    hbm.heed(stop.get_token());
    hbm.issue(hbm.addPort(1), std::uint64_t{1} << 40, 0);  // would take days
    stop.request_stop();
    hbm.advance(completed);
    EXPECT_TRUE(completed.empty());
    EXPECT_TRUE(hbm.busy());
  }
  {
    Hbm hbm(wide);
    hbm.issue(hbm.addPort(std::uint64_t{1} << 40), std::uint64_t{1} << 40, 0);
    hbm.advance(completed);
    ASSERT_TRUE(hbm.trouble());
    EXPECT_NE(hbm.trouble()->cause.find("in one cycle"), std::string::npos);
  }
  Hbm hbm(HbmConfig{});
  hbm.issue(hbm.addPort(1), std::uint64_t{1} << 60, 0);
  hbm.advance(completed);
  ASSERT_TRUE(hbm.trouble());
  EXPECT_NE(hbm.trouble()->cause.find("2^52"), std::string::npos);
  EXPECT_TRUE(completed.empty());
}

TEST(Hbm, ClosedFormEqualsSteppingEveryCycle) {
  SplitMix64 random(7);
  for (int round = 0; round < 400; ++round) {
    const HbmConfig config{64,
                           1 + random.below(40),
                           random.below(6),
                           1 + random.below(4),
                           random.below(20),
                           random.below(2) == 0};
    const std::size_t ports = 1 + random.below(9);
    std::vector<std::uint64_t> groups;
    std::vector<std::vector<std::uint64_t>> runs(ports);
    for (std::size_t port = 0; port < ports; ++port) {
      groups.push_back(1 + random.below(5));
      for (std::uint64_t k = random.below(4); k > 0; --k)
        runs[port].push_back(1 + random.below(random.below(2) ? 3000 : 40));
    }
    const std::uint64_t gap = random.below(50);
    Hbm fast(config);
    SteppedHbm slow(config);
    const auto expected = play(slow, groups, runs, gap);
    ASSERT_EQ(play(fast, groups, runs, gap), expected) << "round " << round;
    EXPECT_EQ(fast.requests(), slow.requests());
  }
}

TEST(Hbm, ManyPortsWithShortRunsEqualStepping) {
  SplitMix64 random(11);
  for (int round = 0; round < 150; ++round) {
    const std::uint64_t channels =
        random.below(2) ? std::uint64_t{1} << random.below(7) : 1 + random.below(64);
    const HbmConfig config{
        64, channels, random.below(4), 1 + random.below(5), random.below(40), random.below(2) == 0};
    const std::size_t ports = 1 + random.below(80);
    std::vector<std::uint64_t> groups;
    std::vector<std::vector<std::uint64_t>> runs(ports);
    const std::uint64_t largest = 1 + random.below(300);
    for (std::size_t port = 0; port < ports; ++port) {
      groups.push_back(random.below(3) ? 1 : 1 + random.below(8));
      // A few ports run far longer than the log of stretches.
      const std::uint64_t limit = random.below(8) == 0 ? 40 * largest : largest;
      for (std::uint64_t k = random.below(12); k > 0; --k) runs[port].push_back(1 + random.below(limit));
    }
    const std::uint64_t gap = random.below(2) ? random.below(8) : random.below(400);
    Hbm fast(config);
    SteppedHbm slow(config);
    const auto expected = play(slow, groups, runs, gap);
    ASSERT_EQ(play(fast, groups, runs, gap), expected) << "round " << round;
  }
}

TEST(Hbm, HundredsOfChannelsAndWideGroupsEqualStepping) {
  for (const std::uint64_t channels : {300u, 700u}) {
    const HbmConfig config{64, channels, 2, 3, 14};
    const std::vector<std::uint64_t> groups = {1, 900, 33};
    const std::vector<std::vector<std::uint64_t>> runs = {{500, 20}, {5000, 1, 899}, {1000, 34}};
    Hbm fast(config);
    SteppedHbm slow(config);
    const auto expected = play(slow, groups, runs, 40);
    EXPECT_EQ(play(fast, groups, runs, 40), expected);
  }
}

TEST(Hbm, UncontendedTileTakesTheDocumentedTime) {
  // clock + ceil(NREQ / par) + start_up + latency + 2 (engine/simulator/semantics.md 6.4).
  for (const auto& [requests, group, expected] : {std::tuple{1u, 1u, 19u}, {16u, 1u, 34u}, {16u, 4u, 22u}}) {
    Hbm hbm(HbmConfig{});
    hbm.addPort(group);
    hbm.issue(0, requests, 0);
    std::vector<std::uint32_t> completed;
    EXPECT_EQ(hbm.advance(completed), expected);
    EXPECT_EQ(completed, std::vector<std::uint32_t>{0});
    EXPECT_FALSE(hbm.busy());
  }
}

TEST(Hbm, StopsWhereItIsTold) {
  Hbm hbm(HbmConfig{});
  hbm.addPort(1);
  hbm.issue(0, 1000, 0);
  std::vector<std::uint32_t> completed;
  EXPECT_EQ(hbm.advance(completed, 500), 500u);
  EXPECT_TRUE(completed.empty());
  EXPECT_EQ(hbm.advance(completed), 1000u + 18u);
}

}  // namespace sluice::hbm_test

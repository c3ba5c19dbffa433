// The bank-level memory on access patterns whose answers are known. Presets without refresh unless it is the
// matter; bursts of 32 bytes, requests of 32 bytes, so that a request is a burst.

#include "engine/simulator/bank_memory.h"

#include <gtest/gtest.h>

#include "engine/core/random.h"

namespace sluice::bank_memory_test {

using simulator::Access;
using simulator::BankMemory;

constexpr std::uint64_t row = 1024, burst = 32;

Dram hbm2(bool refreshed = false) {
  Dram dram = Dram::preset(HbmModel::Hbm2);
  dram.pseudo_channels = 1;
  dram.controller_latency = 0;
  if (!refreshed) dram.tREFI = 0;
  return dram;
}

struct Played {
  Cycles last = 0;
  std::uint64_t hits = 0, misses = 0;
};

/// All runs at once, every one on a port of its own that sends `group` requests a cycle.
Played play(const Dram& dram, std::uint64_t channels,
            const std::vector<std::pair<std::uint64_t, Access>>& runs, std::uint64_t group = 64,
            std::uint64_t request_bytes = burst) {
  BankMemory memory(dram, channels, request_bytes);
  for (const auto& [requests, access] : runs) memory.issue(memory.addPort(group), requests, access, 0);
  Played played;
  std::vector<std::uint32_t> completed;
  while (memory.busy()) played.last = memory.advance(completed);
  EXPECT_EQ(completed.size(), runs.size());
  played.hits = memory.rowHits();
  played.misses = memory.rowMisses();
  return played;
}

Access sequential(std::uint64_t address, bool write = false) {
  return {address, 1, burst, write};
}
Access strided(std::uint64_t stride) {
  return {0, 1, stride, false};
}

TEST(BankMemory, ASingleReadTakesActivateAccessAndBurst) {
  // Taken in cycle 1, at the pseudo channel at 2; tRCD + tCL + tBL; visible a cycle later.
  EXPECT_EQ(play(hbm2(), 1, {{1, sequential(0)}}).last, 2u + 14 + 14 + 2 + 1);
  EXPECT_EQ(play(hbm2(), 1, {{1, sequential(0, true)}}).last, 2u + 14 + 4 + 2 + 1);
  Dram hbm3 = Dram::preset(HbmModel::Hbm3);
  hbm3.controller_latency = 0;
  // 1600 MHz: at the pseudo channel at clock 4 (of 3.2), done at 4 + 48 = 52, in cycle 33 (of 32.5).
  EXPECT_EQ(play(hbm3, 1, {{1, sequential(0)}}).last, 34u);
}

TEST(BankMemory, StreamingReachesThePeakLessRefresh) {
  constexpr std::uint64_t bursts = 200'000;
  for (const bool refreshed : {false, true}) {
    const Dram dram = hbm2(refreshed);
    const Played played = play(dram, 1, {{bursts, sequential(0)}});
    double expected = static_cast<double>(bursts * dram.tCCD_S);
    if (refreshed) expected *= 3900.0 / (3900 - 260);
    EXPECT_NEAR(static_cast<double>(played.last), expected, 0.02 * expected) << refreshed;
    EXPECT_GT(played.hits, 25 * played.misses);
  }
}

TEST(BankMemory, AllChannelsStreamAtOnceAndOneStrideUsesOne) {
  constexpr std::uint64_t bursts = 64'000;
  const Played all = play(hbm2(), 8, {{bursts, sequential(0)}});
  const Played one = play(hbm2(), 8, {{bursts, strided(8 * burst)}});
  EXPECT_NEAR(static_cast<double>(one.last) / static_cast<double>(all.last), 8, 0.1);
  EXPECT_NEAR(static_cast<double>(all.last), bursts / 8 * 2.0, 0.02 * bursts / 4);
}

TEST(BankMemory, AnotherRowOfOneBankEveryTimeIsBoundByTheRowCycle) {
  const Dram dram = hbm2();
  const std::uint64_t same_bank = row * dram.bank_groups * dram.banks;
  const Played played = play(dram, 1, {{5000, strided(same_bank)}});
  EXPECT_EQ(played.misses, 5000u);
  EXPECT_NEAR(static_cast<double>(played.last), 5000.0 * (34 + 14), 100);
}

TEST(BankMemory, RandomRowsOfOneBankAreBoundByTheRowCycle) {
  Dram dram = hbm2();
  dram.queue = 1;  // first in, first out: nothing is reordered
  const std::uint64_t same_bank = row * dram.bank_groups * dram.banks;
  SplitMix64 random(3);
  BankMemory memory(dram, 1, burst);
  const std::uint32_t port = memory.addPort(1);
  std::uint64_t before = 0;
  for (int i = 0; i < 2000; ++i) {
    std::uint64_t next = random.below(10'000);
    if (next == before) ++next;
    memory.issue(port, 1, sequential(next * same_bank), 0);
    before = next;
  }
  std::vector<std::uint32_t> completed;
  Cycles last = 0;
  while (memory.busy()) last = memory.advance(completed);
  EXPECT_EQ(memory.rowMisses(), 2000u);
  EXPECT_NEAR(static_cast<double>(last), 2000.0 * 48, 100);
}

TEST(BankMemory, RowsOfManyBanksAreBoundByTheActivates) {
  // Every access another row, sixteen banks in turn: at most four activates per tFAW, one per tRRD_S, and
  // every bank once per tRC.
  Dram dram = hbm2();
  ASSERT_TRUE(dram.setMapping("CoRoBaBgCh"));
  const auto accesses = [&] {
    const Played played = play(dram, 1, {{16'000, sequential(0)}});
    EXPECT_EQ(played.hits, 0u);
    return static_cast<double>(played.last);
  };
  dram.tFAW = 40;
  EXPECT_NEAR(accesses(), 16'000.0 * 40 / 4, 100);
  dram.tFAW = 8;
  EXPECT_NEAR(accesses(), 16'000.0 * 4, 100);
  dram.tRRD_S = dram.tRRD_L = 1;
  EXPECT_NEAR(accesses(), 16'000.0 * 48 / 16, 100);
}

TEST(BankMemory, OneBankGroupIsBoundByTheLongColumnSpacing) {
  Dram dram = hbm2();
  dram.queue = 1;
  ASSERT_TRUE(dram.setMapping("RoBaBgCoCh"));  // the bursts of a row one after another: one bank group
  const Played played = play(dram, 1, {{20'000, sequential(0)}});
  EXPECT_NEAR(static_cast<double>(played.last), 20'000.0 * 4, 1600);  // tCCD_L
}

TEST(BankMemory, ReadsAfterWritesTurnTheBusAround) {
  // Alternately a write and a read of one open row, first in, first out: each pair costs
  // tCWL + tBL + tWTR_L from the write to the read and tRTW from the read to the write.
  Dram dram = hbm2();
  dram.queue = 1;
  BankMemory memory(dram, 1, burst);
  const std::uint32_t port = memory.addPort(1);
  for (std::uint64_t i = 0; i < 1000; ++i) memory.issue(port, 1, {0, 1, 0, i % 2 == 0}, 0);
  std::vector<std::uint32_t> completed;
  Cycles last = 0;
  while (memory.busy()) last = memory.advance(completed);
  EXPECT_NEAR(static_cast<double>(last), 500.0 * (4 + 2 + 8 + 14), 60);
  // A scheduler with a queue puts writes and reads together.
  const Played together = play(hbm2(), 1, {{500, {0, 1, 0, true}}, {500, {0, 1, 0, false}}}, 1);
  EXPECT_LT(together.last, last / 2);
}

TEST(BankMemory, RefreshStopsAnOpenRow) {
  Dram dram = hbm2(true);
  BankMemory memory(dram, 1, burst);
  const std::uint32_t port = memory.addPort(1);
  std::vector<std::uint32_t> completed;
  memory.issue(port, 1, sequential(0), 3800);
  EXPECT_EQ(memory.advance(completed), 3802u + 14 + 14 + 2 + 1);
  memory.issue(port, 1, sequential(0), 3900);  // taken at 3901, where the refresh begins
  EXPECT_EQ(memory.advance(completed), 3900u + 260 + 14 + 14 + 2 + 1);
  EXPECT_EQ(memory.rowMisses(), 2u);
}

TEST(BankMemory, GetsOnHoweverLittleTimeRefreshesLeave) {
  Dram dram = hbm2(true);
  dram.tRCD = dram.tREFI - dram.tRFC - dram.tRP - 1;  // the most that the check lets pass
  EXPECT_GT(play(dram, 1, {{100, sequential(0)}}).last, 100u);
  dram.tRCD = 14;
  dram.tFAW = 3 * dram.tREFI;  // many refreshes between two activates
  const Played waits = play(dram, 1, {{8, {0, 1, 16 * row, false}}});
  EXPECT_GT(waits.last, dram.tFAW);
  EXPECT_EQ(waits.misses, 8u);
}

TEST(BankMemory, WhatServesNothingIsTroubleAndNoEndlessLoop) {
  Dram dram = hbm2(true);
  dram.tRCD = dram.tREFI - dram.tRFC;
  BankMemory memory(dram, 1, burst);
  const std::uint32_t port = memory.addPort(1);
  std::vector<std::uint32_t> completed;
  memory.issue(port, 1, sequential(0), 3000);  // the row is not open before the refresh
  memory.advance(completed);
  ASSERT_TRUE(memory.trouble());
  EXPECT_EQ(memory.trouble()->port, port);
  EXPECT_NE(memory.trouble()->cause.find("serves nothing"), std::string::npos);
}

TEST(BankMemory, MoreThanItCanHoldIsTrouble) {
  BankMemory memory(hbm2(), 1, burst);
  const std::uint32_t port = memory.addPort(1 << 20);  // in every cycle
  std::vector<std::uint32_t> completed;
  memory.issue(port, std::uint64_t{1} << 30, sequential(0), 0);
  memory.advance(completed);
  ASSERT_TRUE(memory.trouble());
  EXPECT_NE(memory.trouble()->cause.find("bursts wait"), std::string::npos);
}

TEST(BankMemory, HeedsAStop) {
  BankMemory memory(hbm2(), 1, burst);
  const std::uint32_t port = memory.addPort(1);
  std::stop_source stop;
  memory.heed(stop.get_token());
  std::vector<std::uint32_t> completed;
  memory.issue(port, std::uint64_t{1} << 40, sequential(0), 0);  // would take days
  stop.request_stop();
  memory.advance(completed);
  EXPECT_TRUE(completed.empty());
  EXPECT_TRUE(memory.busy());
}

TEST(BankMemory, IsTheSameHoweverItIsAdvanced) {
  const auto run = [](Cycles step) {
    BankMemory memory(Dram::preset(HbmModel::Hbm3), 4, 64);
    SplitMix64 random(5);
    std::vector<std::pair<Cycles, std::uint32_t>> answers;
    for (int i = 0; i < 12; ++i)
      memory.issue(
          memory.addPort(1 + random.below(3)), 50 + random.below(500),
          {random.below(1 << 20) * 64, 1 + random.below(8), 64 * random.below(64), random.below(3) == 0},
          random.below(100));
    std::vector<std::uint32_t> completed;
    for (Cycles until = step; memory.busy();) {
      completed.clear();
      const Cycles time = memory.advance(completed, until);
      for (const std::uint32_t port : completed) answers.emplace_back(time, port);
      if (completed.empty()) until += step;
    }
    return answers;
  };
  const auto expected = run(1'000'000);
  ASSERT_EQ(expected.size(), 12u);
  for (const Cycles step : {Cycles{1}, Cycles{7}, Cycles{100}}) EXPECT_EQ(run(step), expected);
}

}  // namespace sluice::bank_memory_test

// A machine outside reference mode, and one with banks, in whole graphs: clocks computed by hand, beside what
// the reference makes of the same graph.

#include <gtest/gtest.h>

#include <chrono>

#include "engine/operators/simulate.h"
#include "tests/engine/support/flat_builder.h"
#include "tests/engine/support/slow_model.h"

namespace sluice::idealised_mode_test {

using List = std::vector<std::int64_t>;

Settings loadOf(List tile, List shape, std::int64_t par = 1) {
  return {{"tile", std::move(tile)}, {"out_shape", std::move(shape)}, {"par_dispatch", par}};
}

/// A load into a Consumer: operators 0 and 1.
FlatBuilder loadAlone(const List& tile, const List& shape, std::int64_t par, std::uint64_t channels = 32,
                      std::uint64_t depth = 1) {
  FlatBuilder builder;
  builder.depth = depth;
  builder.machine.hbm_channels = channels;
  builder.add("LinearOffChipLoad", loadOf(tile, shape, par));
  builder.consumeTheRest();
  return builder;
}

/// Clock at the end of one operator, in reference mode and outside of it.
void expectClock(FlatBuilder builder, OperatorId op, Cycles reference, Cycles sensible) {
  builder.machine.reference_mode = true;
  EXPECT_EQ(simulate(builder.build(), {}).operators[op].finished, reference) << "reference mode";
  builder.machine.reference_mode = false;
  EXPECT_EQ(simulate(builder.build(), {}).operators[op].finished, sensible) << "outside of it";
}

TEST(SensibleMode, RoundRobinSpreadsGroupsEvenly) {
  // 16 groups of 4 on 8 channels: a channel is asked every second cycle, just when it is free. The last group
  // arrives at 17 and is answered at 17 + 14 + 2 + 1. The triangular counter hits channels twice.
  expectClock(loadAlone({64, 32}, {1}, 4, 8), 0, 35, 34);
}

TEST(SensibleMode, OnlyAnIdleChannelPaysTheStartUp) {
  // 16 requests at once on one channel, served at 2, 4, ... 32. The first pays 14 more; the last is answered
  // at 32 + 2 + 1, not 32 + 16 + 1.
  expectClock(loadAlone({16, 32}, {1}, 16, 1), 0, 49, 35);
}

TEST(SensibleMode, LoadsReadAhead) {
  // Tiles of one request: 0, 1, 2 are issued at clock 0 (a FIFO slot and two of staging) and answered at 19,
  // 20, 21. The consumer takes tile 0 at 20, so that tile 1 has its slot, and tile 3 is issued, at 21: one
  // request a cycle, answered 19 later.
  expectClock(loadAlone({1, 32}, {4}, 1), 0, 76, 40);
  expectClock(loadAlone({1, 32}, {4}, 1), 1, 78, 42);
  // With room for all of them: one a cycle.
  expectClock(loadAlone({1, 32}, {4}, 1, 32, 4), 0, 76, 22);
}

TEST(SensibleMode, ReadAheadKeepsToTheRoomThereIs) {
  // A consumer as slow as 100 cycles a tile: the load is ahead of it by the FIFO and two tiles, no more.
  for (const std::uint64_t depth : {1u, 2u, 5u}) {
    FlatBuilder builder;
    builder.depth = depth;
    builder.machine.reference_mode = false;
    const Output tiles = builder.through("LinearOffChipLoad", loadOf({1, 32}, {50}));
    builder.depth = 1000;
    builder.add("Map", {{"function", std::string("silu")}, {"compute_bw", std::int64_t{3}}}, {tiles});
    builder.consumeTheRest();
    const SimulationResult result = simulate(builder.build(), {});
    // 8 * 32 FLOPs at 3 a cycle are 86 cycles; the map frees a slot every 86, its 50th tile ends it.
    EXPECT_EQ(result.operators[1].finished, 20u + 50 * 86) << depth;
    EXPECT_EQ(result.streams[0].tokens, 50u);
    EXPECT_EQ(result.hbm_requests, 50u);
  }
}

TEST(SensibleMode, PassesOverAViewReadAheadWithinThePass) {
  // Two passes of three tiles of one request, plenty of room: reference 19 a tile; ahead, 19 + 2 a pass.
  FlatBuilder builder;
  builder.depth = 16;
  const Output refs = builder.through("TileGen", {{"shape", List{2}}, {"tile", List{1, 1}}});
  const OperatorId load = builder.add("LinearOffChipLoadRef", loadOf({1, 32}, {3}), {refs});
  builder.consumeTheRest();
  builder.machine.reference_mode = true;
  const Cycles reference = simulate(builder.build(), {}).operators[load].finished;
  builder.machine.reference_mode = false;
  const Cycles sensible = simulate(builder.build(), {}).operators[load].finished;
  EXPECT_EQ(reference - sensible, 6u * 19 - 2 * (19 + 2));
}

TEST(SensibleMode, PaddingFollowsTheLastElementAtOnce) {
  FlatBuilder builder;
  const Output tiles =
      builder.through("TileGen", {{"shape", List{3}}, {"tile", List{1, 4}}, {"interval", std::int64_t{10}}});
  const Output flat =
      builder.through("Flatten", {{"min", std::int64_t{0}}, {"max", std::int64_t{1}}}, {tiles});
  const OperatorId chunks = builder.add("Reshape", {{"dim", 0}, {"chunk", 2}, {"pad", List{1, 4}}}, {flat});
  builder.consumeTheRest();
  // The third tile reaches Reshape at 31. In reference mode, too, the end moves it no further: nobody before
  // it has waited since.
  expectClock(builder, chunks, 31, 31);
}

// Banks.

TEST(BankMachine, ALoadStreamsAtThePeak) {
  // 64 tiles of 64 KiB, 16 requests a cycle for 32 channels of 32 bytes a nanosecond: 1024 bytes a cycle.
  FlatBuilder builder = loadAlone({64, 512}, {64}, 16, 32, 4);
  builder.machine.reference_mode = false;
  builder.machine.hbm_model = HbmModel::Hbm2;
  builder.machine.dram = Dram::preset(HbmModel::Hbm2);
  EXPECT_DOUBLE_EQ(builder.machine.offChipBandwidth(), 1024);
  const SimulationResult result = simulate(builder.build(), {});
  const double bytes = 64.0 * 64 * 512 * 2;
  EXPECT_GT(static_cast<double>(result.cycles), bytes / 1024 * 3900 / (3900 - 260) * 0.95);
  EXPECT_LT(static_cast<double>(result.cycles), bytes / 1024 * 3900 / (3900 - 260) * 1.15);
}

TEST(BankMachine, TilesOfAWideTensorLieFarApart) {
  // A column of tiles of one row each, in a tensor whose rows are as long as a row of all banks: every tile
  // opens a row of the same bank anew, as a tensor of just these tiles does not.
  const auto cycles = [](std::int64_t row_tiles) {
    FlatBuilder builder;
    builder.depth = 16;
    builder.machine.hbm_channels = 1;
    builder.machine.reference_mode = false;
    builder.machine.hbm_model = HbmModel::Hbm2;
    builder.machine.dram = Dram::preset(HbmModel::Hbm2);
    builder.machine.dram.tREFI = 0;
    builder.add("LinearOffChipLoad",
                {{"tile", List{1, 32}}, {"out_shape", List{512}}, {"stride", List{row_tiles}}});
    builder.consumeTheRest();
    return simulate(builder.build(), {}).cycles;
  };
  const std::int64_t all_banks = 2 * 16 * 1024 / 64;  // pseudo channels, banks, bytes of a row, of a tile
  EXPECT_NEAR(static_cast<double>(cycles(all_banks)), 512.0 * 48, 512);
  EXPECT_LT(cycles(1), 512u * 6);
}

}  // namespace sluice::idealised_mode_test

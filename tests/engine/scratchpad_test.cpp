// On-chip memory units that operators share: what moves through one unit takes turns.

#include <gtest/gtest.h>

#include <random>

#include "engine/explorer/evaluate.h"
#include "engine/operators/simulate.h"
#include "engine/workloads/workload_builder.h"
#include "tests/engine/support/flat_builder.h"

namespace sluice::scratchpad_test {

constexpr std::int64_t tilesPerBuffer = 8, buffers = 20;

/// Tiles into buffers and out again, as often as `lines` says; a tile of 16 x 16 takes 512 / 64 = 8 cycles.
FlatBuilder bufferLines(int lines) {
  FlatBuilder builder;
  for (int line = 0; line < lines; ++line) {
    const Output tiles = builder.through("LinearOffChipLoad",
                                         {{"tile", std::vector<std::int64_t>{16, 16}},
                                          {"out_shape", std::vector<std::int64_t>{buffers, tilesPerBuffer}},
                                          {"par_dispatch", std::int64_t{64}}});
    const Output held = builder.through("Bufferize", {{"rank", std::int64_t{1}}}, {tiles});
    builder.through("Streamify", {{"rank", std::int64_t{1}}}, {held});
  }
  builder.consumeTheRest();
  builder.machine.hbm_channels = 1024;
  builder.machine.hbm_start_up = 0;
  builder.machine.hbm_latency = 0;
  builder.machine.reference_mode = false;  // loads read ahead and are never what is waited for
  return builder;
}

SimulationResult run(FlatBuilder builder, std::uint64_t units) {
  builder.machine.scratchpads = units;
  return simulate(builder.build(), {});
}

TEST(Scratchpad, EveryTileGoesInAndOutThroughTheUnit) {
  const std::uint64_t moved = 2 * tilesPerBuffer * buffers * 8;  // cycles of one line
  const SimulationResult alone = run(bufferLines(1), 64);
  EXPECT_GE(alone.cycles, moved);
  EXPECT_LE(alone.cycles, moved + 100);
  const SimulationResult apart = run(bufferLines(2), 64);
  EXPECT_NEAR(static_cast<double>(apart.cycles), static_cast<double>(alone.cycles), 50.0);
  const SimulationResult shared = run(bufferLines(2), 1);
  EXPECT_GE(shared.cycles, 2 * moved);
  EXPECT_LE(shared.cycles, 2 * moved + 200);
  Cycles waited = 0;
  for (const OperatorStats& op : shared.operators) waited += op.blocked_on_unit;
  EXPECT_GT(waited, moved);
  for (const OperatorStats& op : run(bufferLines(2), 0).operators) EXPECT_EQ(op.blocked_on_unit, 0u);
}

TEST(Scratchpad, ChangesTimesAndNothingElse) {
  const Result<Document> built = buildWorkload(
      "moe", "", {{"B", 16}, {"D", 64}, {"E", 4}, {"F", 64}, {"K", 2}, {"f", 16}, {"compute", 64}});
  ASSERT_TRUE(built);
  for (const char* method : {"static", "dynamic"}) {
    Document document = *built;
    document.knobs.clear();
    document.schedule = {
        {"tile", {{"region", "expert"}, {"input", "x"}, {"method", method}, {"rows", 4}}, true},
        {"hierarchical_tile", {{"node", "expert.up"}, {"unit", 16}}, true},
        {"hierarchical_tile", {{"node", "expert.gate"}, {"unit", 32}}, true}};
    std::vector<SimulationResult> results;
    for (const std::int64_t units : {0, 1000, 4, 1, 1}) {
      document.machine.scratchpads = units;
      const auto workload = makeWorkload(document, {});
      ASSERT_TRUE(workload);
      const Result<PointResult> result = evaluate(**workload, {}, RecordMode::Count);
      ASSERT_TRUE(result) << text(result.diagnostics());
      ASSERT_EQ(result->point.state, PointState::Done) << result->point.cause;
      results.push_back(result->simulation);
    }
    for (const SimulationResult& result : results) {
      EXPECT_EQ(result.flops, results[0].flops);
      EXPECT_EQ(result.token_hops, results[0].token_hops);
      EXPECT_EQ(result.hbm_requests, results[0].hbm_requests);
    }
    EXPECT_LE(results[0].cycles, results[1].cycles);
    EXPECT_LT(results[1].cycles, results[3].cycles);
    EXPECT_LT(results[2].cycles, results[3].cycles);
    EXPECT_EQ(results[3].cycles, results[4].cycles);
  }
}

}  // namespace sluice::scratchpad_test

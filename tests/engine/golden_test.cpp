// Hand-checked clocks of tiny graphs (engine/simulator/semantics.md 6.4), for the simulator and for the slow
// model that judges it.
#include <gtest/gtest.h>

#include "engine/operators/simulate.h"
#include "tests/engine/support/flat_builder.h"
#include "tests/engine/support/slow_model.h"

namespace sluice::golden_test {

struct Expected {
  OperatorId op;
  Cycles clock;
};

/// Runs both models and compares the local clocks at the end and the final number.
void expectClocks(const FlatBuilder& builder, const std::vector<Expected>& expected, Cycles cycles,
                  const InputSet& inputs = {}) {
  const FlatGraph graph = builder.build();
  const slow::SlowResult slow = slow::simulateSlowly(graph, inputs);
  const SimulationResult fast = simulate(graph, inputs);
  ASSERT_FALSE(fast.deadlock.has_value());
  ASSERT_FALSE(fast.fault.has_value()) << fast.fault->cause;
  for (const Expected& e : expected) {
    EXPECT_EQ(slow.operators[e.op].clock, e.clock) << "slow model, " << graph.operators[e.op].name;
    EXPECT_EQ(fast.operators[e.op].finished, e.clock) << "simulator, " << graph.operators[e.op].name;
  }
  EXPECT_EQ(slow.cycles, cycles) << "slow model";
  EXPECT_EQ(fast.cycles, cycles) << "simulator";
}

using List = std::vector<std::int64_t>;

Settings loadOf(List tile, List shape, std::int64_t par = 1) {
  return {{"tile", std::move(tile)}, {"out_shape", std::move(shape)}, {"par_dispatch", par}};
}

FlatBuilder reference(std::uint64_t depth = 1) {
  FlatBuilder builder;
  builder.depth = depth;
  return builder;
}

/// A load straight into a Consumer: operators 0 and 1.
FlatBuilder loadAlone(const List& tile, const List& shape, std::int64_t par, std::uint64_t channels = 32) {
  FlatBuilder builder = reference();
  builder.machine.hbm_channels = channels;
  builder.add("LinearOffChipLoad", loadOf(tile, shape, par));
  builder.consumeTheRest();
  return builder;
}

InputSet lengths(const List& values) {
  InputData data;
  data.kind = InputKind::Lengths;
  data.tensor = {{values.size()}, values};
  return {{"x", data}};
}

InputSet routing(const List& experts, std::size_t top_k, std::int64_t count) {
  InputData data;
  data.kind = InputKind::Routing;
  data.tensor = {{experts.size() / top_k, top_k}, experts};
  data.experts = count;
  return {{"x", data}};
}

TEST(Golden, OneRequest) {
  expectClocks(loadAlone({1, 32}, {1}, 1), {{0, 19}, {1, 21}}, 22);
}

TEST(Golden, FourTilesOneAfterAnother) {
  expectClocks(loadAlone({1, 32}, {4}, 1), {{0, 76}, {1, 78}}, 79);
}

TEST(Golden, SixteenRequestsOneAtATime) {
  expectClocks(loadAlone({16, 32}, {1}, 1), {{0, 34}, {1, 36}}, 37);
}

TEST(Golden, SixteenRequestsFourAtATime) {
  expectClocks(loadAlone({16, 32}, {1}, 4), {{0, 22}, {1, 24}}, 25);
}

TEST(Golden, SixtyFourRequestsThirtyTwoAtATime) {
  expectClocks(loadAlone({64, 32}, {1}, 32), {{0, 21}, {1, 23}}, 24);
}

TEST(Golden, FewChannelsServeOneRequestEveryTwoCycles) {
  expectClocks(loadAlone({64, 32}, {1}, 4, 8), {{0, 35}}, 38);
}

TEST(Golden, LoadToStore) {
  FlatBuilder builder = reference(2);
  const Output load = builder.through("LinearOffChipLoad", loadOf({1, 32}, {2}));
  const OperatorId store = builder.add("LinearOffChipStore", {{"tile", List{1, 32}}}, {load});
  expectClocks(builder, {{load.op, 38}, {store, 58}}, 61);
}

TEST(Golden, MetadataRunsAheadUntilTheFifoIsFull) {
  FlatBuilder builder = reference(2);
  builder.add("MetadataGen", {{"input", std::string("x")}});
  builder.consumeTheRest();
  expectClocks(builder, {{0, 3}, {1, 5}}, 5, lengths({3, 1, 4, 1}));
}

TEST(Golden, MetadataThroughFlattenAtDepthOne) {
  FlatBuilder builder = reference(1);
  const Output data = builder.through("MetadataGen", {{"input", std::string("x")}});
  builder.add("Flatten", {{"min", 0}, {"max", 1}}, {data});
  builder.consumeTheRest();
  expectClocks(builder, {{0, 6}, {1, 7}, {2, 9}}, 9, lengths({3, 1, 4, 1}));
}

TEST(Golden, SelectorsOneACycle) {
  FlatBuilder builder = reference(2);
  builder.add("SelectGen", {{"input", std::string("x")}});
  builder.consumeTheRest();
  expectClocks(builder, {{0, 4}, {1, 5}}, 5, routing({0, 1, 1, 0, 1, 0, 0, 1}, 2, 2));
}

TEST(Golden, RepeatThreeTimes) {
  FlatBuilder builder = reference(2);
  const Output load = builder.through("LinearOffChipLoad", loadOf({1, 32}, {1}));
  builder.add("Repeat", {{"factor", 3}}, {load});
  builder.consumeTheRest();
  expectClocks(builder, {{0, 19}, {1, 25}, {2, 24}}, 25);
}

TEST(Golden, MatmulOfTwoLoads) {
  FlatBuilder builder = reference();
  const Output a = builder.through("LinearOffChipLoad", loadOf({16, 32}, {1}));
  const Output b = builder.through("LinearOffChipLoad", loadOf({32, 16}, {1}));
  const Output product = builder.through(
      "BinaryMap", {{"function", std::string("matmul")}, {"compute_bw", 64}, {"write_back_mu", true}},
      {a, b});
  const OperatorId store = builder.add("LinearOffChipStore", {{"tile", List{16, 16}}}, {product});
  expectClocks(builder, {{a.op, 34}, {b.op, 50}, {product.op, 307}, {store, 342}}, 345);
}

// ---- behaviours that the section tells in words ----

TEST(Golden, ChunkIsPaddedWhereTheEndIsSeen) {
  FlatBuilder builder = reference(2);
  const Output tiles =
      builder.through("TileGen", {{"shape", List{1, 3}}, {"tile", List{1, 4}}, {"interval", 10}});
  const Output flat = builder.through("Flatten", {{"min", 0}, {"max", 2}}, {tiles});
  const OperatorId chunks = builder.add("Reshape", {{"dim", 0}, {"chunk", 2}, {"pad", List{1, 4}}}, {flat});
  builder.consumeTheRest();
  // Tiles visible at 10, 20, 30; TileGen has never waited, so its end moves nobody. Flatten has last waited
  // for the third tile, at 20, and Reshape at 21: its pad follows the third tile, at 31.
  expectClocks(builder, {{tiles.op, 30}, {flat.op, 30}, {chunks, 31}}, 34);
}

TEST(Golden, BroadcastWaitsForItsSlowestReader) {
  FlatBuilder builder = reference(1);
  const Output tiles = builder.through("TileGen", {{"shape", List{3}}, {"tile", List{1, 8}}});
  const std::vector<Output> copies = builder.broadcast(tiles, 2);
  const Output slow =
      builder.through("Map", {{"function", std::string("exp")}, {"compute_bw", 1}}, {copies[0]});
  builder.consumeTheRest();
  // The map computes during 2-34, 36-68, 70-102 and frees its only input slot at the end of each; the
  // broadcast sends again one cycle after that.
  expectClocks(builder, {{copies[0].op, 69}, {slow.op, 102}}, 104);
}

}  // namespace sluice::golden_test

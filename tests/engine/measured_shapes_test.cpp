// Shapes and traffic that inference once had wrong, against what a run measures: tiles without a valid row,
// what is known of valid rows behind other operators, streams that are empty.

#include <gtest/gtest.h>

#include "engine/operators/simulate.h"
#include "tests/engine/support/flat_builder.h"
#include "tests/engine/support/measured_shapes.h"

namespace sluice::measured_shapes_test {

using List = std::vector<std::int64_t>;

Output tiles(FlatBuilder& b, List shape, List tile) {
  return b.through("TileGen", {{"shape", std::move(shape)}, {"tile", std::move(tile)}});
}
/// Chunks of `chunk`, the last one padded.
Output padded(FlatBuilder& b, Output from, std::int64_t chunk, List tile) {
  return b.through("Reshape", {{"chunk", chunk}, {"pad", std::move(tile)}}, {from});
}
Output packed(FlatBuilder& b, Output from, std::int64_t columns) {
  return b.through(
      "Accum",
      {{"function", std::string("retile_row")}, {"init", List{0, columns}}, {"rank", 1}, {"compute_bw", 8}},
      {from});
}
Output filtered(FlatBuilder& b, Output from) {
  return b.through("FlatMap", {{"filter_mask", true}}, {from});
}
Output binary(FlatBuilder& b, const char* function, Output first, Output second) {
  return b.through("BinaryMap", {{"function", std::string(function)}, {"compute_bw", 8}}, {first, second});
}
Settings map(const char* function) {
  return {{"function", std::string(function)}, {"compute_bw", 8}};
}

/// Inference is right of all streams, and so many tokens leave `last`.
void expectMeasured(FlatBuilder& b, Output last, std::uint64_t tokens, const InputSet& inputs = {}) {
  b.consumeTheRest();
  const FlatGraph graph = b.build();
  const Result<Inference> inference = infer(graph, inputs);
  ASSERT_TRUE(inference) << text(inference.diagnostics());
  const SimulationResult run = simulate(graph, inputs);
  ASSERT_FALSE(run.fault || run.deadlock);
  EXPECT_EQ(shapeDifferences(graph, *inference, run), "");
  EXPECT_EQ(run.streams.at(b.stream(last)).tokens, tokens);
}

// ---- tiles without a valid row: a filter gives all their rows ----

TEST(MeasuredShapes, AFilterGivesAllRowsOfATileOfPadding) {
  FlatBuilder b;
  const Output rows = filtered(b, padded(b, tiles(b, {1, 2, 1}, {3, 4}), 3, {3, 4}));
  expectMeasured(b, rows, 18);  // 2 chunks of a tile and two of padding, of 3 rows each
}

TEST(MeasuredShapes, RowsOfPaddingThatAFilterGivesArePadding) {
  FlatBuilder b;
  const Output pieces = filtered(b, padded(b, tiles(b, {1}, {3, 8}), 3, {3, 8}));
  const Output columns =
      b.through("FlatMap", {{"filter_mask", true}, {"split", std::string("column")}}, {pieces});
  expectMeasured(b, columns, 51);  // one of each row of data, all 8 of each of padding
}

TEST(MeasuredShapes, AFilterGivesTheDataOfAPackedChunk) {
  FlatBuilder b;
  const Output rows = filtered(b, packed(b, padded(b, tiles(b, {2, 2}, {3, 4}), 3, {3, 4}), 4));
  expectMeasured(b, rows, 12);
}

TEST(MeasuredShapes, AChunkOfNothingButPaddingHasNoValidRow) {
  FlatBuilder b;
  const Output once = padded(b, tiles(b, {2}, {1, 4}), 6, {1, 4});
  const Output rows = filtered(b, packed(b, padded(b, once, 3, {1, 4}), 4));
  expectMeasured(b, rows, 5);  // 2 of the first chunk, all 3 of the second
}

TEST(MeasuredShapes, TheLastPiecesOfATileMayBePadding) {
  FlatBuilder b;
  const Output packs = packed(b, padded(b, tiles(b, {5}, {1, 4}), 4, {1, 4}), 4);
  const Output pieces =
      b.through("FlatMap", {{"function", std::string("split_tile")}, {"piece", List{2, 0}}}, {packs});
  const Output rows = filtered(b, pieces);
  expectMeasured(b, rows, 7);  // 2, 2; 1, and 2 of padding
}

TEST(MeasuredShapes, PaddingAmongCopiesIsNoCopy) {
  FlatBuilder b;
  const Output some = padded(b, tiles(b, {2}, {2, 4}), 3, {2, 4});
  const Output chunks = padded(b, b.through("Repeat", {{"factor", 3}}, {some}), 2, {2, 4});
  Settings last = map("add");
  last.insert({{"init", List{2, 4}}, {"rank", 2}, {"keep_padding", true}});
  const Output rows = filtered(b, b.through("Accum", last, {chunks}));
  expectMeasured(b, rows, 6);  // the last tile of each group is padding
}

// ---- what is known of valid rows behind other operators ----

TEST(MeasuredShapes, ASumWithWholeTilesIsWhole) {
  FlatBuilder b;
  const Output part = packed(b, padded(b, tiles(b, {3}, {1, 4}), 2, {1, 4}), 4);
  const Output rows = filtered(b, binary(b, "add", part, tiles(b, {2}, {2, 4})));
  expectMeasured(b, rows, 4);
}

TEST(MeasuredShapes, AppendedRowsFollowOnesThatOnlyTheRunKnows) {
  FlatBuilder b;
  const Output lengths = b.through("MetadataGen", {{"input", std::string("lengths")}});
  const Output cache = binary(b, "set_offset", tiles(b, {2}, {4, 4}), lengths);
  const Output rows = filtered(b, binary(b, "row_append", cache, tiles(b, {2}, {1, 4})));
  InputData input;
  input.tensor = {{2}, {1, 2}};
  expectMeasured(b, rows, 5, {{"lengths", input}});
}

TEST(MeasuredShapes, ARowAddedToAllLeavesThePadding) {
  FlatBuilder b;
  const Output lengths = b.through("MetadataGen", {{"input", std::string("lengths")}});
  const Output cache = binary(b, "set_offset", tiles(b, {2}, {4, 4}), lengths);
  const Output rows = filtered(b, binary(b, "add", cache, tiles(b, {2}, {1, 4})));
  InputData input;
  input.tensor = {{2}, {1, 2}};
  expectMeasured(b, rows, 3, {{"lengths", input}});
}

TEST(MeasuredShapes, BuffersKeepThePadding) {
  FlatBuilder b;
  const Output part = packed(b, padded(b, tiles(b, {3}, {1, 4}), 2, {1, 4}), 4);
  const Output buffers = b.through("Bufferize", {{"rank", 1}}, {part});
  const Output rows = filtered(b, b.through("Streamify", {{"rank", 1}}, {buffers}));
  expectMeasured(b, rows, 3);
}

TEST(MeasuredShapes, ALaneHasItsOwnRaggedGroups) {
  FlatBuilder b;
  const Output lengths = b.through("MetadataGen", {{"input", std::string("lengths")}});
  const Output ragged =
      b.through("Flatten", {{"min", 1}, {"max", 2}}, {b.through("FlatmapCounter", {}, {lengths})});
  const OperatorId lanes = b.add("Parallelize", {{"ways", 2}, {"rank", 1}}, {ragged});
  InputData input;
  input.tensor = {{4}, {1, 2, 3, 2}};
  expectMeasured(b, {lanes, 1}, 4, {{"lengths", input}});
}

// ---- empty streams ----

/// Shapes of `dims` dimensions, with the 1 around them.
void expectNothingAround(Output (*source)(FlatBuilder&), std::int64_t dims) {
  FlatBuilder b;
  const Output outer = b.through("PromoteOuter", {}, {source(b)});
  const Output more = b.through("Promote", {{"rank", dims + 1}}, {outer});
  Settings signal = map("signal_all_read");
  signal.insert({{"init", List{1, 1}}, {"rank", dims + 1}});
  expectMeasured(b, b.through("Accum", signal, {more}), 0);
}

TEST(MeasuredShapes, NothingIsAroundAnEmptyStream) {
  expectNothingAround([](FlatBuilder& b) { return b.through("Counter", {{"max", 0}}); }, 2);
  expectNothingAround([](FlatBuilder& b) { return tiles(b, {3, 0}, {1, 1}); }, 3);
  expectNothingAround(
      [](FlatBuilder& b) {
        return b.through("LinearOffChipLoad", {{"out_shape", List{2, 0}}, {"tile", List{1, 1}}});
      },
      3);
}

// ---- stores ----

TEST(MeasuredShapes, AStoreMovesTheElementsThatArrive) {
  FlatBuilder b;
  b.machine.mock_bf16 = false;
  const Output address = b.through("Counter", {{"max", 2}});
  const Output halves = b.through(
      "LinearOffChipLoad", {{"out_shape", List{2}}, {"tile", List{2, 4}}, {"scalar", std::string("f16")}});
  const OperatorId store = b.add("RandomOffChipStore", {{"tile", List{2, 4}}}, {address, halves});
  b.consumeTheRest();
  const FlatGraph graph = b.build();
  const Result<Inference> inference = infer(graph, {});
  ASSERT_TRUE(inference) << text(inference.diagnostics());
  const SimulationResult run = simulate(graph, {});
  EXPECT_EQ(run.operators.at(store).off_chip_bytes, 32u);
  EXPECT_EQ(inference->operators.at(store).off_chip_bytes.constant(), 32);
}

TEST(MeasuredShapes, ARandomStoreTakesTilesOfItsSizeOnly) {
  FlatBuilder b;
  const Output address = b.through("Counter", {{"max", 2}});
  const OperatorId store =
      b.add("RandomOffChipStore", {{"tile", List{2, 4}}}, {address, tiles(b, {2}, {3, 4})});
  b.consumeTheRest();
  const SimulationResult run = simulate(b.build(), {});
  ASSERT_TRUE(run.fault);
  EXPECT_EQ(run.fault->op, store);
  EXPECT_EQ(run.fault->port, 1u);
  EXPECT_NE(run.fault->cause.find("3 x 4 arrived where 2 x 4 is stored"), std::string::npos);
}

}  // namespace sluice::measured_shapes_test

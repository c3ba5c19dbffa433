// Operators of the reference simulator's later versions: what they make of streams, against plain nested
// lists and loops, and their clocks, worked out by hand from engine/operators/timing.md.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/engine/support/functional_graphs.h"
#include "tests/engine/support/trial.h"

namespace sluice::later_operators_test {

using namespace laws;
using functional_test::zeros;

Leaf number(std::uint64_t value) {
  return {value, 1, 1, 1};
}

Nested numbersBelow(std::int64_t end, const std::function<std::uint64_t(std::uint64_t)>& value) {
  Nested list;
  for (std::int64_t i = 0; i < end; ++i)
    list.items.push_back({number(value(static_cast<std::uint64_t>(i))), {}});
  return list;
}

TEST(LaterOperators, ATriggerStartsASweepOfACounter) {
  forAll([](Trial& t) {
    const Feed in = t.anyStream();
    const std::int64_t max = t.between(1, 5);
    const Feed out = t.through("Counter", {{"max", max}, {"triggers", 1}}, in, 1);
    t.run();
    const Nested sweep = numbersBelow(max, [](std::uint64_t i) { return i; });
    t.expect(out, eachItem(t.list(in), in.rank, 0, [&](const Nested&) { return copies(sweep, 1); }),
             "Counter");
  });
}

TEST(LaterOperators, ACounterOfTwoDimensionsTellsRowsAndColumnsInStep) {
  forAll([](Trial& t) {
    const Feed in = t.anyStream();
    const std::int64_t rows = t.between(1, 4), columns = t.between(1, 4);
    const OperatorId op =
        t.builder.add("Counter2D", {{"rows", rows}, {"columns", columns}, {"triggers", 1}}, {in.from});
    t.run();
    Nested of_rows, of_columns;
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto number_of_row = static_cast<std::uint64_t>(row);
      of_rows.items.push_back(numbersBelow(columns, [&](std::uint64_t) { return number_of_row; }));
      of_columns.items.push_back(numbersBelow(columns, [](std::uint64_t column) { return column; }));
    }
    const auto each = [&](const Nested& sweep) {
      return eachItem(t.list(in), in.rank, 0, [&](const Nested&) { return copies(sweep, 1); });
    };
    t.expect({{op, 0}, in.rank + 2}, each(of_rows), "rows");
    t.expect({{op, 1}, in.rank + 2}, each(of_columns), "columns");
  });
}

/// Rows in chunks, packed into tiles with a column of flags each, and back.
TEST(LaterOperators, FilteringRowsUndoesPackingThemWithPadding) {
  forAll([](Trial& t) {
    const Feed in = t.tiles(t.shape(1, 3), 1);
    const std::int64_t chunk = t.between(1, 5);
    const OperatorId op =
        t.builder.add("ReshapePadStream",
                      {{"chunk", chunk}, {"pad", List{1, 8}}, {"marks", std::string("data")}}, {in.from});
    const auto packed = [&](std::uint32_t port, std::int64_t columns) {
      return t.builder.through("Accum",
                               {{"function", std::string("retile_row")},
                                {"init", List{0, columns}},
                                {"rank", 1},
                                {"compute_bw", 8}},
                               {{op, port}});
    };
    const Output rows = packed(0, 8), mask = packed(1, 1);
    const Feed out{t.builder.through("FlatmapFilterRowStreamify", {}, {rows, mask}), in.rank};
    t.run();
    t.expect(out, t.list(in), "ReshapePadStream, Accum, FlatmapFilterRowStreamify");
  });
}

TEST(LaterOperators, OnlyElementsThatCloseEnoughDimensionsTriggerALoad) {
  forAll([](Trial& t) {
    const Feed in = t.anyStream();
    const std::int64_t trigger = t.between(0, in.rank), tiles = t.between(1, 3);
    const Feed out = t.through("LinearOffChipLoadRef",
                               {{"trigger_rank", trigger}, {"tile", List{2, 3}}, {"out_shape", List{tiles}}},
                               in, 1 - trigger);
    t.run();
    Nested view;
    view.items = copies({{0, 2, 3, 2}, {}}, tiles);
    const auto each = static_cast<std::uint32_t>(trigger);
    t.expect(out, eachItem(t.list(in), in.rank, each, [&](const Nested&) { return copies(view, 1); }),
             "LinearOffChipLoadRef");
  });
}

TEST(LaterOperators, TheResultsOfAMapTakeTheStopsOfTheInputThatIsChosen) {
  forAll([](Trial& t) {
    const bool first = t.chance(50);
    const List shape = t.shape(2, 3);
    const Feed a = t.tiles(shape, 2);
    const Feed flat = t.through("Flatten", {{"min", 0}, {"max", static_cast<std::int64_t>(shape.size())}},
                                t.tiles(shape, 2), -static_cast<std::int64_t>(shape.size()));
    const Feed out{t.builder.through("BinaryMap",
                                     {{"function", std::string("add")},
                                      {"compute_bw", 8},
                                      {"stops", std::string(first ? "in1" : "in2")}},
                                     {a.from, flat.from}),
                   first ? a.rank : flat.rank};
    t.run();
    t.expect(out, t.list(first ? a : flat), "BinaryMap");
  });
}

/// Selectors of groups of `items` each, and the buckets that they name.
struct Choices {
  Output selectors;
  std::vector<std::vector<std::uint32_t>> buckets;
};

TEST(LaterOperators, ShuffleSortsItemsIntoBuckets) {
  constexpr std::size_t ways = 4;
  forAll([](Trial& t) {
    // [groups, items, elements of an item]; item rank 0 or 1.
    const bool wide = t.chance(50);
    List shape = {t.between(1, 3), t.between(1, 4)};
    const Output index = t.selectors(shape, ways);
    if (wide) shape.push_back(t.between(1, 3));
    const Feed in = t.numbers(shape);
    const std::int64_t rank = wide ? 2 : 1;
    const OperatorId op = t.builder.add("Shuffle", {{"rank", rank}}, {in.from, index});
    t.run();
    const std::vector<std::vector<std::uint32_t>> selected = t.selected(index);
    std::size_t item = 0;
    Nested sorted = t.list(in);  // [1, groups, items ...]
    std::vector<std::vector<std::uint32_t>> names;
    for (Nested& group : sorted.items.front().items) {
      std::map<std::uint32_t, Nested> buckets;
      for (const Nested& each : group.items) {
        for (const std::uint32_t bucket : selected.at(item)) buckets[bucket].items.push_back(each);
        ++item;
      }
      group.items.clear();
      for (const auto& [bucket, list] : buckets) {
        group.items.push_back(list);
        names.push_back({bucket});
      }
    }
    t.expect({{op, 0}, in.rank + 1}, sorted, "Shuffle");
    EXPECT_EQ(t.selected({op, 1}), names);
    // A bucket's name closes what the bucket closes, but for the dimensions of the bucket itself.
    std::vector<std::uint32_t> stops, expected;
    for (const LeveledLeaf& leaf : t.tokens({op, 1})) stops.push_back(leaf.stop);
    for (const LeveledLeaf& leaf : t.tokens({op, 0}))
      if (leaf.stop >= rank) expected.push_back(leaf.stop - static_cast<std::uint32_t>(rank));
    EXPECT_EQ(stops, expected);
  });
}

// ---- clocks ----

SimulationResult ran(FlatBuilder& builder, const InputSet& inputs = {}) {
  builder.consumeTheRest();
  return simulate(builder.build(), inputs);
}

InputSet selectorInput(List values, std::size_t width) {
  InputData data;
  data.tensor = {{values.size() / width, width}, std::move(values)};
  return {{"s", data}};
}

/// The simulator's own example: a tile of 132 bytes takes 3 cycles to write, and 3 for each bucket to read.
TEST(LaterOperatorTimes, ShuffleWritesOnceAndReadsForEveryBucket) {
  for (const bool twice : {false, true}) {
    FlatBuilder b;
    b.machine.mock_bf16 = false;
    const Output tiles = b.through("TileGen", {{"shape", List{1}}, {"tile", List{1, 33}}});
    const Output index = b.through("SelectGen", {{"input", std::string("s")}});
    const OperatorId shuffle = b.add("Shuffle", {}, {tiles, index});
    const SimulationResult result = ran(b, selectorInput({1, twice ? 1 : 0}, 2));
    ASSERT_FALSE(result.fault || result.deadlock);
    // Both arrive at cycle 1; written by 4.
    EXPECT_EQ(result.operators.at(shuffle).finished, twice ? 10u : 7u);
  }
}

TEST(LaterOperatorTimes, ShufflePaysForWhatLiesInMemoryAndForWritingBack) {
  FlatBuilder b;
  b.machine.mock_bf16 = false;
  // 3 requests at par 1: 3 + 18, and the tile, which lies in a memory unit, arrives at 22.
  const Output tile = b.through("LinearOffChipLoad", {{"tile", List{1, 33}}, {"out_shape", List{1}}});
  const Output index = b.through("SelectGen", {{"input", std::string("s")}});
  const OperatorId shuffle = b.add("Shuffle", {{"write_back_mu", true}}, {tile, index});
  const SimulationResult result = ran(b, selectorInput({0, 1}, 2));
  // Read and written: 22 + 6; read and written back: 6 more.
  EXPECT_EQ(result.operators.at(shuffle).finished, 34u);
}

TEST(LaterOperatorTimes, ALoopScanTakesAsLongAsTheLongerFold) {
  for (const bool operand : {false, true}) {
    FlatBuilder b;
    const auto tiles = [&] { return b.through("TileGen", {{"shape", List{1}}, {"tile", List{4, 8}}}); };
    std::vector<Output> in = {tiles()};
    if (operand) in.push_back(tiles());
    in.push_back(b.through("Counter", {{"max", 1}}));
    const OperatorId scan = b.add("LoopScan",
                                  {{"function", std::string("add")},
                                   {"operand_function", std::string("multiply")},
                                   {"operands", operand ? 1 : 0},
                                   {"init", List{4, 8}},
                                   {"compute_bw", 8}},
                                  in);
    const SimulationResult result = ran(b);
    EXPECT_EQ(result.operators.at(scan).finished, 5u);  // 32 FLOPs from cycle 1 on, whichever of the two
    EXPECT_EQ(result.flops, operand ? 64u : 32u);
  }
}

// ---- faults ----

std::string faultOf(FlatBuilder& builder, const InputSet& inputs = {}) {
  const SimulationResult result = ran(builder, inputs);
  return result.fault ? result.fault->cause : std::string();
}

TEST(LaterOperatorFaults, AGroupWithoutBucketsEndsTheRun) {
  FlatBuilder b;
  const Output tiles = b.through("TileGen", {{"shape", List{2}}, {"tile", List{1, 4}}});
  b.add("Shuffle", {}, {tiles, b.through("SelectGen", {{"input", std::string("s")}})});
  EXPECT_NE(faultOf(b, selectorInput({0, 0, 0, 0}, 2)).find("no item of a group is in any bucket"),
            std::string::npos);
}

TEST(LaterOperatorFaults, AStoreTakesAsManyTilesAsItsTensorHas) {
  // How many rows a filter leaves only the run knows: 3 of the 4.
  const auto stored = [](std::int64_t tiles) {
    FlatBuilder b;
    const Output numbers = b.through("MetadataGen", {{"input", std::string("lengths")}});
    const Output rows = b.through("LinearOffChipLoadRef", {{"tile", List{1, 4}}, {"out_shape", List{1}}},
                                  {b.through("FlatmapCounter", {}, {numbers})});
    b.add("DynOffChipStore", {{"tile", List{1, 4}}, {"extents", std::string("view")}}, {rows});
    InputData lengths, view;
    lengths.tensor = {{1}, {3}};
    view.tensor = {{1}, {tiles}};
    return faultOf(b, {{"lengths", lengths}, {"view", view}});
  };
  EXPECT_EQ(stored(3), "");
  EXPECT_NE(stored(2).find("has 2 tiles, but more arrive"), std::string::npos);
  EXPECT_NE(stored(4).find("has 4 tiles, but the stream ended after 3"), std::string::npos);
}

// ---- values ----

Output loaded(FlatBuilder& b, const std::string& tensor, const List& tile, const List& view) {
  return b.through("LinearOffChipLoad", {{"tensor", tensor}, {"tile", tile}, {"out_shape", view}});
}

FloatTensor stored(FlatBuilder& b, Output from, const List& tile) {
  b.add("LinearOffChipStore", {{"tensor", std::string("y")}, {"tile", tile}}, {from});
  b.consumeTheRest();
  const Result<TensorSet> tensors = compute(b.build(), {});
  if (!tensors) throw std::runtime_error(text(tensors.diagnostics()));
  return tensors->at("y");
}

TEST(LaterOperatorValues, ALoopScanFoldsBothOperands) {
  const FloatTensor x = filledTensor("x", {12, 5}), scale = filledTensor("scale", {12, 5});
  for (const std::uint32_t tap : {0U, 1U}) {  // after, before
    FloatTensor expected = zeros(12, 5);
    for (std::size_t column = 0; column < 5; ++column) {
      float state = 0;
      for (std::size_t row = 0; row < 12; ++row) {
        if (row % 3 == 0) state = 0;
        const float before = state;
        state = (state + functional_test::at(x, row, column)) * functional_test::at(scale, row, column);
        functional_test::at(expected, row, column) = tap == 0 ? state : before;
      }
    }
    FlatBuilder b;
    const OperatorId scan = b.add("LoopScan",
                                  {{"function", std::string("add")},
                                   {"operand_function", std::string("multiply")},
                                   {"operands", 1},
                                   {"init", List{1, 5}},
                                   {"compute_bw", 8}},
                                  {loaded(b, "x", {1, 5}, {4, 3}), loaded(b, "scale", {1, 5}, {12}),
                                   b.through("Counter", {{"max", 4}})});
    EXPECT_LT(maxRelativeError(stored(b, {scan, tap}, {1, 5}), expected), 1e-6);
  }
}

TEST(LaterOperatorValues, RowsThatAMaskKeepsAreThoseThatWerePacked) {
  FlatBuilder b;
  const OperatorId chunks =
      b.add("ReshapePadStream", {{"chunk", 4}, {"pad", List{1, 5}}, {"marks", std::string("data")}},
            {loaded(b, "x", {1, 5}, {7})});
  const auto packed = [&](std::uint32_t port, std::int64_t columns) {
    return b.through(
        "Accum",
        {{"function", std::string("retile_row")}, {"init", List{0, columns}}, {"rank", 1}, {"compute_bw", 8}},
        {{chunks, port}});
  };
  const Output rows = packed(0, 5), mask = packed(1, 1);
  const FloatTensor y = stored(b, b.through("FlatmapFilterRowStreamify", {}, {rows, mask}), {1, 5});
  EXPECT_EQ(y.data, filledTensor("x", {7, 5}).data);
}

TEST(LaterOperatorValues, PaddingThatWasPackedIsZero) {
  for (const bool exponential : {false, true}) {
    FlatBuilder b;
    const OperatorId chunks =
        b.add("ReshapePadStream", {{"chunk", 4}, {"pad", List{1, 5}}}, {loaded(b, "x", {1, 5}, {7})});
    Output y = b.through(
        "Accum",
        {{"function", std::string("retile_row")}, {"init", List{0, 5}}, {"rank", 1}, {"compute_bw", 8}},
        {{chunks, 0}});
    if (exponential) y = b.through("Map", {{"function", std::string("exp")}, {"compute_bw", 8}}, {y});
    std::vector<float> expected = filledTensor("x", {7, 5}).data;
    expected.resize(std::size_t{8} * 5, 0.0F);
    if (exponential) std::ranges::transform(expected, expected.begin(), [](float x) { return std::exp(x); });
    const FloatTensor found = stored(b, y, {4, 5});
    ASSERT_EQ(found.data.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_FLOAT_EQ(found.data[i], expected[i]) << i;
  }
}

TEST(LaterOperatorValues, ShuffledTilesKeepTheirElements) {
  FlatBuilder b;
  InputSet inputs = selectorInput({0, 1, 1, 1, 1, 0}, 2);
  const Output index = b.through("SelectGen", {{"input", std::string("s")}});
  const OperatorId shuffle = b.add("Shuffle", {}, {loaded(b, "x", {1, 5}, {3}), index});
  b.add("LinearOffChipStore", {{"tensor", std::string("y")}, {"tile", List{1, 5}}}, {{shuffle, 0}});
  b.consumeTheRest();
  const Result<TensorSet> tensors = compute(b.build(), inputs);
  ASSERT_TRUE(tensors) << text(tensors.diagnostics());
  const FloatTensor x = filledTensor("x", {3, 5});
  std::vector<float> expected;
  for (const std::ptrdiff_t row : {1, 2, 0, 1})  // bucket 0: the second and third item
    expected.insert(expected.end(), x.data.begin() + row * 5, x.data.begin() + (row + 1) * 5);
  EXPECT_EQ(tensors->at("y").data, expected);
}

/// A tensor of [3, 4, 6] in tiles of 2 x 3, by a load and a store that learn its size from an input.
TEST(LaterOperatorValues, DynamicLoadsAndStoresMoveWholeTensors) {
  const List shape = {3, 4, 6};
  FlatBuilder b;
  const auto settings = [&](const std::string& tensor) {
    return Settings{
        {"tensor", tensor}, {"tensor_shape", shape}, {"tile", List{2, 3}}, {"extents", std::string("view")}};
  };
  const Output x = b.through("DynLinearOffChipLoad", settings("x"));
  b.add("DynOffChipStore", settings("y"), {x});
  InputData view;
  view.tensor = {{3}, {3, 2, 2}};
  const Result<TensorSet> tensors = compute(b.build(), {{"view", view}});
  ASSERT_TRUE(tensors) << text(tensors.diagnostics());
  EXPECT_EQ(tensors->at("y").data, filledTensor("x", {3, 4, 6}).data);
}

}  // namespace sluice::later_operators_test

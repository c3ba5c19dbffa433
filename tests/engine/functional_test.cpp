// Functional mode: every function against plain loops, in float32 and bfloat16, and what it says of tensors
// that do not fit.

#include "engine/operators/functional.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "engine/operators/simulate.h"
#include "tests/engine/support/functional_graphs.h"
#include "tests/engine/support/random_graphs.h"

namespace sluice::functional_test {

using functional_test::at;
using functional_test::product;
using functional_test::toBFloat16;
using functional_test::zeros;

constexpr std::int64_t tiles = 6;
constexpr double float32_tolerance = 1e-5;
/// Half a unit in the last of 8 significant bits is 2^-9 of a value; the largest value may lie just below a
/// power of two, an operation's operands are exact.
constexpr double bfloat16_tolerance = 1.0 / 256;

Output source(FlatBuilder& graph, const std::string& tensor, std::int64_t rows, std::int64_t cols,
              std::int64_t count = tiles) {
  return graph.through("TileGen", {{"shape", std::vector<std::int64_t>{count}},
                                   {"tile", std::vector<std::int64_t>{rows, cols}},
                                   {"tensor", tensor}});
}

void store(FlatBuilder& graph, Output from, std::int64_t rows, std::int64_t cols) {
  graph.add("LinearOffChipStore", {{"tile", std::vector<std::int64_t>{rows, cols}}, {"tensor", "y"}}, {from});
}

FloatTensor result(const FlatGraph& graph, const ComputeOptions& options = {}, const InputSet& inputs = {}) {
  const Result<TensorSet> set = compute(graph, inputs, options);
  if (!set) {
    ADD_FAILURE() << set.diagnostics().front().cause << "\n" << text(graph);
    return {};
  }
  return set->at("y");
}

/// Rows [index * rows, ...) of a tensor that holds one tile below the other.
FloatTensor tileOf(const FloatTensor& tensor, std::size_t index, std::size_t rows) {
  const std::size_t cols = tensor.shape[1];
  const auto first = tensor.data.begin() + static_cast<std::ptrdiff_t>(index * rows * cols);
  return {{rows, cols}, std::vector<float>(first, first + static_cast<std::ptrdiff_t>(rows * cols))};
}

void append(FloatTensor& all, const FloatTensor& tile) {
  if (all.shape.empty()) all.shape = {0, tile.shape[1]};
  all.shape[0] += tile.shape[0];
  all.data.insert(all.data.end(), tile.data.begin(), tile.data.end());
}

/// Runs `graph` in both precisions against what `expected` computes.
void check(const FlatGraph& graph, const FloatTensor& expected) {
  ComputeOptions options;
  EXPECT_LT(maxRelativeError(result(graph, options), expected), float32_tolerance) << text(graph);
  options.precision = Precision::BFloat16;
  const FloatTensor coarse = result(graph, options);
  EXPECT_LE(maxRelativeError(coarse, expected), bfloat16_tolerance) << text(graph);
  for (const float value : coarse.data) ASSERT_EQ(value, toBFloat16(value)) << "not a bfloat16";
}

// --- functions of two tiles -----------------------------------------------------------------------------

using Tile = FloatTensor;

struct BinaryCase {
  const char* function;
  std::int64_t a_rows, a_cols, b_rows, b_cols;
  bool transposed;
  std::function<Tile(const Tile&, const Tile&)> expected;
};

Tile elementwise(const Tile& a, const Tile& b, const std::function<float(float, float)>& function) {
  Tile y = zeros(std::max(a.shape[0], b.shape[0]), std::max(a.shape[1], b.shape[1]));
  for (std::size_t i = 0; i < y.shape[0]; ++i) {
    for (std::size_t j = 0; j < y.shape[1]; ++j) {
      at(y, i, j) = function(at(a, a.shape[0] == 1 ? 0 : i, a.shape[1] == 1 ? 0 : j),
                             at(b, b.shape[0] == 1 ? 0 : i, b.shape[1] == 1 ? 0 : j));
    }
  }
  return y;
}

std::vector<BinaryCase> binaryCases() {
  const auto multiply = [](const Tile& a, const Tile& b) { return elementwise(a, b, std::multiplies<>()); };
  const auto add = [](const Tile& a, const Tile& b) { return elementwise(a, b, std::plus<>()); };
  const auto divide = [](const Tile& a, const Tile& b) { return elementwise(a, b, std::divides<>()); };
  return {{"matmul", 3, 7, 7, 5, false, [](const Tile& a, const Tile& b) { return product(a, b); }},
          {"matmul", 3, 7, 5, 7, true, [](const Tile& a, const Tile& b) { return product(a, b, true); }},
          {"multiply", 4, 5, 4, 5, false, multiply},
          {"multiply", 1, 1, 4, 5, false, multiply},
          {"add", 4, 5, 1, 5, false, add},
          {"add", 4, 1, 1, 5, false, add},
          {"max", 4, 5, 4, 5, false,
           [](const Tile& a, const Tile& b) {
             return elementwise(a, b, [](float x, float y) { return std::max(x, y); });
           }},
          {"divide", 4, 5, 4, 1, false, divide},
          {"divide", 2, 3, 2, 3, false, divide}};
}

/// A divisor must not be 0.
FloatTensor divisor(const std::string& name, std::size_t rows, std::size_t cols) {
  FloatTensor tensor = filledTensor(name, {rows, cols});
  for (float& value : tensor.data) value = std::abs(value) + 0.5F;
  return tensor;
}

TEST(FunctionalFunctions, TwoTiles) {
  for (const BinaryCase& each : binaryCases()) {
    for (const bool zipped : {false, true}) {
      SCOPED_TRACE(std::string(each.function) + (zipped ? " of a tuple" : ""));
      FlatBuilder graph;
      const Output a = source(graph, "a", each.a_rows, each.a_cols);
      const Output b = source(graph, "b", each.b_rows, each.b_cols);
      const Settings settings{
          {"function", each.function}, {"compute_bw", 64}, {"weight_transposed", each.transposed}};
      const Output y = zipped ? graph.through("Map", settings, {graph.through("Zip", {}, {a, b})})
                              : graph.through("BinaryMap", settings, {a, b});
      const auto rows_a = static_cast<std::size_t>(each.a_rows),
                 rows_b = static_cast<std::size_t>(each.b_rows);
      const FloatTensor all_a = filledTensor("a", {tiles * rows_a, static_cast<std::size_t>(each.a_cols)});
      const FloatTensor all_b = divisor("b", tiles * rows_b, static_cast<std::size_t>(each.b_cols));
      FloatTensor expected;
      for (std::size_t i = 0; i < tiles; ++i)
        append(expected, each.expected(tileOf(all_a, i, rows_a), tileOf(all_b, i, rows_b)));
      store(graph, y, static_cast<std::int64_t>(expected.shape[0]) / tiles,
            static_cast<std::int64_t>(expected.shape[1]));
      ComputeOptions options;
      options.tensors["b"] = all_b;
      EXPECT_LT(maxRelativeError(result(graph.build(), options), expected), float32_tolerance);
      options.precision = Precision::BFloat16;
      EXPECT_LE(maxRelativeError(result(graph.build(), options), expected), bfloat16_tolerance);
    }
  }
}

// --- functions of one tile ------------------------------------------------------------------------------

TEST(FunctionalFunctions, OneTile) {
  const std::size_t rows = 4, cols = 9;
  const FloatTensor x = filledTensor("x", {tiles * rows, cols});
  const auto one = [&](const std::string& function, std::int64_t out_cols, const FloatTensor& expected) {
    SCOPED_TRACE(function);
    FlatBuilder graph;
    const Output y =
        graph.through("Map", {{"function", function}, {"compute_bw", 64}}, {source(graph, "x", rows, cols)});
    store(graph, y, rows, out_cols);
    check(graph.build(), expected);
  };
  FloatTensor silu = x, exp = x, sum = zeros(tiles * rows, 1);
  for (std::size_t i = 0; i < x.data.size(); ++i) {
    silu.data[i] = functional_test::silu(x.data[i]);
    exp.data[i] = static_cast<float>(std::exp(double{x.data[i]}));
    sum.data[i / cols] += x.data[i];
  }
  one("silu", cols, silu);
  one("exp", cols, exp);
  one("row_sum", 1, sum);
}

// --- accumulations --------------------------------------------------------------------------------------

/// Groups of 3 tiles.
Output grouped(FlatBuilder& graph, Output from) {
  return graph.through("Reshape", {{"chunk", 3}}, {from});
}

Output accumulated(FlatBuilder& graph, const std::string& function, std::vector<std::int64_t> init,
                   Output from) {
  return graph.through("Accum",
                       {{"function", function}, {"init", std::move(init)}, {"rank", 1}, {"compute_bw", 64}},
                       {grouped(graph, from)});
}

TEST(FunctionalFunctions, Accumulations) {
  const FloatTensor x = filledTensor("x", {tiles * 2, 5});
  FloatTensor sum = zeros(4, 5), times = zeros(4, 5), most = zeros(4, 5), columns = zeros(4, 15);
  for (float& value : times.data) value = 1;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        const float value = at(x, tile * 2 + i, j);
        at(sum, tile / 3 * 2 + i, j) += value;
        at(times, tile / 3 * 2 + i, j) *= value;
        at(most, tile / 3 * 2 + i, j) = std::max(at(most, tile / 3 * 2 + i, j), value);
        at(columns, tile / 3 * 2 + i, tile % 3 * 5 + j) = value;
      }
    }
  }
  const auto one = [&](const std::string& function, std::vector<std::int64_t> init, std::int64_t rows,
                       std::int64_t cols, const FloatTensor& expected) {
    SCOPED_TRACE(function);
    FlatBuilder graph;
    store(graph, accumulated(graph, function, std::move(init), source(graph, "x", 2, 5)), rows, cols);
    check(graph.build(), expected);
  };
  one("add", {2, 5}, 2, 5, sum);
  one("add", {0, 0}, 2, 5, sum);  // a dynamic tile's accumulator has no size
  one("multiply", {2, 5}, 2, 5, times);
  one("max", {2, 5}, 2, 5, most);  // an accumulator begins with zeros
  one("retile_row", {0, 5}, 6, 5, x);
  one("retile_col", {2, 0}, 2, 15, columns);
}

/// A scan tells the state with the element taken in, or before it; every group begins anew.
TEST(FunctionalFunctions, Scans) {
  const FloatTensor x = filledTensor("x", {tiles * 2, 5});
  const std::map<std::string, std::function<float(float, float)>> functions{
      {"add", std::plus<>()}, {"multiply", std::multiplies<>()}, {"max", [](float a, float b) {
                                                                    return std::max(a, b);
                                                                  }}};
  for (const auto& [function, fold] : functions) {
    for (const char* tap : {"next", "prior"}) {
      SCOPED_TRACE(function + " " + tap);
      FloatTensor expected = zeros(tiles * 2, 5), state;
      for (std::size_t tile = 0; tile < tiles; ++tile) {
        if (tile % 3 == 0) state = {{2, 5}, std::vector<float>(10, function == "multiply" ? 1.0F : 0.0F)};
        for (std::size_t i = 0; i < 10; ++i) {
          const float before = state.data[i];
          state.data[i] = fold(before, x.data[tile * 10 + i]);
          expected.data[tile * 10 + i] = tap == std::string("next") ? state.data[i] : before;
        }
      }
      FlatBuilder graph;
      const Output y = graph.through("Scan",
                                     {{"function", function},
                                      {"tap", tap},
                                      {"init", std::vector<std::int64_t>{2, 5}},
                                      {"rank", 1},
                                      {"compute_bw", 64}},
                                     {grouped(graph, source(graph, "x", 2, 5))});
      store(graph, y, 2, 5);
      EXPECT_LT(maxRelativeError(result(graph.build()), expected), float32_tolerance);
    }
  }
}

/// The reduced dimension in 3 tiles or in one: the same sum, in bfloat16 rounded once.
TEST(FunctionalFunctions, MapAccumSumsInFloat32WhateverTheTiling) {
  for (const Precision precision : {Precision::Float32, Precision::BFloat16}) {
    std::vector<FloatTensor> results;
    for (const std::int64_t inner : {15, 5, 3}) {
      FlatBuilder graph;
      const auto load = [&](const std::string& tensor, std::vector<std::int64_t> tile,
                            std::vector<std::int64_t> shape, std::vector<std::int64_t> stride) {
        return graph.through("LinearOffChipLoad", {{"tensor", tensor},
                                                   {"tile", std::move(tile)},
                                                   {"tensor_shape", std::move(shape)},
                                                   {"out_shape", std::vector<std::int64_t>{2, 15 / inner}},
                                                   {"stride", std::move(stride)}});
      };
      const Output a = load("a", {4, inner}, {8, 15}, {15 / inner, 1});
      const Output b = load("b", {inner, 7}, {15, 7}, {0, 1});
      const Output y =
          graph.through("BinaryMapAccum",
                        {{"init", std::vector<std::int64_t>{4, 7}}, {"rank", 1}, {"compute_bw", 64}}, {a, b});
      store(graph, y, 4, 7);
      ComputeOptions options;
      options.precision = precision;
      results.push_back(result(graph.build(), options));
    }
    FloatTensor expected = product(filledTensor("a", {8, 15}), filledTensor("b", {15, 7}));
    EXPECT_LT(maxRelativeError(results[0], expected),
              precision == Precision::Float32 ? float32_tolerance : bfloat16_tolerance);
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
  }
}

// --- operators that move values -------------------------------------------------------------------------

TEST(FunctionalOperators, SplittingATileGivesItsRowsOrColumns) {
  for (const bool rows : {true, false}) {
    FlatBuilder graph;
    const Output y = graph.through("FlatMap", {{"split", std::string(rows ? "row" : "column")}},
                                   {source(graph, "x", 2, 5)});
    store(graph, y, 1, rows ? 5 : 2);
    const FloatTensor x = filledTensor("x", {tiles * 2, 5});
    FloatTensor expected = x;
    if (!rows) {
      expected = zeros(tiles * 5, 2);
      for (std::size_t i = 0; i < tiles * 5; ++i) {
        for (std::size_t j = 0; j < 2; ++j) at(expected, i, j) = at(x, i / 5 * 2 + j, i % 5);
      }
    }
    EXPECT_EQ(result(graph.build()), expected);
  }
}

TEST(FunctionalOperators, PaddingIsZero) {
  FlatBuilder graph;
  const Output flat = graph.through("Flatten", {{"min", 0}, {"max", 1}}, {source(graph, "x", 1, 3, 5)});
  const Output y = graph.through("Reshape", {{"chunk", 4}, {"pad", std::vector<std::int64_t>{1, 3}}}, {flat});
  store(graph, y, 1, 3);
  FloatTensor expected = filledTensor("x", {5, 3});
  expected.shape[0] = 8;
  expected.data.resize(24, 0.0F);
  EXPECT_EQ(result(graph.build()), expected);
}

TEST(FunctionalOperators, BuffersGiveBackWhatTheyHold) {
  FlatBuilder graph;
  const Output buffers =
      graph.through("Bufferize", {{"rank", 1}}, {grouped(graph, source(graph, "x", 2, 2))});
  const Output y =
      graph.through("Streamify", {{"rank", 1}, {"repeat", std::vector<std::int64_t>{2}}}, {buffers});
  store(graph, y, 2, 2);
  const FloatTensor x = filledTensor("x", {tiles * 2, 2});
  FloatTensor expected;
  for (std::size_t group = 0; group < 2; ++group) {
    for (int pass = 0; pass < 2; ++pass) append(expected, tileOf(x, group, 6));
  }
  EXPECT_EQ(result(graph.build()), expected);
}

TEST(FunctionalOperators, BuffersSumEveryNthTile) {
  FlatBuilder graph;
  const Output group = graph.through("Reshape", {{"chunk", 6}}, {source(graph, "x", 2, 2)});
  const Output sums = graph.through(
      "AccumBuff",
      {{"function", "add"}, {"buffer_shape", std::vector<std::int64_t>{3}}, {"rank", 1}, {"compute_bw", 1}},
      {group});
  store(graph, graph.through("Streamify", {{"rank", 1}}, {sums}), 2, 2);
  const FloatTensor x = filledTensor("x", {tiles * 2, 2});
  FloatTensor expected = tileOf(x, 0, 6);
  for (std::size_t i = 0; i < expected.data.size(); ++i) expected.data[i] += x.data[i + 12];
  EXPECT_EQ(result(graph.build()), expected);
  // Every tile takes 4 FLOPs and a cycle to move 8 bytes; the buffer leaves after the sixth.
  const SimulationResult run = simulate(graph.build(), {});
  EXPECT_EQ(run.operators[2].busy, 6u * 4);
  EXPECT_EQ(run.operators[2].flops, 6u * 4);
}

/// A cached tile of 4 rows, of which `offset` exist, gets one more; the others keep what they hold.
TEST(FunctionalOperators, RowsAreAppendedBehindTheOffset) {
  FlatBuilder graph;
  const Output offsets = graph.through("MetadataGen", {{"input", "offsets"}});
  const Output cut = graph.through("BinaryMap", {{"function", "set_offset"}, {"compute_bw", 1}},
                                   {source(graph, "x", 4, 3, 3), offsets});
  const Output y = graph.through("BinaryMap", {{"function", "row_append"}, {"compute_bw", 1}},
                                 {cut, source(graph, "new", 1, 3, 3)});
  store(graph, y, 4, 3);
  InputSet inputs{{"offsets", {InputKind::Lengths, {{3}, {0, 2, 3}}, 0}}};
  FloatTensor expected = filledTensor("x", {12, 3});
  const FloatTensor added = filledTensor("new", {3, 3});
  const std::size_t offset[] = {0, 2, 3};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) at(expected, i * 4 + offset[i], j) = at(added, i, j);
  }
  EXPECT_EQ(result(graph.build(), {}, inputs), expected);
  inputs.at("offsets").tensor.data[1] = 4;  // no room
  const Result<TensorSet> full = compute(graph.build(), inputs);
  ASSERT_FALSE(full);
  EXPECT_THAT(full.diagnostics().front().cause, testing::HasSubstr("do not fit"));
}

TEST(FunctionalOperators, RandomAccessReadsAndWritesTheTileOfTheAddress) {
  FlatBuilder graph;
  const Output from = graph.through("MetadataGen", {{"input", "from"}});
  const Output to = graph.through("MetadataGen", {{"input", "to"}});
  const Settings view{{"tile", std::vector<std::int64_t>{2, 2}},
                      {"tensor_shape", std::vector<std::int64_t>{4, 6}},
                      {"tensor", "x"}};
  Settings written = view;
  written["tensor"] = "y";
  graph.add("RandomOffChipStore", written, {to, graph.through("RandomOffChipLoad", view, {from})});
  graph.consumeTheRest();
  const InputSet inputs{{"from", {InputKind::Lengths, {{3}, {4, 0, 5}}, 0}},
                        {"to", {InputKind::Lengths, {{3}, {1, 3, 0}}, 0}}};
  const FloatTensor x = filledTensor("x", {4, 6});
  FloatTensor expected = zeros(4, 6);
  const std::size_t pairs[][2] = {{4, 1}, {0, 3}, {5, 0}};
  for (const auto& [source_tile, target] : pairs) {
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j)
        at(expected, target / 3 * 2 + i, target % 3 * 2 + j) =
            at(x, source_tile / 3 * 2 + i, source_tile % 3 * 2 + j);
    }
  }
  EXPECT_EQ(result(graph.build(), {}, inputs), expected);
}

// --- tensors --------------------------------------------------------------------------------------------

FlatGraph copyOf(const std::string& tensor, std::vector<std::int64_t> tile, std::vector<std::int64_t> shape) {
  FlatBuilder graph;
  const Output x = graph.through("LinearOffChipLoad", {{"tensor", tensor},
                                                       {"tile", tile},
                                                       {"tensor_shape", std::move(shape)},
                                                       {"out_shape", std::vector<std::int64_t>{2}}});
  store(graph, x, tile[0], tile[1]);
  return graph.build();
}

void expectRefused(const FlatGraph& graph, const ComputeOptions& options, const std::string& cause) {
  const Result<TensorSet> set = compute(graph, {}, options);
  ASSERT_FALSE(set) << cause;
  EXPECT_THAT(set.diagnostics().front().cause, testing::HasSubstr(cause));
  EXPECT_FALSE(set.diagnostics().front().fix.empty());
}

TEST(FunctionalTensors, MistakesAreExplained) {
  ComputeOptions options;
  expectRefused(copyOf("x", {2, 4}, {4, 6}), options, "does not consist of whole tiles");
  options.tensors["z"] = filledTensor("z", {2, 2});
  expectRefused(copyOf("x", {2, 2}, {4, 2}), options, "no off-chip operator names it");
  options.tensors = {{"x", filledTensor("x", {2, 2})}};
  expectRefused(copyOf("x", {2, 2}, {4, 2}), options, "but the tensor 'x' is 2 x 2");
  options.tensors = {{"x", {{4, 2}, {1, 2, 3}}}};
  expectRefused(copyOf("x", {2, 2}, {4, 2}), options, "3 elements");
  options.tensors.clear();
  FlatGraph shifted = copyOf("x", {2, 2}, {4, 2});
  shifted.operators[0].parameters.set("tensor_origin", std::vector<BoundInteger>{{1, Expr(1)}, {0, Expr(0)}});
  expectRefused(shifted, options, "is not where a tile");
  options.memory_limit = 16;
  expectRefused(copyOf("x", {2, 2}, {4, 2}), options, "the tensors of the program take");
  options.memory_limit = 40;  // the loaded tensor takes 32, its two tiles and what they are stored to 64
  expectRefused(copyOf("x", {2, 2}, {4, 2}), options, "the tiles computed so far");
  options.memory_limit = 1 << 20;
  EXPECT_TRUE(compute(copyOf("x", {2, 2}, {4, 2}), {}, options));
}

TEST(FunctionalTensors, WithoutANameATensorIsCalledAsItsOperator) {
  FlatBuilder graph;
  const Output x = graph.through("LinearOffChipLoad", {{"tile", std::vector<std::int64_t>{2, 2}},
                                                       {"out_shape", std::vector<std::int64_t>{3, 2}}});
  store(graph, x, 2, 2);
  const FlatGraph flat = graph.build();
  // 3 x 2 tiles, row by row; the store has no shape and puts one below the other.
  const FloatTensor loaded = filledTensor(flat.operators[0].name, {6, 4});
  FloatTensor expected = zeros(12, 2);
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < 2; ++j) at(expected, i, j) = at(loaded, i / 4 * 2 + i % 2, i / 2 % 2 * 2 + j);
  }
  EXPECT_EQ(result(flat), expected);
}

/// Two loads with different tiles mean the same elements by the same origin.
TEST(FunctionalTensors, TheOriginIsInElements) {
  for (const std::vector<std::int64_t>& tile :
       {std::vector<std::int64_t>{4, 2}, std::vector<std::int64_t>{2, 1}, std::vector<std::int64_t>{1, 2}}) {
    FlatBuilder graph;
    const std::int64_t down = 4 / tile[0], across = 2 / tile[1];
    const Output x =
        graph.through("LinearOffChipLoad", {{"tile", tile},
                                            {"tensor", "x"},
                                            {"tensor_shape", std::vector<std::int64_t>{3, 4, 6}},
                                            {"tensor_origin", std::vector<std::int64_t>{4, 2}},
                                            {"out_shape", std::vector<std::int64_t>{down, across}},
                                            {"stride", std::vector<std::int64_t>{6 / tile[1], 1}}});
    graph.add("LinearOffChipStore",
              {{"tile", tile}, {"tensor", "y"}, {"tensor_shape", std::vector<std::int64_t>{4, 2}}}, {x});
    FloatTensor expected = zeros(4, 2);
    const FloatTensor whole = filledTensor("x", {12, 6});
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 2; ++j) at(expected, i, j) = at(whole, 4 + i, 2 + j);
    }
    EXPECT_EQ(result(graph.build()), expected) << tile[0] << " x " << tile[1];
  }
}

TEST(FunctionalTensors, ErrorIsRelativeToTheLargestMagnitude) {
  EXPECT_EQ(maxRelativeError({{2}, {1, -4}}, {{2}, {1, -4}}), 0);
  EXPECT_EQ(maxRelativeError({{2}, {1, -3}}, {{2}, {1, -4}}), 0.25);
  EXPECT_EQ(maxRelativeError({{2}, {2, -4}}, {{2}, {1, -4}}), 0.25);
  EXPECT_TRUE(std::isinf(maxRelativeError({{2}, {1, 1}}, {{1, 2}, {1, 1}})));
  EXPECT_TRUE(std::isinf(maxRelativeError({{1}, {std::nanf("")}}, {{1}, {1}})));
}

/// Computing changes no cycle and no count; it may only find more to complain about.
TEST(FunctionalTensors, ComputingDoesNotChangeTheTiming) {
  std::size_t compared = 0;
  constexpr std::uint64_t graphs = 1000;
  for (std::uint64_t seed = 0; seed < graphs; ++seed) {
    const RandomGraph random = randomGraph(seed);
    const auto functional = Functional::of(random.graph, {});
    if (!functional) continue;
    SimulationOptions options;
    const SimulationResult timing = simulate(random.graph, random.inputs, options);
    options.functional = functional->get();
    const SimulationResult computed = simulate(random.graph, random.inputs, options);
    if (timing.fault || computed.fault) continue;
    ++compared;
    ASSERT_EQ(timing.cycles, computed.cycles) << "seed " << seed << "\n" << text(random.graph);
    ASSERT_EQ(timing.token_hops, computed.token_hops) << "seed " << seed;
    ASSERT_EQ(timing.flops, computed.flops) << "seed " << seed;
    ASSERT_EQ(timing.deadlock.has_value(), computed.deadlock.has_value()) << "seed " << seed;
  }
  EXPECT_GT(compared, graphs / 2);
}

}  // namespace sluice::functional_test

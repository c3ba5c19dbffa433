// Functional mode on whole programs, against dense references: SwiGLU, a mixture of experts, and attention
// with a KV cache.

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/explorer/evaluate.h"
#include "engine/operators/inference.h"
#include "engine/program/elaborate.h"
#include "engine/program/file_format.h"
#include "tests/engine/support/functional_graphs.h"

namespace sluice::functional_programs_test {

using functional_test::at;
using functional_test::swiglu;
using functional_test::zeros;

Document sample(const std::string& name) {
  const Result<Document> document =
      loadDocument(std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads" / (name + ".sluice"));
  if (!document) throw std::runtime_error(document.diagnostics().front().cause);
  return *document;
}

FlatGraph elaborated(const Document& document, const KnobValues& knobs) {
  const Result<FlatGraph> graph = elaborate(document, knobs, builtInCatalog());
  if (!graph) throw std::runtime_error(graph.diagnostics().front().cause);
  return *graph;
}

TensorSet computed(const FlatGraph& graph, const InputSet& inputs, const ComputeOptions& options = {}) {
  const Result<TensorSet> set = compute(graph, inputs, options);
  if (!set)
    throw std::runtime_error(text(set.diagnostics().front().place) + ": " + set.diagnostics().front().cause);
  return *set;
}

/// A result is rounded to bfloat16 after the gate and up products, silu, their product and the down product:
/// each may move the value by 2^-9, and the errors add up.
constexpr double bfloat16_tolerance = 5.0 / 512;

// --- SwiGLU ---------------------------------------------------------------------------------------------

TEST(FunctionalPrograms, SwiGluEqualsTheDenseLayerAtEveryTiling) {
  Document document = sample("swiglu");
  document.constants["B"] = 64;
  document.constants["D"] = 32;
  document.constants["F"] = 256;
  const FloatTensor expected = swiglu(filledTensor("x", {64, 32}), filledTensor("w_gate", {32, 256}),
                                      filledTensor("w_up", {32, 256}), filledTensor("w_down", {256, 32}));
  std::optional<FloatTensor> first, first_coarse;
  for (const std::int64_t tile_m : {16, 64}) {
    for (const std::int64_t tile_n : {16, 64, 256}) {
      SCOPED_TRACE(std::to_string(tile_m) + " x " + std::to_string(tile_n));
      const FlatGraph graph = elaborated(document, {{"tile_m", tile_m}, {"tile_n", tile_n}});
      ComputeOptions options;
      const FloatTensor y = computed(graph, {}, options).at("y");
      EXPECT_LT(maxRelativeError(y, expected), 1e-5);
      options.precision = Precision::BFloat16;
      const FloatTensor coarse = computed(graph, {}, options).at("y");
      EXPECT_LT(maxRelativeError(coarse, expected), bfloat16_tolerance);
      EXPECT_GT(maxRelativeError(coarse, expected), 1e-5) << "nothing was rounded";
      if (!first) first = y, first_coarse = coarse;
      EXPECT_EQ(y, *first) << "the tiling must not change a bit";
      EXPECT_EQ(coarse, *first_coarse);
    }
  }
}

// --- mixture of experts ---------------------------------------------------------------------------------

constexpr std::size_t batch = 8, experts = 4, top_k = 2, hidden = 16;
const std::vector<std::int64_t> choices{0, 3, 1, 0, 3, 0, 0, 2, 2, 3, 0, 1, 3, 2, 0, 3};

FlatGraph smallMoe(std::int64_t tile) {
  Document document = sample("moe_mixtral");
  document.constants["B"] = static_cast<std::int64_t>(batch);
  document.constants["D"] = static_cast<std::int64_t>(hidden);
  document.constants["E"] = static_cast<std::int64_t>(experts);
  document.constants["F"] = 32;
  document.constants["f"] = 8;
  for (Knob& knob : document.knobs) {
    if (knob.name == "tile") knob.list = {2, 4, 8}, knob.initial = 2;
  }
  return elaborated(document, {{"tile", tile}});
}

FloatTensor denseMoe(const FloatTensor& x, const FloatTensor& weights) {
  const FloatTensor up = filledTensor("w_up", {experts, hidden, 32}),
                    gate = filledTensor("w_gate", {experts, hidden, 32}),
                    down = filledTensor("w_down", {experts, 32, hidden});
  FloatTensor y = zeros(batch, hidden);
  for (std::size_t token = 0; token < batch; ++token) {
    FloatTensor row = zeros(1, hidden);
    std::copy_n(&x.data[token * hidden], hidden, row.data.begin());
    for (std::size_t k = 0; k < top_k; ++k) {
      const auto expert = static_cast<std::size_t>(choices[token * top_k + k]);
      const FloatTensor out = swiglu(row, gate, up, down, expert);
      for (std::size_t j = 0; j < hidden; ++j) at(y, token, j) += at(weights, token, k) * at(out, 0, j);
    }
  }
  return y;
}

TEST(FunctionalPrograms, MixtureOfExpertsEqualsTheDenseLayerAtEveryTile) {
  const InputSet inputs{
      {"routing", {InputKind::Routing, {{batch, top_k}, choices}, static_cast<std::int64_t>(experts)}}};
  const FloatTensor expected =
      denseMoe(filledTensor("x", {batch, hidden}), filledTensor("weights", {batch, top_k}));
  std::vector<FloatTensor> results;
  for (const std::int64_t tile : {2, 4, 8}) {
    const FlatGraph graph = smallMoe(tile);
    ComputeOptions options;
    results.push_back(computed(graph, inputs, options).at("y"));
    EXPECT_LT(maxRelativeError(results.back(), expected), 1e-5) << "tile " << tile;
    // Two more roundings than SwiGLU: the scaling and the sum of two experts.
    options.precision = Precision::BFloat16;
    EXPECT_LT(maxRelativeError(computed(graph, inputs, options).at("y"), expected), 8.0 / 512);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(FunctionalPrograms, TensorsThatAreGivenAreUsed) {
  const InputSet inputs{
      {"routing", {InputKind::Routing, {{batch, top_k}, choices}, static_cast<std::int64_t>(experts)}}};
  ComputeOptions options;
  options.tensors["weights"] = zeros(batch, top_k);
  for (std::size_t token = 0; token < batch; ++token) at(options.tensors["weights"], token, 1) = 2;
  const FloatTensor expected = denseMoe(filledTensor("x", {batch, hidden}), options.tensors["weights"]);
  EXPECT_LT(maxRelativeError(computed(smallMoe(4), inputs, options).at("y"), expected), 1e-5);
}

// --- attention ------------------------------------------------------------------------------------------

/// One region of decode attention: `requests` queries over their cached keys and values, of which each gets
/// one more row. The cache of a request is `slots` tiles of `rows` rows.
struct Attention {
  static constexpr std::int64_t requests = 4, heads = 2, width = 8, rows = 4, slots = 4;
  const std::vector<std::int64_t> cached{5, 0, 15, 8};  ///< rows so far; the new one goes behind them

  InputSet inputs() const {
    std::vector<std::int64_t> index, length, offset;
    for (std::int64_t b = 0; b < requests; ++b) {
      index.push_back(b);
      length.push_back(cached[static_cast<std::size_t>(b)] / rows + 1);
      offset.push_back(cached[static_cast<std::size_t>(b)] % rows);
    }
    const auto lengths = [](const std::vector<std::int64_t>& values) {
      return InputData{InputKind::Lengths, {{values.size()}, values}, 0};
    };
    return {{"index", lengths(index)}, {"length", lengths(length)}, {"offset", lengths(offset)}};
  }

  /// Streams of one number a request, rank 0.
  static Output numbers(FlatBuilder& graph, const std::string& input) {
    return graph.through("Flatten", {{"min", 0}, {"max", 1}},
                         {graph.through("MetadataGen", {{"input", input}})});
  }
  static Output perRequest(FlatBuilder& graph, const std::string& tensor, std::int64_t tile_rows) {
    const Output loaded =
        graph.through("LinearOffChipLoad", {{"tensor", tensor},
                                            {"tile", std::vector<std::int64_t>{tile_rows, width}},
                                            {"out_shape", std::vector<std::int64_t>{requests, 1}}});
    return graph.through("Flatten", {{"min", 1}, {"max", 2}}, {loaded});
  }

  /// The tiles of a cache, the last with the new row in it, that is also written back.
  static Output cache(FlatBuilder& graph, const std::string& tensor, const std::string& added) {
    const Settings view{{"tensor", tensor},
                        {"tile", std::vector<std::int64_t>{rows, width}},
                        {"tensor_shape", std::vector<std::int64_t>{requests * slots * rows, width}}};
    const Output addresses = graph.through("CacheReadAddrGen", {{"row_offset", slots}},
                                           {numbers(graph, "index"), numbers(graph, "length")});
    const Output tiles = graph.through("RandomOffChipLoad", view, {addresses});
    const auto select = graph.broadcast(graph.through("FilterLastTile", {}, {numbers(graph, "length")}), 2);
    const OperatorId split = graph.add("Partition", {{"ways", 2}}, {tiles, select[0]});
    const Output last = graph.through("BinaryMap", {{"function", "set_offset"}, {"compute_bw", 1}},
                                      {Output{split, 0}, numbers(graph, "offset")});
    const Output row = graph.through("Flatten", {{"min", 0}, {"max", 1}}, {perRequest(graph, added, 1)});
    const auto grown = graph.broadcast(
        graph.through("BinaryMap", {{"function", "row_append"}, {"compute_bw", 1}}, {last, row}), 2);
    const Output joined = graph.through("Reassemble", {{"ways", 2}}, {grown[0], Output{split, 1}, select[1]});
    const Output last_tile = graph.through(
        "BinaryMap", {{"function", "cache_write_address"}, {"row_offset", slots}, {"compute_bw", 1}},
        {numbers(graph, "index"), numbers(graph, "last")});
    graph.add("RandomOffChipStore", view, {last_tile, grown[1]});
    return graph.through("Flatten", {{"min", 0}, {"max", 1}}, {joined});
  }

  FlatGraph graph() const {
    FlatBuilder graph;
    graph.depth = 16;
    const auto keys = graph.broadcast(cache(graph, "k_cache", "k"), 2);
    const Output values = cache(graph, "v_cache", "v");
    const Output queries = graph.through("Expand", {{"rank", 1}}, {perRequest(graph, "q", heads), keys[0]});
    const Output scores =
        graph.through("BinaryMap", {{"function", "matmul"}, {"weight_transposed", true}, {"compute_bw", 64}},
                      {queries, keys[1]});
    const auto weights =
        graph.broadcast(graph.through("Map", {{"function", "exp"}, {"compute_bw", 64}}, {scores}), 2);
    const Output mixed =
        graph.through("BinaryMapAccum",
                      {{"init", std::vector<std::int64_t>{heads, width}}, {"rank", 1}, {"compute_bw", 64}},
                      {weights[0], values});
    const Output summed = graph.through("Accum",
                                        {{"function", "add"},
                                         {"init", std::vector<std::int64_t>{heads, rows}},
                                         {"rank", 1},
                                         {"compute_bw", 64}},
                                        {weights[1]});
    const Output total = graph.through("Map", {{"function", "row_sum"}, {"compute_bw", 64}}, {summed});
    const Output attended =
        graph.through("BinaryMap", {{"function", "divide"}, {"compute_bw", 64}}, {mixed, total});
    graph.add("RandomOffChipStore",
              {{"tensor", "y"},
               {"tile", std::vector<std::int64_t>{heads, width}},
               {"tensor_shape", std::vector<std::int64_t>{requests * heads, width}}},
              {numbers(graph, "index"), attended});
    graph.consumeTheRest();
    return graph.build();
  }
};

/// softmax(q k^T) v without subtraction of the maximum, over the cached rows and the new one.
FloatTensor denseAttention(const Attention& attention, const TensorSet& caches) {
  const std::size_t heads = Attention::heads, width = Attention::width;
  FloatTensor y = zeros(Attention::requests * heads, width);
  const FloatTensor q = filledTensor("q", y.shape);
  for (std::size_t i = 0; i < y.shape[0]; ++i) {
    const std::size_t request = i / heads, first = request * Attention::slots * Attention::rows;
    std::vector<double> mixed(width, 0);
    double total = 0;
    for (std::size_t row = 0; row <= static_cast<std::size_t>(attention.cached[request]); ++row) {
      double score = 0;
      for (std::size_t j = 0; j < width; ++j)
        score += double{at(q, i, j)} * at(caches.at("k_cache"), first + row, j);
      total += std::exp(score);
      for (std::size_t j = 0; j < width; ++j)
        mixed[j] += std::exp(score) * at(caches.at("v_cache"), first + row, j);
    }
    for (std::size_t j = 0; j < width; ++j) at(y, i, j) = static_cast<float>(mixed[j] / total);
  }
  return y;
}

TEST(FunctionalPrograms, AttentionOverTheCacheEqualsDenseAttention) {
  const Attention attention;
  InputSet inputs = attention.inputs();
  inputs["last"] = inputs.at("length");  // the number of the last tile
  for (std::int64_t& tiles : inputs.at("last").tensor.data) --tiles;
  TensorSet caches;
  for (const auto& [cache, added] : {std::pair{"k_cache", "k"}, std::pair{"v_cache", "v"}}) {
    const std::size_t width = Attention::width;
    FloatTensor tensor =
        filledTensor(cache, {Attention::requests * Attention::slots * Attention::rows, width});
    const FloatTensor rows = filledTensor(added, {Attention::requests, width});
    for (std::size_t b = 0; b < Attention::requests; ++b) {
      const std::size_t row =
          b * Attention::slots * Attention::rows + static_cast<std::size_t>(attention.cached[b]);
      for (std::size_t j = 0; j < width; ++j) at(tensor, row, j) = at(rows, b, j);
    }
    caches[cache] = tensor;
  }
  const FloatTensor expected = denseAttention(attention, caches);
  const FlatGraph graph = attention.graph();
  ComputeOptions options;
  const TensorSet exact = computed(graph, inputs, options);
  EXPECT_LT(maxRelativeError(exact.at("y"), expected), 1e-5);
  EXPECT_EQ(exact.at("k_cache"), caches.at("k_cache")) << "the new keys belong behind the cached ones";
  EXPECT_EQ(exact.at("v_cache"), caches.at("v_cache"));
  // Scores, exp, both sums and the division are rounded; exp turns a score's absolute error into a relative
  // one.
  options.precision = Precision::BFloat16;
  EXPECT_LT(maxRelativeError(computed(graph, inputs, options).at("y"), expected), 8.0 / 512);
}

}  // namespace sluice::functional_programs_test

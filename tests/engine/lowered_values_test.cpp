// Compiled blocks computed by the simulator while it runs them: what they store is what the dense program
// gives, whatever the compiler chose.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "engine/operators/inference.h"
#include "engine/operators/registry.h"
#include "engine/operators/simulate.h"
#include "engine/program/elaborate.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_values.h"
#include "engine/tensor/lowering/lowered_values.h"
#include "engine/tensor/placement/compiled_placement.h"
#include "engine/tensor/programs/padded_program.h"
#include "engine/tensor/programs/stacked_program.h"
#include "engine/tensor/programs/tensor_program_text.h"
#include "engine/tensor/programs/tensor_values.h"
#include "tests/engine/support/compiled_designs.h"

namespace sluice::lowered_values_test {

using testing_support::compiledWith;
using testing_support::Rewriting;

TransformerModel tiny(TransformerModel model) {
  model.hidden = 8, model.feed_forward = 16, model.heads = 4, model.head_size = 4;
  model.kv_heads = model.kv_heads == model.heads ? 4 : 2;
  return model;
}

TensorProgram tinyBlock(const TransformerModel& model, BlockPhase phase) {
  return *transformerBlock(tiny(model), phase, *quantisationNamed("FP32"));
}

CompileOptions optionsOf(std::int64_t tile) {
  CompileOptions options;
  options.tiling.default_tile_size = tile;
  options.tiling.overall_unroll_size = 64;
  options.machine.reference_mode = false;
  return options;
}

/// The dense results of what was compiled: fusion leaves the operations and the names of outside tensors.
std::vector<FloatTensor> dense(const CompiledDesign& compiled, const TensorSet& given = {}) {
  const std::vector<FloatTensor> all = tensorValues(compiled.design.program, given);
  std::vector<FloatTensor> results;
  for (const std::size_t tensor : compiled.design.program.results)
    results.push_back(withoutPadding(compiled.design.program.tensors[tensor], all[tensor]));
  return results;
}

/// The lowered design run in functional mode on the machine that it was compiled for.
Result<std::vector<FloatTensor>> simulatedResults(const CompiledDesign& compiled,
                                                  const CompileOptions& options,
                                                  const TensorSet& given = {}) {
  SLUICE_TRY(const LoweredDesign program, lowered(compiled, options.requests_per_cycle));
  Document document;
  document.program = program.graph;
  SLUICE_TRY(FlatGraph graph, elaborate(document, {}, builtInCatalog()));
  graph.machine = options.machine;
  SLUICE_CHECK(infer(graph, {}));
  const LoweredValues values(compiled.design, program, given);
  ComputeOptions functional;
  functional.tasks = values.tasks();
  SLUICE_CHECK(compute(graph, {}, functional));
  return values.results();
}

void expectDense(const CompiledDesign& compiled, const CompileOptions& options, const std::string& what,
                 const TensorSet& given = {}) {
  const Result<std::vector<FloatTensor>> run = simulatedResults(compiled, options, given);
  ASSERT_TRUE(run) << what << text(run.diagnostics());
  const std::vector<FloatTensor> expected = dense(compiled, given);
  ASSERT_EQ(run->size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ((*run)[i].shape, expected[i].shape) << what;
    EXPECT_EQ((*run)[i].data, expected[i].data) << what << ", result " << i;  // to the last bit
  }
}

TEST(LoweredValues, EveryModelAndPhase) {
  for (const TransformerModel& model : publishedModels()) {
    for (const BlockPhase phase : {promptPhase(8), decodePhase(8)}) {
      for (const std::int64_t tile : {2, 4, 16}) {
        const CompileOptions options = optionsOf(tile);
        const Result<CompiledDesign> compiled = compile(tinyBlock(model, phase), options);
        ASSERT_TRUE(compiled) << text(compiled.diagnostics());
        expectDense(*compiled, options, model.name + ", tile " + std::to_string(tile));
      }
    }
  }
}

/// Vectors, folds, groups, forks, layouts, converter orders, HIDA's factors, equalisation: all the same bits.
TEST(LoweredValues, WhateverTheCompilerChose) {
  std::mt19937_64 random(3);
  const auto below = [&](std::uint64_t count) { return random() % count; };
  std::size_t ran = 0, folded = 0, vectorised = 0, groups = 0;
  for (int round = 0; round < 40; ++round) {
    const auto models = publishedModels();
    const TensorProgram block = tinyBlock(models[below(4)], below(3) == 0 ? decodePhase(8) : promptPhase(4));
    CompileOptions options = optionsOf(std::int64_t{2} << below(3));
    if (below(2) == 0) options.tiling.parallelization = static_cast<ParallelizationMode>(below(4));
    options.on_chip_bytes = below(2) == 0 ? 0 : 500 + static_cast<std::int64_t>(below(3000));
    options.converters = static_cast<ConverterOrder>(below(3));
    options.packed = below(2) == 0;
    options.vectors = static_cast<StreamVectors>(below(3));
    options.fold = below(2) == 0;
    std::vector<Rewriting> rewrites;
    if (below(3) == 0) rewrites = {{"insert fork"}};
    if (below(4) == 0) rewrites.push_back({"interleave load"});
    options.sizing = static_cast<SizingMethod>(below(3));
    options.equalisation = static_cast<Equalisation>(below(2));
    const Result<CompiledDesign> compiled = compiledWith(block, options, rewrites);
    if (!compiled) continue;  // a kernel that does not fit, or a design too large
    expectDense(*compiled, options, "round " + std::to_string(round));
    ++ran;
    for (const DataflowStream& stream : compiled->design.streams) {
      folded += stream.folded ? 1 : 0;
      vectorised += stream.vector.empty() ? 0 : 1;
    }
    groups += predictedCycles(*compiled).size() > 1 ? 1 : 0;
  }
  EXPECT_GT(ran, 25u);
  EXPECT_GT(folded, 0u);
  EXPECT_GT(vectorised, 0u);
  EXPECT_GT(groups, 3u);
}

TEST(LoweredValues, LayersAndDies) {
  const CompileOptions options = optionsOf(4);
  const Result<CompiledDesign> layers =
      compile(*stacked(tinyBlock(gpt2Medium(), promptPhase(4)), 3), options);
  ASSERT_TRUE(layers) << text(layers.diagnostics());
  expectDense(*layers, options, "three layers");
  Result<CompiledDesign> crossed = compile(tinyBlock(qwenHalfBillion(), promptPhase(8)), options);
  ASSERT_TRUE(crossed);
  crossed->crossings.assign(crossed->design.streams.size(), StreamCrossing{});
  for (std::size_t stream = 0; stream < crossed->crossings.size(); stream += 3)
    crossed->crossings[stream] = {7, 20};
  expectDense(*crossed, options, "registers");
}

/// Windows and rows that the result does not have.
TEST(LoweredValues, ConvolutionsPoolsAndReductions) {
  const Result<TensorProgram> program = parseTensorProgram(R"(program @image {
    %x = input tensor<2x4x6x6xf32>
    %w = weight tensor<8x4x3x3xf32>
    %b = weight tensor<8xf32>
    %d = weight tensor<8x1x3x3xf32>
    %c = conv(%x, %w, %b) {strides = [1, 1], padding = [1, 1], dilations = [1, 1]} tensor<2x8x6x6xf32>
    %r = relu(%c) tensor<2x8x6x6xf32>
    %e = depthwise_conv(%r, %d) {strides = [2, 1], padding = [1, 2], dilations = [1, 2]} tensor<2x8x3x6xf32>
    %m = max_pool(%e) {window = [2, 2], strides = [1, 2], padding = [0, 0], dilations = [1, 1]} tensor<2x8x2x3xf32>
    %a = average_pool(%m) {window = [2, 1], strides = [1, 1], padding = [1, 0], dilations = [1, 1]} tensor<2x8x3x3xf32>
    %f = reshape(%a) tensor<2x8x9xf32>
    %g = reduce_mean(%f) tensor<2x8x1xf32>
    return %g
  })",
                                                           {});
  ASSERT_TRUE(program) << text(program.diagnostics());
  for (const std::int64_t tile : {1, 2, 8}) {
    const CompileOptions options = optionsOf(tile);
    const Result<CompiledDesign> compiled = compile(*program, options);
    ASSERT_TRUE(compiled) << text(compiled.diagnostics());
    expectDense(*compiled, options, "tile " + std::to_string(tile));
  }
}

/// What a group loads may have been stored by any group before: between them is one that only fills a tensor.
/// Of a table that a product reads as well, whatever the compiler chose; the sum with positions is fused.
TEST(LoweredValues, LookupsReadRows) {
  const Result<TensorProgram> program = parseTensorProgram(R"(program @p {
    %ids = input tensor<1x6xi32>
    %table = weight tensor<96x12xf32>
    %positions = weight tensor<6x12xf32>
    %rows = lookup(%ids, %table) tensor<1x6x12xf32>
    %h = add(%rows, %positions) tensor<1x6x12xf32>
    %logits = linear(%h, %table) tensor<1x6x96xf32>
    return %logits, %h
  })",
                                                           "p");
  ASSERT_TRUE(program) << text(program.diagnostics());
  const TensorSet given{{"ids", {{1, 6}, {95, 0, 17, -1, 17, -96}}}};
  for (const std::int64_t tile : {1, 4, 16})
    for (const std::int64_t on_chip : {0, 2000})
      for (const bool packed : {false, true})
        for (const StreamVectors vectors : {StreamVectors::Tiles, StreamVectors::Unroll}) {
          CompileOptions options = optionsOf(tile);
          options.on_chip_bytes = on_chip, options.packed = packed, options.vectors = vectors;
          const Result<CompiledDesign> compiled = compile(*program, options);
          ASSERT_TRUE(compiled) << text(compiled.diagnostics());
          expectDense(*compiled, options, "tile " + std::to_string(tile), given);
          const Result<std::vector<FloatTensor>> design = designResults(compiled->design, given);
          ASSERT_TRUE(design) << text(design.diagnostics());
          EXPECT_EQ(design->at(0).data, dense(*compiled, given).at(0).data);
        }
  for (const float beyond : {96.0F, -97.0F, 0.5F}) {
    const CompileOptions options = optionsOf(4);
    const auto run =
        simulatedResults(*compile(*program, options), options, {{"ids", {{1, 6}, {0, 1, 2, beyond, 4, 5}}}});
    ASSERT_FALSE(run);
    EXPECT_EQ(run.diagnostics()[0].code, "out-of-range") << text(run.diagnostics());
    EXPECT_THAT(text(run.diagnostics()), testing::HasSubstr("of 'table', which has 96 rows"));
  }
}

/// Rows alone are moved, and the prediction knows what they cost.
TEST(LoweredValues, LookupsCostTheirRows) {
  const Result<TensorProgram> program = parseTensorProgram(R"(program @p {
    %ids = input tensor<64xi32>
    %table = weight tensor<4096x256xf32>
    %rows = lookup(%ids, %table) tensor<64x256xf32>
    return %rows
  })",
                                                           "p");
  ASSERT_TRUE(program) << text(program.diagnostics());
  for (const bool reference : {true, false}) {
    CompileOptions options = optionsOf(16);
    options.machine.reference_mode = reference;
    const Result<CompiledDesign> compiled = compile(*program, options);
    ASSERT_TRUE(compiled) << text(compiled.diagnostics());
    Document document;
    document.program = lowered(*compiled, options.requests_per_cycle)->graph;
    Result<FlatGraph> graph = elaborate(document, {}, builtInCatalog());
    ASSERT_TRUE(graph) << text(graph.diagnostics());
    graph->machine = options.machine;
    ASSERT_TRUE(infer(*graph, {}));
    const SimulationResult run = simulate(*graph, {}, {});
    ASSERT_FALSE(run.deadlock);
    constexpr std::uint64_t row = 256 * 4, places = 64 * 4;
    EXPECT_EQ(run.off_chip_bytes, 64 * row + places + 64 * row);  // rows, places, what is stored
    const double predicted = static_cast<double>(predictedCycles(*compiled).back());
    EXPECT_NEAR(static_cast<double>(run.cycles) / predicted, 1, 0.15) << run.cycles << " for " << predicted;
  }
}

TEST(LoweredValues, GroupsThatLoadNothing) {
  const Result<TensorProgram> program = parseTensorProgram(R"(program @padded {
    %x = input tensor<2x2xf32>
    %above = fill() {number = -9} tensor<1x2xf32>
    %below = fill() {number = -8} tensor<1x2xf32>
    %tall = concat(%above, %x, %below) tensor<4x2xf32>
    %left = fill() {number = -7} tensor<4x1xf32>
    %right = fill() {number = -6} tensor<4x1xf32>
    %wide = concat(%left, %tall, %right) {axis = 1} tensor<4x4xf32>
    return %wide
  })",
                                                           {});
  ASSERT_TRUE(program) << text(program.diagnostics());
  const CompileOptions options = optionsOf(8);
  const Result<CompiledDesign> compiled = compile(*program, options);
  ASSERT_TRUE(compiled) << text(compiled.diagnostics());
  ASSERT_GT(compiled->design.tasks.back().group, 2U);
  expectDense(*compiled, options, "padded");
}

Result<std::vector<FloatTensor>> resultsOf(const std::string& body, const TensorSet& given) {
  SLUICE_TRY(const TensorProgram program, parseTensorProgram("program @p {\n" + body + "}\n", "p"));
  const CompileOptions options = optionsOf(8);
  SLUICE_TRY(const CompiledDesign compiled, compile(program, options));
  return simulatedResults(compiled, options, given);
}

/// Nowhere silently: neither what comes from outside nor what a step makes that was fused with others.
TEST(LoweredValues, IntegersThatFloatsDoNotHaveEndTheRun) {
  const std::string hash =
      "  %x = input tensor<1x8xi64>\n"
      "  %a = mul(%x) {number = 1000003} tensor<1x8xi64>\n"
      "  %b = div(%a) {number = 1000000} tensor<1x8xi64>\n"
      "  %y = floor(%b) tensor<1x8xi64>\n"
      "  return %y\n";
  const auto of = [](float last) { return TensorSet{{"x", {{1, 8}, {0, 1, 2, 3, 4, 5, 6, last}}}}; };
  const Result<std::vector<FloatTensor>> small = resultsOf(hash, of(16));
  ASSERT_TRUE(small) << text(small.diagnostics());
  EXPECT_EQ(small->front().data.back(), 16.0f);
  const Result<std::vector<FloatTensor>> large = resultsOf(hash, of(17));
  ASSERT_FALSE(large);
  EXPECT_THAT(text(large.diagnostics()), testing::HasSubstr("2^24 or more"));
  const std::string shown =
      "  %x = input tensor<1x8xi64>\n"
      "  %c = add(%x) {number = -16777216} tensor<1x8xi64>\n"
      "  %y = mul(%c) {number = 0.5} tensor<1x8xf32>\n"
      "  return %y\n";
  EXPECT_TRUE(resultsOf(shown, of(7)) ? false : true);  // -2^24
  EXPECT_FALSE(
      resultsOf("  %x = input tensor<1x8xi64>\n"
                "  %y = less(%x) {number = 5} tensor<1x8xi8>\n"
                "  return %y\n",
                of(16777216)));
  // Of floats nothing is asked.
  std::string floats = hash;
  for (std::size_t at = 0; (at = floats.find("i64")) != std::string::npos;) floats.replace(at, 3, "f32");
  EXPECT_TRUE(resultsOf(floats, of(1e9f)));
}

TEST(LoweredValues, SumsOfIntegersAreExact) {
  const std::string sums =
      "  %x = input tensor<1x4xi32>\n"
      "  %w = input tensor<2x4xi32>\n"
      "  %y = linear(%x, %w) tensor<1x2xi32>\n"
      "  return %y\n";
  const TensorSet given{{"x", {{1, 4}, {8388608, 8388608, 1, 8388608}}},
                        {"w", {{2, 4}, {1, 1, 1, -2, 1, 1, 1, 1}}}};
  TensorSet cancelling = given;
  cancelling["w"].data = {1, 1, 1, -2, 0, 0, 3, 0};
  const auto made = resultsOf(sums, cancelling);
  ASSERT_TRUE(made) << text(made.diagnostics());
  EXPECT_EQ(made->front().data, (std::vector<float>{1, 3}));  // 2^24 + 1 on the way
  EXPECT_FALSE(resultsOf(sums, given));
  const Result<TensorProgram> program = parseTensorProgram("program @p {\n" + sums + "}\n", "p");
  ASSERT_TRUE(program);
  EXPECT_TRUE(exactTensorValues(*program, cancelling));
  const auto refused = exactTensorValues(*program, given);
  ASSERT_FALSE(refused);
  EXPECT_EQ(text(refused.diagnostics().front().place), "tensor 'y'");
}

/// A row of minus infinities is no distribution: no numbers, as in the frameworks.
TEST(LoweredValues, ASoftmaxOfMinusInfinitiesIsNoNumber) {
  const auto made = resultsOf(
      "  %x = input tensor<2x4xf32>\n"
      "  %c = greater(%x) {number = 0} tensor<2x4xi8>\n"
      "  %f = fill() {number = -inf} tensor<4xf32>\n"
      "  %m = where(%c, %x, %f) tensor<2x4xf32>\n"
      "  %y = softmax(%m) tensor<2x4xf32>\n"
      "  return %y\n",
      {{"x", {{2, 4}, {-1, -1, -1, -1, -1, 2, -1, 2}}}});
  ASSERT_TRUE(made) << text(made.diagnostics());
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(made->front().data[i]));
  EXPECT_EQ(made->front().data[4], 0.0f);
  EXPECT_EQ(made->front().data[5], 0.5f);
}

/// As in onnxruntime, whose pools begin at minus infinity.
TEST(LoweredValues, TheLargestOfMinusInfinitiesIsOne) {
  constexpr float least = -std::numeric_limits<float>::infinity();
  const auto made = resultsOf(
      "  %x = input tensor<1x1x2x4xf32>\n"
      "  %y = max_pool(%x) {window = [2, 2], strides = [2, 2], padding = [0, 0], dilations = [1, 1]} "
      "tensor<1x1x1x2xf32>\n"
      "  return %y\n",
      {{"x", {{1, 1, 2, 4}, {least, least, 1, 2, least, least, 3, 4}}}});
  ASSERT_TRUE(made) << text(made.diagnostics());
  EXPECT_EQ(made->front().data, (std::vector<float>{least, 4}));
}

/// It can fail: a wrong order, a wrong buffer or tokens that come too late are seen.
TEST(LoweredValues, MistakesAreSeen) {
  const CompileOptions options = optionsOf(2);
  const Result<CompiledDesign> compiled = compile(tinyBlock(gpt2Medium(), promptPhase(8)), options);
  ASSERT_TRUE(compiled);
  std::size_t wrong = 0, tried = 0;
  for (std::size_t task = 0; task < compiled->design.tasks.size(); ++task) {
    if (compiled->design.tasks[task].kind != TaskKind::Load) continue;
    CompiledDesign broken = *compiled;
    ITensor& type = broken.design.tasks[task].outputs[0].type;
    if (type.loops.size() < 2 || type.loops[0].trips != type.loops[1].trips) continue;
    std::swap(type.loops[0], type.loops[1]);
    for (AffineForm& form : type.map) std::swap(form.coefficients[0], form.coefficients[1]);
    ++tried;
    const auto run = simulatedResults(broken, options);
    wrong += !run || (*run)[0].data != dense(*compiled)[0].data ? 1 : 0;
  }
  EXPECT_GT(tried, 0u);
  EXPECT_EQ(wrong, tried);
}

}  // namespace sluice::lowered_values_test

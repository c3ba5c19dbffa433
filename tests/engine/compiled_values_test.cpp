// Tensor programs in replicated regions in functional mode: every instance stores what the dense program
// gives.

#include "engine/schedule/compiled_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "engine/operators/functional.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/tensor/programs/tensor_program_text.h"
#include "engine/tensor/programs/tensor_values.h"

namespace sluice::compiled_values_test {

const char* const small = R"(program @small {
  %x = input tensor<8x16xf32>
  %w = weight tensor<24x16xf32>
  %y = linear(%x, %w) {after = [gelu]} tensor<8x24xf32>
  %s = softmax(%y) tensor<8x24xf32>
  return %s
})";
const char* const other = R"(program @other {
  %x = input tensor<8x8xf32>
  %t = transpose(%x) {permutation = [1, 0]} tensor<8x8xf32>
  %z = add(%t, %x) tensor<8x8xf32>
  return %z
})";

Node programNode(const std::string& name, const char* program) {
  return {name, "TensorProgram", {{"text", Value(program)}}, {}, {}};
}

ScheduleStep compileStep(const std::string& path) {
  return {"compile_tensors", {{"program", Value(path)}, {"tile", Value(4)}, {"unroll", Value(64)}}, true};
}

/// A region of `count` instances with a program in it.
Node region(const std::string& name, std::int64_t count, std::vector<Node> nodes) {
  Region region;
  region.count = Value(count);
  region.index = name + "_number";
  region.body.nodes = std::move(nodes);
  return {name, "Region", {}, {}, Box<Region>(std::move(region))};
}

/// Everything that the document stores.
Result<TensorSet> computed(const Document& document, TensorSet given = {},
                           Precision precision = Precision::Float32) {
  const Result<std::vector<CompiledProgram>> steps = compiledPrograms(document, {}, {});
  if (!steps) return steps.diagnostics();
  const Result<ScheduledProgram> scheduled = applySchedule(document, {}, {});
  if (!scheduled) return scheduled.diagnostics();
  const Result<FlatGraph> graph = elaborate(scheduled->document, {}, builtInCatalog());
  if (!graph) return graph.diagnostics();
  ComputeOptions options;
  options.tensors = std::move(given);
  options.precision = precision;
  const CompiledValues values(*graph, *steps, options.tensors, precision);
  options.tasks = values.tasks();
  Result<TensorSet> result = compute(*graph, {}, options);
  if (result) values.addResults(*result);
  return result;
}

std::vector<float> dense(const char* text, const TensorSet& given = {}) {
  const TensorProgram program = *parseTensorProgram(text, "p");
  return tensorValues(program, given)[program.results.front()].data;
}

TEST(CompiledValues, EveryInstanceOfARegionStoresWhatTheDenseProgramGives) {
  Document document;
  document.program.nodes = {region("layer", 3, {programNode("block", small)})};
  document.schedule = {compileStep("layer.block")};
  TensorSet given;
  FloatTensor x;
  x.shape = {8, 16};
  for (int i = 0; i < 8 * 16; ++i) x.data.push_back(static_cast<float>(i % 7) - 3);
  given["layer[1].x"] = x;
  const Result<TensorSet> stored = computed(document, given);
  ASSERT_TRUE(stored) << text(stored.diagnostics());
  ASSERT_EQ(stored->size(), 3u);
  const std::vector<float> plain = dense(small), own = dense(small, {{"x", x}});
  EXPECT_NE(plain, own);
  EXPECT_EQ(stored->at("layer[0].s").data, plain);
  EXPECT_EQ(stored->at("layer[1].s").data, own);
  EXPECT_EQ(stored->at("layer[2].s").data, plain);
}

/// Regions in regions, several programs side by side, and one outside: the values of each are its own.
TEST(CompiledValues, ManyProgramsInManyPlaces) {
  Document document;
  document.program.nodes = {
      programNode("alone", other),
      region("outer", 2, {region("inner", 2, {programNode("first", small), programNode("second", other)})})};
  document.schedule = {compileStep("outer.inner.second"), compileStep("alone"),
                       compileStep("outer.inner.first")};
  const Result<TensorSet> stored = computed(document);
  ASSERT_TRUE(stored) << text(stored.diagnostics());
  ASSERT_EQ(stored->size(), 9u);
  EXPECT_EQ(stored->at("z").data, dense(other));
  for (const char* instance :
       {"outer[0].inner[0].", "outer[0].inner[1].", "outer[1].inner[0].", "outer[1].inner[1]."}) {
    EXPECT_EQ(stored->at(std::string(instance) + "first.s").data, dense(small)) << instance;
    EXPECT_EQ(stored->at(std::string(instance) + "second.z").data, dense(other)) << instance;
  }
}

TEST(CompiledValues, ATensorOfAnotherShapeIsRefused) {
  Document document;
  document.program.nodes = {programNode("block", small)};
  document.schedule = {compileStep("block")};
  const Result<ScheduledProgram> scheduled = applySchedule(document, {}, {});
  ASSERT_TRUE(scheduled);
  const Result<FlatGraph> graph = elaborate(scheduled->document, {}, builtInCatalog());
  ASSERT_TRUE(graph);
  ComputeOptions options;
  options.tensors["x"] = {{8, 15}, std::vector<float>(120, 1)};
  const Result<TensorSet> computed = computeCompiled(*graph, document, {}, {}, options);
  ASSERT_FALSE(computed);
  EXPECT_EQ(computed.diagnostics().front().code, "shape-mismatch");
  EXPECT_EQ(computed.diagnostics().front().cause, "it is given as 8 x 15, and the program reads 8 x 16");
}

/// The same tensor for all instances, unless one has its own.
TEST(CompiledValues, AGivenTensorIsShared) {
  Document document;
  document.program.nodes = {region("layer", 2, {programNode("block", other)})};
  document.schedule = {compileStep("layer.block")};
  TensorSet given;
  given["x"].shape = {8, 8};
  given["x"].data.assign(64, 0.5F);
  const Result<TensorSet> stored = computed(document, given);
  ASSERT_TRUE(stored) << text(stored.diagnostics());
  EXPECT_EQ(stored->at("layer[0].z").data, std::vector<float>(64, 1.0F));
  EXPECT_EQ(stored->at("layer[1].z").data, std::vector<float>(64, 1.0F));
}

/// By the bits of the format: the upper half of a float32's, the lower half decides, ties to even.
float brainFloat(float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  bits += 0x7fffU + ((bits >> 16) & 1U);
  return std::bit_cast<float>(bits & 0xffff0000U);
}

FloatTensor fractions(std::size_t rows, std::size_t columns, unsigned seed) {
  FloatTensor made{{rows, columns}, {}};
  for (std::size_t i = 0; i < rows * columns; ++i)
    made.data.push_back(1.0F + static_cast<float>((i * 2654435761U + seed) % 4096) / 4096.0F);
  return made;
}

/// x w^T; exact for these numbers, whatever the order of the sum.
FloatTensor productOf(const FloatTensor& x, const FloatTensor& w) {
  FloatTensor made{{x.shape[0], w.shape[0]}, {}};
  for (std::size_t i = 0; i < x.shape[0]; ++i)
    for (std::size_t j = 0; j < w.shape[0]; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < x.shape[1]; ++k)
        sum += double{x.data[i * x.shape[1] + k]} * double{w.data[j * w.shape[1] + k]};
      made.data.push_back(static_cast<float>(sum));
    }
  return made;
}

FloatTensor inBrainFloat(FloatTensor tensor) {
  for (float& element : tensor.data) element = brainFloat(element);
  return tensor;
}

/// What is read and what every operator gives is rounded; not within a sum.
TEST(CompiledValues, BFloat16RoundsWhatIsStored) {
  Document document;
  document.program.nodes = {programNode("block", R"(program @two {
  %x = input tensor<8x16xf32>
  %w = weight tensor<24x16xf32>
  %v = weight tensor<8x24xf32>
  %y = linear(%x, %w) tensor<8x24xf32>
  %z = linear(%y, %v) tensor<8x8xf32>
  return %z
})")};
  document.schedule = {compileStep("block")};
  const FloatTensor x = fractions(8, 16, 1), w = fractions(24, 16, 2), v = fractions(8, 24, 3);
  const TensorSet given{{"x", x}, {"w", w}, {"v", v}};
  const Result<TensorSet> whole = computed(document, given);
  const Result<TensorSet> brain = computed(document, given, Precision::BFloat16);
  ASSERT_TRUE(whole && brain) << text(brain.diagnostics());
  const FloatTensor y = inBrainFloat(productOf(inBrainFloat(x), inBrainFloat(w)));
  EXPECT_EQ(brain->at("z").data, inBrainFloat(productOf(y, inBrainFloat(v))).data);
  EXPECT_NE(brain->at("z").data, inBrainFloat(whole->at("z")).data);  // rounding the end alone is not enough
}

/// 301 is no bfloat16, but a place is an integer.
TEST(CompiledValues, BFloat16LeavesIntegersAsTheyAre) {
  Document document;
  document.program.nodes = {programNode("block", R"(program @rows {
  %ids = input tensor<1x4xi32>
  %table = weight tensor<400x8xf32>
  %rows = lookup(%ids, %table) tensor<1x4x8xf32>
  return %rows
})")};
  document.schedule = {compileStep("block")};
  const FloatTensor table = fractions(400, 8, 4);
  const std::vector<float> ids{301, 0, 399, 257};
  const Result<TensorSet> brain =
      computed(document, {{"ids", {{1, 4}, ids}}, {"table", table}}, Precision::BFloat16);
  ASSERT_TRUE(brain) << text(brain.diagnostics());
  std::vector<float> expected;
  for (const float id : ids)
    for (std::size_t k = 0; k < 8; ++k)
      expected.push_back(brainFloat(table.data[static_cast<std::size_t>(id) * 8 + k]));
  EXPECT_EQ(brain->at("rows").data, expected);
}

/// One design cannot stand for instances of different sizes.
TEST(CompiledValues, InstancesAreOneProgram) {
  Document document;
  Node block{"block", "TensorProgram", {{"tokens", Value("16 + 16 * layer_number")}}, {}, {}};
  document.program.nodes = {region("layer", 2, {block})};
  document.schedule = {compileStep("layer.block")};
  const Result<std::vector<CompiledProgram>> steps = compiledPrograms(document, {}, {});
  ASSERT_FALSE(steps);
  EXPECT_THAT(text(steps.diagnostics()), testing::HasSubstr("'layer[1].block' is another program"));
}

TEST(CompiledValues, MistakesInTheTextAreTold) {
  Document document;
  document.program.nodes = {programNode("block", "program @p { %x = imput tensor<4xf32> }")};
  document.schedule = {compileStep("block")};
  const Result<std::vector<CompiledProgram>> steps = compiledPrograms(document, {}, {});
  ASSERT_FALSE(steps);
  EXPECT_THAT(text(steps.diagnostics()), testing::HasSubstr("text, line 1: there is no operator 'imput'"));
}

}  // namespace sluice::compiled_values_test

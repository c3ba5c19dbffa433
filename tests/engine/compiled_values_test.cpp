// Tensor programs in replicated regions in functional mode: every instance stores what the dense program
// gives.

#include "engine/schedule/compiled_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
Result<TensorSet> computed(const Document& document, TensorSet given = {}) {
  const Result<std::vector<CompiledProgram>> steps = compiledPrograms(document, {}, {});
  if (!steps) return steps.diagnostics();
  const Result<ScheduledProgram> scheduled = applySchedule(document, {}, {});
  if (!scheduled) return scheduled.diagnostics();
  const Result<FlatGraph> graph = elaborate(scheduled->document, {}, builtInCatalog());
  if (!graph) return graph.diagnostics();
  ComputeOptions options;
  options.tensors = std::move(given);
  const CompiledValues values(*graph, *steps, options.tensors);
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

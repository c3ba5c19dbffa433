// Programs of thousands of kernels: compiling, listing and applying rewrites grow about as the program does,
// and what cannot be is said.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "engine/explorer/evaluate.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/lowering/compile.h"
#include "engine/tensor/programs/tensor_program_text.h"
#include "tests/engine/support/compiled_designs.h"
#include "tests/engine/support/growth.h"
#include "tests/engine/support/tensor_designs.h"

namespace sluice::compile_growth_test {

using testing::HasSubstr;
using testing_support::compiledWith;
using testing_support::growsSlowly;
using testing_support::Rewriting;

/// Matrix products and softmaxes by turns, each reading the one before.
TensorProgram chain(std::size_t kernels) {
  std::string written = "program @chain {\n  %t0 = input tensor<16x64xi8>\n";
  for (std::size_t i = 0; i < kernels; ++i) {
    const std::string in = "%t" + std::to_string(i), out = "%t" + std::to_string(i + 1);
    const std::string weight = "%w" + std::to_string(i);
    if (i % 2 == 0)
      written +=
          "  " + weight + " = weight tensor<64x64xi8>\n  " + out + " = linear(" + in + ", " + weight + ")";
    else
      written += "  " + out + " = softmax(" + in + ")";
    written += " tensor<16x64xi8>\n";
  }
  return *parseTensorProgram(written + "  return %t" + std::to_string(kernels) + "\n}\n", "chain");
}

CompiledDesign compiled(const TensorProgram& program, const std::vector<Rewriting>& rewrites = {}) {
  CompileOptions options;
  options.tiling.overall_unroll_size = 1 << 16;
  Result<CompiledDesign> design = compiledWith(program, options, rewrites);
  EXPECT_TRUE(design) << text(design.diagnostics());
  return *std::move(design);
}

TEST(CompileGrowth, AChainOfKernels) {
  EXPECT_TRUE(growsSlowly(300, [](std::size_t kernels) { compiled(chain(kernels)); }));
}

TEST(CompileGrowth, ManyGroups) {
  const auto apart = [](std::size_t kernels) {
    CompileOptions options;
    options.tiling.overall_unroll_size = 1 << 16;
    options.on_chip_bytes = 1;  // no converter fits
    ASSERT_TRUE(compile(chain(kernels), options));
  };
  EXPECT_TRUE(growsSlowly(300, apart));
}

TEST(CompileGrowth, TheListOfRewrites) {
  const CompiledDesign few = compiled(chain(300)), many = compiled(chain(2400));
  const auto list = [&](std::size_t kernels) {
    for (const DataflowRewrite& rewrite : dataflowRewrites())
      EXPECT_FALSE(offersOf((kernels == 300 ? few : many).rewritable, rewrite).empty());
  };
  EXPECT_TRUE(growsSlowly(300, list));
}

TEST(CompileGrowth, ForksEverywhere) {
  const auto forks = [](std::size_t kernels) {
    std::string written = "program @forked {\n  %t0 = input tensor<16x64xi8>\n";
    for (std::size_t i = 0; i < kernels; ++i) {
      const std::string n = std::to_string(i), type = " tensor<16x64xi8>\n";
      written +=
          "  %w" + n + " = weight tensor<64x64xi8>\n  %a" + n + " = linear(%t" + n + ", %w" + n + ")" + type;
      written += "  %b" + n + " = softmax(%t" + n + ")" + type;
      written += "  %t" + std::to_string(i + 1) + " = add(%a" + n + ", %b" + n + ")" + type;
    }
    written += "  return %t" + std::to_string(kernels) + "\n}\n";
    return compiled(*parseTensorProgram(written, "forked"), {{"insert fork"}}).rewritable;
  };
  const DataflowDesign few = forks(60), many = forks(480);
  EXPECT_TRUE(growsSlowly(60, [&](std::size_t kernels) {
    const auto step = applyEverywhere(kernels == 60 ? few : many, **rewriteNamed("remove fork"));
    ASSERT_TRUE(step) << text(step.diagnostics());
  }));
}

/// What is applied one by one is refused before it takes minutes.
TEST(CompileGrowth, OneByOneHasALimit) {
  const auto step = applyEverywhere(compiled(chain(1000)).rewritable, **rewriteNamed("split group"));
  ASSERT_FALSE(step);
  EXPECT_THAT(text(step.diagnostics()), HasSubstr("takes too long"));
}

TEST(CompileGrowth, RewritesEverywhere) {
  const CompiledDesign few = compiled(chain(300)), many = compiled(chain(2400));
  for (const char* name : {"fold", "vectorise", "widen"}) {
    const auto everywhere = [&](std::size_t kernels) {
      const auto step = applyEverywhere((kernels == 300 ? few : many).rewritable, **rewriteNamed(name));
      ASSERT_TRUE(step) << text(step.diagnostics());
      EXPECT_THAT(step->text, testing::Not(HasSubstr(", 0 times")));
    };
    EXPECT_TRUE(growsSlowly(300, everywhere)) << name;
  }
}

DataflowDesign everywhere(const DataflowDesign& design, const char* name) {
  const Result<RewriteStep> step = applyEverywhere(design, **rewriteNamed(name));
  EXPECT_TRUE(step) << text(step.diagnostics());
  return step->after;
}

/// Everywhere at once is what applying it again and again at the first place gives.
TEST(CompileGrowth, EverywhereIsOneAfterTheOther) {
  std::map<std::string_view, std::size_t> applied;
  for (const TransformerModel& model : publishedModels()) {
    const TensorProgram program =
        testing_support::fusedBlock(testing_support::scaledDown(model), BlockPhase{8, 8});
    const ProgramFusion fusion = *fusionGraph(program, 4);
    SplitMix64 random(5);
    const DataflowDesign design =
        *abstractDesign(program, testing_support::randomPlan(fusion.graph, 3, random), 4);
    const DataflowDesign with_tasks =
        everywhere(everywhere(design, "materialise converter"), "materialise load");
    for (const DataflowDesign& start : {design, with_tasks, everywhere(with_tasks, "insert fork")}) {
      for (const DataflowRewrite& rewrite : dataflowRewrites()) {
        if (!rewrite.change) continue;
        DataflowDesign one_by_one = start;
        std::size_t times = 0;
        for (auto places = applicablePlaces(one_by_one, rewrite); !places.empty();
             places = applicablePlaces(one_by_one, rewrite), ++times)
          one_by_one = applyRewrite(one_by_one, places.front())->after;
        const Result<RewriteStep> at_once = applyEverywhere(start, rewrite);
        ASSERT_TRUE(at_once) << text(at_once.diagnostics());
        EXPECT_TRUE(at_once->after == one_by_one) << rewrite.name;
        EXPECT_THAT(at_once->text, HasSubstr(", " + std::to_string(times) + " times"));
        applied[rewrite.name] += times;
      }
    }
  }
  for (const char* name : {"drop reshape", "share converter", "remove fork", "insert fork", "fold"})
    EXPECT_GT(applied[name], 0u) << name;
}

/// There are as many plans as kernels, and each is found in a time that grows with the kernels.
TEST(CompileGrowth, TheFusionFront) {
  const auto front = [](std::size_t kernels) {
    const ProgramFusion fusion = *fusionGraph(chain(kernels), 16);
    EXPECT_GT(fusionFront(fusion.graph, FusionMemory::DmaBuffers)->size(), 1u);
  };
  EXPECT_TRUE(growsSlowly(100, front, 150));
}

/// Every kernel does one operation at once at least.
TEST(CompileGrowth, AnUnrollSizeBelowTheKernelsIsRefused) {
  CompileOptions options;
  options.tiling.overall_unroll_size = 40;
  const Result<CompiledDesign> design = compile(chain(41), options);
  ASSERT_FALSE(design);
  EXPECT_THAT(text(design.diagnostics()), HasSubstr("40 iterations at once, and every kernel needs one"));
  EXPECT_THAT(text(design.diagnostics()), HasSubstr("give 41 to"));
}

TEST(CompileGrowth, TenThousandKernelsCompileAsImported) {
  const Document document = tensorProgramDocument(chain(10'000));
  const Result<TensorCompilation> compilation = tensorCompilation(document, {}, defaultKnobs(document));
  ASSERT_TRUE(compilation) << text(compilation.diagnostics());
  std::size_t kernels = 0;
  for (const Task& task : compilation->compiled.design.tasks)
    kernels += task.kind == TaskKind::Compute ? 1 : 0;
  EXPECT_EQ(kernels, 10'000u);
  const auto unroll = [](const Document& imported) {
    return std::ranges::find(imported.knobs, "unroll", &Knob::name)->initial;
  };
  EXPECT_EQ(unroll(tensorProgramDocument(chain(10))), 4096);
  EXPECT_GE(unroll(document), 20'000);
}

}  // namespace sluice::compile_growth_test

// A stop request ends compiling, sizing, placing, applying and previewing a schedule with the diagnostic that
// says so: not with a result, and not with a complaint about the program.

#include <gtest/gtest.h>

#include <functional>

#include "engine/core/atomic_file.h"
#include "engine/core/cancelled.h"
#include "engine/explorer/evaluate.h"
#include "engine/explorer/preview.h"
#include "engine/importers/registry.h"
#include "engine/interchange/dot.h"
#include "engine/program/file_format.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/dataflow/rewrites.h"
#include "engine/tensor/fusion/program_fusion.h"
#include "engine/tensor/placement/die_assignment.h"
#include "engine/tensor/placement/platform.h"
#include "engine/tensor/programs/unit_dimensions.h"
#include "tests/engine/support/compiled_designs.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/onnx_writer.h"
#include "tests/engine/support/tensor_designs.h"

namespace sluice::cancel_test {

using namespace testing_support;

class Cancel : public testing::Test {
 protected:
  static std::stop_token stopped() {
    std::stop_source source;
    source.request_stop();
    return source.get_token();
  }

  /// `work` succeeds by itself and is cancelled by a request.
  template <class Work>
  static void expectHeeded(const char* name, const Work& work) {
    const auto done = work(std::stop_token());
    EXPECT_TRUE(done) << name << ": " << (done ? "" : text(done.diagnostics()));
    const auto cancelled = work(stopped());
    ASSERT_FALSE(cancelled) << name;
    EXPECT_TRUE(isCancelled(cancelled.diagnostics())) << name << ": " << text(cancelled.diagnostics());
    EXPECT_EQ(cancelled.diagnostics().size(), 1u) << name;
  }

  static CompileOptions options(const std::stop_token& stop) {
    CompileOptions options = optionsOf(64);
    options.stop = stop;
    return options;
  }

  const TensorProgram block = *blockProgram("gpt2", "decode", 32, "W4A8");
};

TEST_F(Cancel, CompilingAndItsParts) {
  expectHeeded("compile", [&](const std::stop_token& stop) { return compile(block, options(stop)); });
  const CompiledDesign compiled = *compile(block, options({}));
  for (const SizingMethod method : {SizingMethod::PathProgram, SizingMethod::StartTime}) {
    expectHeeded(nameOf(method).data(), [&](const std::stop_token& stop) {
      SizingOptions sizing;
      sizing.stop = stop;
      return sizeDesign(compiled, method, sizing);
    });
  }
  expectHeeded("rewrites", [&](const std::stop_token& stop) {
    return applyEverywhere(compiled.rewritable, **rewriteNamed("fold"), stop);
  });
}

TEST_F(Cancel, Fusion) {
  const TensorProgram small = fusedBlock(scaledDown(gpt2Medium()), promptPhase(4));
  const FusionGraph graph = fusionGraph(small, 16, ConverterOrder::OrderFree)->graph;
  ASSERT_LE(graph.kernels.size(), most_optimal_kernels);
  constexpr std::int64_t capacity = std::int64_t{1} << 40;
  expectHeeded("the optimum", [&](const std::stop_token& stop) {
    return fuseOptimally(graph, capacity, FusionMemory::Converters, stop);
  });
  for (const bool optimal : {false, true})
    expectHeeded("the front", [&](const std::stop_token& stop) {
      return fusionFront(graph, FusionMemory::Converters, optimal, stop);
    });
}

TEST_F(Cancel, Placing) {
  std::vector<DieTask> tasks(6);
  std::vector<DieStream> streams;
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    tasks[task].name = "k" + std::to_string(task);
    tasks[task].resources[Resource::Dsp] = 700;
    if (task > 0) streams.push_back({task - 1, task, 512});
  }
  expectHeeded("placing", [&](const std::stop_token& stop) {
    DieOptions dies;
    dies.stop = stop;
    return assignDies(tasks, streams, *platformNamed("u55c"), dies);
  });
}

TEST_F(Cancel, Schedules) {
  for (const char* sample : {"gpt2_block.sluice", "moe_three_ways.sluice"}) {
    const auto workload =
        sampleWorkload(std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads" / sample);
    const KnobValues knobs = defaultKnobs(workload->document);
    expectHeeded(sample, [&](const std::stop_token& stop) {
      return applySchedule(workload->document, workload->inputs, knobs, stop);
    });
    expectHeeded(sample,
                 [&](const std::stop_token& stop) { return previewSchedule(*workload, knobs, stop); });
    expectHeeded(sample,
                 [&](const std::stop_token& stop) { return evaluateSymbolic(*workload, knobs, {}, stop); });
  }
}

TEST_F(Cancel, Importing) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "cancel_import";
  std::filesystem::create_directories(folder);
  using onnx::Model;
  const std::map<std::string, std::string> files{
      {"graph.dot", writeDot(*loadDocument(std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads" /
                                           "swiglu.sluice"))},
      {"graph.json", R"({"depth":2,"cfg":{},"fb":2,"ops":[
         {"T":"OffChipLoad","id":1,"out":[4,2],"tile_row":2,"tile_col":8,"par":1},
         {"T":"PrinterContext","id":2,"inp":[1,null]}]})"},
      {"block.mlir", text(block)},
      {"graph.xml", *readFile(SLUICE_SOURCE_DIR "/tests/data/sdf3/tiny.xml")},
      {"model.onnx",
       Model().input("x", {8, 8}).node("Softmax", {"x"}, "y").known("y", {8, 8}).output("y").write()}};
  for (const auto& [name, content] : files) {
    ASSERT_TRUE(writeFileAtomically(folder / name, content));
    expectHeeded(name.c_str(),
                 [&](const std::stop_token& stop) { return importFile(folder / name, {.stop = stop}); });
  }
}

/// What was compiled is sized again later, in other ways; the request that ended something else is no matter.
TEST_F(Cancel, ACompilationForgetsItsRequest) {
  const auto workload =
      sampleWorkload(std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads" / "gpt2_block.sluice");
  std::stop_source source;
  const Result<TensorCompilation> compilation = tensorCompilation(
      workload->document, workload->inputs, defaultKnobs(workload->document), source.get_token());
  ASSERT_TRUE(compilation);
  source.request_stop();
  EXPECT_TRUE(
      sizeDesign(compilation->compiled, SizingMethod::StartTime, sizingOptions(compilation->options)));
}

}  // namespace sluice::cancel_test

// HLS projects as their users run them: emitted, compiled with g++, run with the emitted depths. The results
// are those of the interpreter of dataflow designs, to the last bit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "engine/core/atomic_file.h"
#include "engine/interchange/numpy.h"
#include "engine/tensor/dataflow/dataflow_values.h"
#include "engine/tensor/hls/hls_project.h"
#include "engine/tensor/lowering/fifo_simulation.h"
#include "engine/tensor/programs/tensor_program_text.h"
#include "tests/engine/support/compiled_designs.h"

namespace sluice::hls_csim_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_support::compiledWith;
using testing_support::optionsOf;
using testing_support::Rewriting;

const char* const mlp = R"(program @mlp {
  %x = input tensor<8x16xi8>
  %w0 = weight tensor<32x16xi4>
  %gain = weight tensor<32xbf16>
  %bias = weight tensor<32xbf16>
  %w1 = weight tensor<24x32xi4>
  %b1 = weight tensor<24xbf16>
  %w2 = weight tensor<32x24xi4>
  %before = linear(%x, %w0) tensor<8x32xi8>
  %normed = layer_norm(%before, %gain, %bias) tensor<8x32xi8>
  %up = linear(%normed, %w1, %b1) {after = [gelu]} tensor<8x24xi8>
  %down = linear(%up, %w2) {after = [add %before]} tensor<8x32xi8>
  %y = softmax(%down) tensor<8x32xi8>
  return %y
})";

struct Ran {
  int status = -1;
  std::string out;
};

Ran shell(const std::string& command) {
  Ran ran;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) ran.out.append(buffer, count);
  const int status = ::pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
  return ran;
}

class HlsCsim : public testing::Test {
 protected:
  HlsCsim() : folder_(fs::path(testing::TempDir()) / ("hls_" + std::to_string(::getpid()))) {}
  ~HlsCsim() override { fs::remove_all(folder_); }

  std::string at() const { return "cd '" + folder_.string() + "' && "; }

  void emit(const CompiledDesign& compiled) {
    const Result<std::vector<ProjectFile>> files = hlsProject(compiled, {*platformNamed("u55c"), {}});
    ASSERT_TRUE(files) << text(files.diagnostics());
    const Result<Done> written = writeProjectFolder(folder_, *files);
    ASSERT_TRUE(written) << text(written.diagnostics());
  }

  /// Emits, compiles, runs, and compares with the interpreter, whose tiles are another program's.
  void expectSame(const CompiledDesign& compiled) {
    emit(compiled);
    const Ran ran = shell(at() + "make -s -j2 csim CXXFLAGS=-O0");
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("all bits as expected"));
    const Result<std::vector<FloatTensor>> expected = designResults(compiled.design);
    ASSERT_TRUE(expected) << text(expected.diagnostics());
    std::size_t found = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / "out")) {
      if (entry.path().extension() != ".npy") continue;
      const Result<TensorSet> stored = loadTensors(entry.path());
      ASSERT_TRUE(stored) << text(stored.diagnostics());
      for (const FloatTensor& result : *expected) found += result == stored->begin()->second ? 1 : 0;
    }
    EXPECT_EQ(found, expected->size()) << ran.out;
  }

  fs::path folder_;
};

TensorProgram programOf(const std::string& text) {
  return *parseTensorProgram(text, "test");
}

/// The fewest slots of a stream with which the simulator runs the design to its end.
std::int64_t leastDepth(const CompiledDesign& compiled, const CompileOptions& options, std::size_t stream) {
  const Result<DepthProblem> problem = depthProblem(compiled, options);
  EXPECT_TRUE(problem) << text(problem.diagnostics());
  std::vector<std::int64_t> depths;
  for (const DataflowStream& each : compiled.design.streams)
    depths.push_back(each.depth.value_or(folded_tiles));
  depths[stream] = 1;
  while (simulateFifos(*problem, depths).deadlock) ++depths[stream];
  return depths[stream];
}

/// The residual waits beside a converter that takes a row of tiles before it gives anything.
TEST_F(HlsCsim, AnMlpAndItsTightStream) {
  const CompileOptions options = optionsOf(4);
  const Result<CompiledDesign> compiled = compile(programOf(mlp), options);
  ASSERT_TRUE(compiled) << text(compiled.diagnostics());
  expectSame(*compiled);
  const Result<HlsPlan> plan = hlsPlan(*compiled);
  ASSERT_TRUE(plan);
  std::size_t tight = 0;
  while (plan->streams[tight].name != "before_to_down") ++tight;
  const std::int64_t least = leastDepth(*compiled, options, tight);
  ASSERT_GT(least, 4);
  const auto runWith = [&](std::int64_t tokens) {
    return shell(
        at() + "./build/csim --depth before_to_down=" + std::to_string(tokens * plan->streams[tight].beats));
  };
  EXPECT_EQ(runWith(least).status, 0) << "the fewest slots of the simulator suffice";
  // A process holds the token that it cannot write, which is a slot more than the simulator counts.
  const Ran locked = runWith(least - 2);
  EXPECT_EQ(locked.status, 3) << locked.out;
  EXPECT_THAT(locked.out, HasSubstr("a write to before_to_down, which is full"));
  EXPECT_THAT(shell(at() + "./build/csim --peaks").out, HasSubstr("before_to_down: "));
  const Ran unknown = shell(at() + "./build/csim --depth nothing=2");
  EXPECT_EQ(unknown.status, 2) << unknown.out;
  EXPECT_THAT(unknown.out, HasSubstr("no stream is called nothing"));
}

TransformerModel tinyGpt2() {
  TransformerModel model = gpt2Medium();
  model.hidden = 8, model.feed_forward = 16, model.heads = 2, model.head_size = 4, model.kv_heads = 2;
  return model;
}

/// Attention, vectors, forks, widened words.
TEST_F(HlsCsim, ABlockOfGpt2Rewritten) {
  CompileOptions options = optionsOf(4);
  options.vectors = StreamVectors::Unroll;
  const Result<CompiledDesign> compiled = compiledWith(
      *transformerBlock(tinyGpt2(), promptPhase(8), *quantisationNamed("W4A8")), options, {{"insert fork"}});
  ASSERT_TRUE(compiled) << text(compiled.diagnostics());
  expectSame(*compiled);
}

/// What a name holds must not reach C++, make or the shell.
TEST_F(HlsCsim, HostileNames) {
  TensorProgram program = programOf(mlp);
  const std::string hostile = "x\"); system(\"touch hacked\"); /*\n#error $(shell touch hacked) \\";
  program.name = hostile;
  for (TensorValue& tensor : program.tensors) tensor.name = hostile + tensor.name;
  for (TensorOperator& op : program.operators) op.name = "float";
  program.operators[0].name = "main", program.operators[1].name = hostile;
  program.operators[2].name = std::string(300, '9'), program.operators[3].name = "\xff\xfe";
  const Result<CompiledDesign> compiled = compile(program, optionsOf(8));
  ASSERT_TRUE(compiled) << text(compiled.diagnostics());
  expectSame(*compiled);
  EXPECT_FALSE(fs::exists(folder_ / "hacked"));
}

TEST_F(HlsCsim, WhatHasNoKernelIsRefused) {
  const TensorProgram program = programOf(R"(program @p {
  %x = input tensor<1x2x4x4xf32>
  %y = max_pool(%x) {window = [2, 2], strides = [2, 2], padding = [0, 0], dilations = [1, 1]} tensor<1x2x2x2xf32>
  return %y
})");
  const Result<CompiledDesign> compiled = compile(program, optionsOf(4));
  ASSERT_TRUE(compiled) << text(compiled.diagnostics());
  const auto files = hlsProject(*compiled, {*platformNamed("u55c"), {}});
  ASSERT_FALSE(files);
  EXPECT_EQ(files.diagnostics()[0].code, "unsupported-operator");
  EXPECT_THAT(text(files.diagnostics()), HasSubstr("'max pool' has no HLS"));
}

TEST_F(HlsCsim, FoldersAreWrittenWholeOrNotAtAll) {
  const std::vector<ProjectFile> files = {{"a/b.txt", "one"}, {"c.txt", "two"}};
  ASSERT_TRUE(writeProjectFolder(folder_, files));
  ASSERT_TRUE(writeProjectFolder(folder_, {{"d.txt", "three"}})) << "its own folder is replaced";
  EXPECT_FALSE(fs::exists(folder_ / "c.txt"));
  EXPECT_FALSE(writeProjectFolder(folder_, {{"d.txt", "four"}, {"d.txt/e.txt", "five"}}));
  EXPECT_EQ(*readFile(folder_ / "d.txt"), "three") << "as it was before";
  fs::remove(folder_ / ".sluice-project");
  const Result<Done> other = writeProjectFolder(folder_, files);
  ASSERT_FALSE(other);
  EXPECT_THAT(text(other.diagnostics()), HasSubstr("not empty"));
  std::size_t left = 0;
  for (const auto& entry : fs::directory_iterator(folder_.parent_path()))
    left += entry.path().filename().string().starts_with("." + folder_.filename().string()) ? 1 : 0;
  EXPECT_EQ(left, 0u) << "temporary folders";
}

}  // namespace sluice::hls_csim_test

// HLS projects as their users run them: emitted, compiled with g++, run with the emitted depths. The results
// are those of the interpreter of dataflow designs, to the last bit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>

#include "engine/core/atomic_file.h"
#include "engine/interchange/numpy.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_tiles.h"
#include "engine/tensor/dataflow/dataflow_values.h"
#include "engine/tensor/hls/hls_project.h"
#include "engine/tensor/hls/memory_channels.h"
#include "engine/tensor/hls/number_format.h"
#include "engine/tensor/lowering/fifo_simulation.h"
#include "engine/tensor/programs/quantised_program.h"
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

  void emit(const CompiledDesign& compiled, bool narrow = false) {
    const Result<std::vector<ProjectFile>> files = hlsProject(compiled, {*platformNamed("u55c"), {}, narrow});
    ASSERT_TRUE(files) << text(files.diagnostics());
    const auto written = writeProjectFolder(folder_, *files, "emit hls", ChangedFiles::Replace);
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

  /// Every FIFO that must hold more than two tokens for the simulator's run to end: the project's
  /// run ends with as many slots, too, and deadlocks with one less. How many FIFOs there are.
  std::size_t expectTight(const CompiledDesign& compiled, const CompileOptions& options,
                          const std::string& binary);

  /// All of variants() in float32, or all others.
  void runVariants(bool narrow);

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

std::size_t HlsCsim::expectTight(const CompiledDesign& compiled, const CompileOptions& options,
                                 const std::string& binary) {
  const Result<HlsPlan> plan = hlsPlan(compiled);
  EXPECT_TRUE(plan) << text(plan.diagnostics());
  std::size_t tight = 0;
  for (std::size_t i = 0; plan && i < plan->streams.size(); ++i) {
    const DataflowStream& stream = compiled.design.streams[i];
    if (stream.depth.value_or(0) <= 2) continue;
    const std::int64_t least = leastDepth(compiled, options, i);
    if (least <= 2) continue;
    ++tight;
    const HlsStream& fifo = plan->streams[i];
    const auto exit_with = [&](std::int64_t slots) {
      return shell(at() + binary + " --depth " + fifo.name + "=" + std::to_string(slots)).status;
    };
    EXPECT_EQ(exit_with(least * fifo.beats), 0) << fifo.name << " of " << least << " tokens";
    EXPECT_EQ(exit_with(least * fifo.beats - 1), 3)
        << fifo.name << " of a slot less than " << least << " tokens";
  }
  return tight;
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
  const auto runWith = [&](std::int64_t slots) {
    return shell(at() + "./build/csim --depth before_to_down=" + std::to_string(slots));
  };
  const std::int64_t slots = least * plan->streams[tight].beats;
  EXPECT_EQ(runWith(slots).status, 0) << "the fewest slots of the simulator suffice";
  const Ran locked = runWith(slots - 1);
  EXPECT_EQ(locked.status, 3) << locked.out;
  EXPECT_THAT(locked.out, HasSubstr("a write to before_to_down, which is full"));
  EXPECT_THAT(shell(at() + "./build/csim --peaks").out, HasSubstr("before_to_down: "));
  const Ran unknown = shell(at() + "./build/csim --depth nothing=2");
  EXPECT_EQ(unknown.status, 2) << unknown.out;
  EXPECT_THAT(unknown.out, HasSubstr("no stream is called nothing"));
  EXPECT_THAT(unknown.out, testing::Not(HasSubstr("values"))) << "before anything runs";
}

/// The same of blocks, of every FIFO that must hold more than two tokens for the simulator's run to end.
TEST_F(HlsCsim, BlocksLockUpWithOneSlotLess) {
  for (const char* const name : {"gpt2", "qwen", "llama", "gemma"}) {
    SCOPED_TRACE(name);
    TransformerModel model = *modelNamed(name);
    model.hidden = 16, model.feed_forward = 32, model.heads = 2, model.head_size = 8, model.kv_heads = 2;
    const CompileOptions options = optionsOf(4);
    const Result<CompiledDesign> compiled =
        compile(*transformerBlock(model, promptPhase(4), *quantisationNamed("FP32")), options);
    ASSERT_TRUE(compiled) << text(compiled.diagnostics());
    emit(*compiled);
    const Ran ran = shell(at() + "make -s csim CXXFLAGS=-O0");
    EXPECT_THAT(ran.out, HasSubstr("all bits as expected"));
    EXPECT_GE(expectTight(*compiled, options, "./build/csim"), 1u);
  }
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

/// A choice of how a program is compiled and written.
struct Variant {
  const char* name;
  const char* quantisation = "FP32";  ///< others are written with the numbers of their scalars
  std::vector<Rewriting> rewrites = {};
  std::function<void(CompileOptions&)> choose = {};
  const char* model = "";  ///< a block of it; none: the perceptron above
};

TransformerModel tinyModel(const std::string& name) {
  TransformerModel model = *modelNamed(name);
  model.hidden = 8, model.feed_forward = 16, model.heads = 2, model.head_size = 4, model.kv_heads = 2;
  return model;
}

const std::vector<Variant>& variants() {
  using O = CompileOptions;
  static const std::vector<Variant> all = {
      {"as it is"},
      {"forks", "FP32", {{"insert fork"}}},
      {"folded", "FP32", {{"fold"}}},
      {"forks, then folded", "FP32", {{"insert fork"}, {"fold"}}},
      {"packed and widened", "FP32", {{"unpack"}, {"widen"}}},
      {"vectors", "FP32", {{"vectorise"}}},
      {"loads in turn", "FP32", {{"interleave load"}}},
      {"larger tiles", "FP32", {}, [](O& o) { o.tiling.default_tile_size = 8; }},
      {"row-major memory", "FP32", {}, [](O& o) { o.packed = false; }},
      {"local memory",
       "FP32",
       {},
       [](O& o) { o.memory = FusionMemory::LocalMemory, o.on_chip_bytes = 2000; }},
      {"DMA, optimal fusion",
       "FP32",
       {},
       [](O& o) {
         o.memory = FusionMemory::DmaBuffers, o.on_chip_bytes = 4000, o.fusion = FusionSearch::Optimal;
       }},
      {"W8A8", "W8A8"},
      {"W4A8", "W4A8"},
      {"W4A8, folded, forks", "W4A8", {{"insert fork"}, {"fold"}}},
      {"W4A8, widened", "W4A8", {{"unpack"}, {"widen"}}},
      {"BF16", "BF16"},
      {"FP16", "FP16"},
      {"mixed", "mixed"},
      {"gpt2, W8A8", "W8A8", {}, {}, "gpt2"},
      {"gpt2, BF16", "BF16", {}, {}, "gpt2"},
      {"qwen, W4A8", "W4A8", {}, {}, "qwen"},
      {"llama, W4A16", "W4A16", {}, {}, "llama"},
      {"gemma", "FP32", {}, {}, "gemma"},
      {"vectors of a bus", "FP32", {}, [](O& o) { o.vectors = StreamVectors::Bus; }},
      {"vectors of a bus, W4A8", "W4A8", {}, [](O& o) { o.vectors = StreamVectors::Bus; }},
      {"vectors as unrolled, larger tiles",
       "FP32",
       {},
       [](O& o) {
         o.vectors = StreamVectors::Unroll, o.tiling.default_tile_size = 8;
         o.tiling.overall_unroll_size = 64;  // the FIFO that is tight is not the deepest of its producer
       }},
      {"gpt2, vectors as unrolled, forks",
       "FP32",
       {{"insert fork"}},
       [](O& o) { o.vectors = StreamVectors::Unroll; },
       "gpt2"},
      {"qwen, vectors of a bus", "BF16", {}, [](O& o) { o.vectors = StreamVectors::Bus; }, "qwen"},
  };
  return all;
}

/// Each variant as one file, beside headers that are compiled once for all.
void HlsCsim::runVariants(bool narrow) {
  const std::string headers =
      (folder_.parent_path() / ("hls_headers_" + std::to_string(::getpid()))).string();
  fs::create_directories(headers);
  ASSERT_TRUE(writeFileAtomically(
      headers + "/all.h",
      "#include <algorithm>\n#include <cmath>\n#include <condition_variable>\n#include <deque>\n"
      "#include <fstream>\n#include <functional>\n#include <map>\n#include <mutex>\n#include "
      "<string>\n#include <thread>\n#include <vector>\n"));
  const std::string compiler =
      "g++ -std=c++17 -O0 -pthread -ffp-contract=off -Wall -Wextra -Werror -Wno-unknown-pragmas ";
  ASSERT_EQ(shell(compiler + "-x c++-header '" + headers + "/all.h'").status, 0);
  std::size_t locked_up = 0;
  for (const Variant& variant : variants()) {
    if (narrow != (std::string_view(variant.quantisation) != "FP32")) continue;
    SCOPED_TRACE(variant.name);
    CompileOptions options = optionsOf(4);
    if (variant.choose) variant.choose(options);
    const bool block = *variant.model != '\0';
    const Result<TensorProgram> program = block ? transformerBlock(tinyModel(variant.model), promptPhase(4),
                                                                   *quantisationNamed(variant.quantisation))
                                                : withQuantisation(programOf(mlp), variant.quantisation);
    ASSERT_TRUE(program) << text(program.diagnostics());
    const Result<CompiledDesign> compiled = compiledWith(*program, options, variant.rewrites);
    ASSERT_TRUE(compiled) << text(compiled.diagnostics());
    emit(*compiled, narrow);
    const Ran ran = shell(at() + "cat src/*.cpp bench/testbench.cpp > all.cpp && " + compiler + "-include '" +
                          headers + "/all.h' -Icsim -Isrc -Ibench all.cpp -o csim_all && ./csim_all");
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("all bits as expected"));
    EXPECT_THAT(ran.out, testing::Not(HasSubstr("differ")));
    locked_up += expectTight(*compiled, options, "./csim_all") > 0 ? 1 : 0;
  }
  EXPECT_GE(locked_up, narrow ? 7u : 6u) << "variants with a FIFO that is tight";
  fs::remove_all(headers);
}

TEST_F(HlsCsim, VariantsInFloat32) {
  EXPECT_GE(variants().size(), 20u);
  runVariants(false);
}
TEST_F(HlsCsim, VariantsInTheScalarsOfTheProgram) {
  runVariants(true);
}

/// Integers by hand: what the project is compared with is what the numbers mean.
TEST(HlsNumbers, AreTheScalarsOfTheProgram) {
  const TensorProgram program = programOf(R"(program @p {
  %x = input tensor<1x3xi8>
  %w = weight tensor<2x3xi4>
  %b = weight tensor<2xbf16>
  %y = linear(%x, %w, %b) tensor<1x2xi8>
  return %y
})");
  const Result<NarrowValues> narrow =
      narrowValues(program, {{"x", {{1, 3}, {12.7f, -6.36f, 0.2f}}},
                             {"w", {{2, 3}, {0.7f, 0.31f, -0.7f, 7, -0.7f, 0.04f}}},
                             {"b", {{2}, {1.0009765625f, -1.005859375f}}}});
  ASSERT_TRUE(narrow) << text(narrow.diagnostics());
  EXPECT_FLOAT_EQ(narrow->formats[0].scale, 0.1f);
  EXPECT_FLOAT_EQ(narrow->formats[1].scale, 1.0f);
  EXPECT_THAT(narrow->values[0].data, testing::Pointwise(testing::FloatEq(), {12.7f, -6.4f, 0.2f}));
  EXPECT_THAT(narrow->values[1].data, testing::ElementsAre(1, 0, -1, 7, -1, 0));
  EXPECT_THAT(narrow->values[2].data, testing::ElementsAre(1.0f, -1.0078125f));
  // 127 - 2 = 125 and 889 + 64 = 953 tenths and the biases, in steps of the larger over 127.
  const float step = (953 * 0.1f - 1.0078125f) / 127;
  EXPECT_THAT(narrow->values[3].data,
              testing::Pointwise(testing::FloatNear(1e-4f), {std::round(13.5f / step) * step, 127 * step}));
  const NumberFormat half{NumberFormat::Kind::Float16, 16};
  EXPECT_EQ(half.rounded(65519.0f), 65504.0f);
  EXPECT_EQ(half.rounded(65520.0f), INFINITY);
  EXPECT_EQ(half.rounded(2.98023223876953125e-08f), 0.0f) << "half of the smallest: to the even one";
  EXPECT_EQ(half.rounded(1.0f + 0x1p-11f), 1.0f);
  EXPECT_EQ(half.rounded(1.0f + 3 * 0x1p-11f), 1.0f + 0x1p-9f);
}

/// No more than the vendor's headers promise: buffers take a depth, locks convert to the block, streams are
/// not bounded.
const std::vector<ProjectFile> interface_of_the_vendor = {{"hls_stream.h", R"(#pragma once
#include <queue>
namespace hls {
template <class T, int DEPTH = 0> class stream;
template <class T> class stream<T, 0> {
 public:
  explicit stream(const char*) {}
  T read() { T value = slots_.front(); slots_.pop(); return value; }
  void write(const T& value) { slots_.push(value); }
 private:
  std::queue<T> slots_;
};
template <class T, int DEPTH> class stream : public stream<T, 0> {
 public:
  explicit stream(const char* name) : stream<T, 0>(name) {}
};
})"},
                                                          {"hls_vector.h", R"(#pragma once
#include <array>
namespace hls {
template <class T, std::size_t N> class vector {
 public:
  T& operator[](std::size_t at) { return values_[at]; }
  const T& operator[](std::size_t at) const { return values_[at]; }
 private:
  std::array<T, N> values_;
};
})"},
                                                          {"hls_streamofblocks.h", R"(#pragma once
#include <deque>
namespace hls {
template <class T, int DEPTH = 2> class stream_of_blocks {
 public:
  explicit stream_of_blocks(int = 2, char* = nullptr) {}
  struct Block { T elements; };
  std::deque<Block> blocks;
};
template <class T> class write_lock {
 public:
  explicit write_lock(stream_of_blocks<T>& blocks) : block_((blocks.blocks.emplace_back(), blocks.blocks.back())) {}
  operator T&() { return block_.elements; }
 private:
  typename stream_of_blocks<T>::Block& block_;
};
template <class T> class read_lock {
 public:
  explicit read_lock(stream_of_blocks<T>& blocks) : blocks_(blocks) {}
  ~read_lock() { blocks_.blocks.pop_front(); }
  operator T&() { return blocks_.blocks.front().elements; }
 private:
  stream_of_blocks<T>& blocks_;
};
})"}};

/// The host program against the runtime of C simulation: several groups, whose tensors lie in banks; numbers
/// of 32, 16, 8 and 4 bits, packed as the kernels read them.
TEST_F(HlsCsim, TheHostProgramRunsTheKernels) {
  CompileOptions in_turn = optionsOf(4);
  in_turn.memory = FusionMemory::LocalMemory, in_turn.on_chip_bytes = 2000;
  for (const char* const numbers : {"FP32", "W4A8", "mixed"}) {
    SCOPED_TRACE(numbers);
    const bool narrow = std::string_view(numbers) != "FP32";
    const Result<CompiledDesign> compiled =
        compile(*withQuantisation(programOf(mlp), numbers), narrow ? optionsOf(4) : in_turn);
    ASSERT_TRUE(compiled) << text(compiled.diagnostics());
    emit(*compiled, narrow);
    const Ran ran = shell(at() + "make -s -j2 host_csim CXXFLAGS='-O0 -Werror'");
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("all bits as expected"));
    EXPECT_THAT(ran.out, HasSubstr("group_0: 1 runs, "));
    const Ran again = shell(at() + "./build/host_csim any.xclbin --runs 3");
    EXPECT_EQ(again.status, 0) << again.out;
    EXPECT_THAT(again.out, HasSubstr("group_0: 3 runs, "));
    if (narrow) continue;
    EXPECT_THAT(ran.out, HasSubstr("group_1: 1 runs, "));
    for (const auto& [options, why] :
         std::vector<std::pair<std::string, std::string>>{{"", "name the file"},
                                                          {"any --runs 0", "0 is no number from 1 on"},
                                                          {"any --device 1", "no such device"},
                                                          {"any other", "options: XCLBIN"}}) {
      const Ran refused = shell(at() + "./build/host_csim " + options);
      EXPECT_EQ(refused.status, 2) << options;
      EXPECT_THAT(refused.out, HasSubstr(why));
    }
    // A buffer in another bank, and an input that never gets to the card.
    shell(at() + "sed -i 's/group_0.bank(0)/group_0.bank(0) + 1/' host/host.cpp");
    const Ran elsewhere = shell(at() + "make -s host_csim CXXFLAGS=-O0");
    EXPECT_THAT(elsewhere.out, HasSubstr("is joined to bank")) << elsewhere.out;
    shell(
        at() +
        "sed -i 's/group_0.bank(0) + 1/group_0.bank(0)/; 0,/toCard/s/[a-z0-9_]*.toCard();//' host/host.cpp");
    EXPECT_EQ(shell(at() + "make -s host_csim CXXFLAGS=-O0; ./build/host_csim any").status, 1);
  }
}

/// An array of as many values in another shape is another array: test bench and host program say so.
TEST_F(HlsCsim, AnInputOfAnotherShapeIsRefused) {
  const Result<CompiledDesign> compiled = compile(programOf(mlp), optionsOf(4));
  ASSERT_TRUE(compiled) << text(compiled.diagnostics());
  emit(*compiled);
  ASSERT_EQ(shell(at() + "make -s -j2 build/csim build/host_csim CXXFLAGS=-O0").status, 0);
  EXPECT_EQ(shell(at() + "LC_ALL=C sed -i 's/(8, 16/(16, 8/' data/x.npy && ./build/csim").status, 2);
  for (const char* const program : {"./build/csim", "./build/host_csim any"}) {
    const Ran refused = shell(at() + program);
    EXPECT_EQ(refused.status, 2) << refused.out;
    EXPECT_THAT(refused.out,
                HasSubstr("data/x.npy has the shape (16, 8); the design was emitted for (8, 16)"));
  }
  EXPECT_EQ(shell(at() + "LC_ALL=C sed -i 's/(16, 8/(8, 16/' data/x.npy && ./build/csim").status, 0);
}

/// Where the vendor's runtime is installed, the same program is compiled and linked with it.
TEST_F(HlsCsim, TheHostProgramCompilesWithTheVendorsRuntime) {
  if (!fs::exists("/usr/include/xrt/xrt/xrt_bo.h")) GTEST_SKIP() << "XRT is not installed (libxrt-dev)";
  const Result<CompiledDesign> compiled = compile(*withQuantisation(programOf(mlp), "W4A8"), optionsOf(4));
  ASSERT_TRUE(compiled) << text(compiled.diagnostics());
  emit(*compiled, true);
  const Ran ran = shell(at() + "make -s host CXXFLAGS=-O0 && ./build/host none.xclbin");
  EXPECT_EQ(ran.status, 2) << "there is no card: " << ran.out;
}

/// Of tensors that no channel holds alone some lie in several; where there is no room, the tensor is named.
TEST(HlsMemory, LiesInChannels) {
  const Result<CompiledDesign> compiled = compile(programOf(mlp), optionsOf(4));
  ASSERT_TRUE(compiled) << text(compiled.diagnostics());
  const Result<HlsPlan> plan = hlsPlan(*compiled);
  ASSERT_TRUE(plan);
  Platform platform = *platformNamed("u55c");
  const auto of = [&](const char* name) -> std::string {
    const auto tensor = std::ranges::find(compiled->design.program.tensors, name, &TensorValue::name);
    return channelText(
        (*memoryChannels(
            *plan, platform))[static_cast<std::size_t>(tensor - compiled->design.program.tensors.begin())],
        platform.memory);
  };
  EXPECT_THAT(of("x"), testing::MatchesRegex("HBM.[0-9]+."));
  platform.memory.channels = 16, platform.memory.gigabytes = 32e-6;  // 2000 bytes each
  EXPECT_THAT(of("w1"), testing::MatchesRegex("HBM.[0-9]+:[0-9]+."));
  platform.memory.kind = "DDR4";
  const auto refused = memoryChannels(*plan, platform);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diagnostics()[0].code, "does-not-fit");
  platform.memory.channels = 2, platform.memory.gigabytes = 1;
  EXPECT_THAT(of("w1"), testing::MatchesRegex("DDR.[01]."));
}

TEST_F(HlsCsim, CompilesAgainstOtherHeaders) {
  const Result<CompiledDesign> compiled = compile(programOf(mlp), optionsOf(4));
  ASSERT_TRUE(compiled) << text(compiled.diagnostics());
  emit(*compiled);
  for (const ProjectFile& header : interface_of_the_vendor)
    ASSERT_TRUE(writeFileAtomically(folder_ / header.path, header.bytes));
  const Ran ran = shell(at() + "make -s -j2 csim CXXFLAGS=-O0 VENDOR_HEADERS=.");
  HlsOptions options{*platformNamed("u55c"), {}};
  options.vendor_headers = folder_.string();
  const auto files = hlsProject(*compiled, options);
  ASSERT_TRUE(files) << text(files.diagnostics());
  const auto makefile = std::ranges::find(*files, "Makefile", &ProjectFile::path);
  EXPECT_THAT(makefile->bytes, HasSubstr("VENDOR_HEADERS ?= " + folder_.string() + "\n"));
  options.narrow = true;
  EXPECT_EQ(hlsProject(*compiled, options).diagnostics()[0].code, "file-not-found") << "there is no ap_int.h";
  const fs::path hostile = folder_ / "$(touch hacked)";
  fs::create_directories(hostile);
  for (const ProjectFile& header : interface_of_the_vendor)
    ASSERT_TRUE(writeFileAtomically(hostile / header.path, header.bytes));
  options.narrow = false, options.vendor_headers = hostile.string();
  EXPECT_EQ(hlsProject(*compiled, options).diagnostics()[0].code, "invalid-name");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("all bits as expected"));
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

/// A residual block with a strided shortcut, channels in tiles that are summed over, then pools.
const char* const residual = R"(program @residual {
  %x = input tensor<1x8x6x6xf32>
  %w0 = weight tensor<8x8x3x3xf32>
  %b0 = weight tensor<8xf32>
  %w1 = weight tensor<8x8x3x3xf32>
  %ws = weight tensor<8x8x1x1xf32>
  %a = conv(%x, %w0, %b0) {strides = [2, 2], padding = [1, 1], dilations = [1, 1], after = [relu]} tensor<1x8x3x3xf32>
  %s = conv(%x, %ws) {strides = [2, 2], padding = [0, 0], dilations = [1, 1]} tensor<1x8x3x3xf32>
  %c = conv(%a, %w1) {strides = [1, 1], padding = [2, 2], dilations = [2, 2], after = [add %s, relu]} tensor<1x8x3x3xf32>
  %m = max_pool(%c) {window = [3, 3], strides = [1, 1], padding = [1, 1], dilations = [1, 1]} tensor<1x8x3x3xf32>
  return %m
})";
/// Depthwise and pointwise, two images, a window that is wider than high.
const char* const mobile = R"(program @mobile {
  %x = input tensor<2x8x5x6xf32>
  %wd = weight tensor<8x1x3x5xf32>
  %bd = weight tensor<8xf32>
  %wp = weight tensor<12x8x1x1xf32>
  %d = depthwise_conv(%x, %wd, %bd) {strides = [1, 2], padding = [1, 2], dilations = [1, 1], after = [relu]} tensor<2x8x5x3xf32>
  %p = conv(%d, %wp) {strides = [1, 1], padding = [0, 0], dilations = [1, 1], before = [sigmoid]} tensor<2x12x5x3xf32>
  %y = average_pool(%p) {window = [2, 3], strides = [2, 1], padding = [1, 1], dilations = [1, 1]} tensor<2x12x3x3xf32>
  return %y
})";

TEST_F(HlsCsim, ConvolutionsAndPools) {
  for (const char* const written : {residual, mobile}) {
    const Result<CompiledDesign> compiled = compile(programOf(written), optionsOf(4));
    ASSERT_TRUE(compiled) << text(compiled.diagnostics());
    EXPECT_TRUE(std::ranges::any_of(compiled->design.tasks, [](const Task& task) {
      return task.kind == TaskKind::Compute &&
             tokenCount(task.inputs[0].type) > tokenCount(task.outputs[0].type);
    })) << "channels are summed over tiles";
    expectSame(*compiled);
  }
}

TEST_F(HlsCsim, FoldersAreWrittenWholeOrNotAtAll) {
  const std::vector<ProjectFile> files = {{"a/b.txt", "one"}, {"c.txt", "two"}};
  ASSERT_TRUE(writeProjectFolder(folder_, files, "emit hls"));
  ASSERT_TRUE(writeProjectFolder(folder_, {{"d.txt", "three"}}, "emit hls")) << "its own folder is replaced";
  EXPECT_FALSE(fs::exists(folder_ / "c.txt"));
  EXPECT_FALSE(writeProjectFolder(folder_, {{"d.txt", "four"}, {"d.txt/e.txt", "five"}}, "emit hls"));
  EXPECT_EQ(*readFile(folder_ / "d.txt"), "three") << "as it was before";
  fs::remove(folder_ / ".sluice-project");
  const auto other = writeProjectFolder(folder_, files, "emit hls");
  ASSERT_FALSE(other);
  EXPECT_THAT(text(other.diagnostics()), HasSubstr("not empty"));
  std::size_t left = 0;
  for (const auto& entry : fs::directory_iterator(folder_.parent_path()))
    left += entry.path().filename().string().starts_with("." + folder_.filename().string()) ? 1 : 0;
  EXPECT_EQ(left, 0u) << "temporary folders";
}

}  // namespace sluice::hls_csim_test

// RTL at the functional level: what a test bench computes, in numbers of 32 and 16 bits, is what the
// simulator computes. Skipped where Verilator is not installed.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>

#include "engine/core/atomic_file.h"
#include "engine/explorer/evaluate.h"
#include "engine/operators/simulate.h"
#include "engine/rtl/rtl_project.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::rtl_values_test {

namespace fs = std::filesystem;

struct Small {
  std::shared_ptr<const Workload> workload;
  SymbolicResult symbolic;
  const InputSet& inputs() const {
    return symbolic.scheduled ? symbolic.scheduled->inputs : workload->inputs;
  }
};

/// The sample with other sizes, so small that a test bench soon has computed it.
Small small(const std::string& name, const std::map<std::string, std::int64_t>& constants,
            const KnobValues& knobs) {
  const fs::path file = fs::path(SLUICE_SOURCE_DIR) / "sample_workloads" / (name + ".sluice");
  Result<Document> document = loadDocument(file);
  EXPECT_TRUE(document) << text(document.diagnostics());
  for (const auto& [constant, value] : constants) document->constants.at(constant) = Value(value);
  Small made{testing_support::workloadOf(*std::move(document), file.parent_path()), {}};
  KnobValues all = defaultKnobs(made.workload->document);
  for (const auto& [knob, value] : knobs) all[knob] = value;
  Result<SymbolicResult> symbolic = evaluateSymbolic(*made.workload, all);
  EXPECT_TRUE(symbolic) << text(symbolic.diagnostics());
  made.symbolic = *std::move(symbolic);
  return made;
}

Result<std::vector<ProjectFile>> functionalProject(const Small& program, Precision precision) {
  ComputeOptions options;
  options.precision = precision;
  SLUICE_TRY(const ComputedTensors computed,
             computedTensors(program.symbolic.graph, program.inputs(), options));
  const SimulationResult run = simulate(program.symbolic.graph, program.inputs());
  return rtlProject({program.symbolic.graph, program.symbolic.inference, program.inputs(), &run, &computed});
}

const std::map<std::string, std::int64_t> few{{"B", 16}, {"D", 16}, {"F", 32}};

/// In a folder that goes with it.
class Folder : public testing_support::TemporaryFolder {
 public:
  int make(const std::string& target) const {
    return std::system(
        ("cd '" + path().string() + "' && make -s " + target + " JOBS=1 OPTIMISATION=-O0 1>&2").c_str());
  }
};

TEST(RtlValues, StoresHaveTheElementsOfTheSimulator) {
  if (std::system("verilator --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "verilator is not installed";
  const Small program = small("swiglu", few, {{"tile_m", std::int64_t{16}}, {"tile_n", std::int64_t{16}}});
  const Result<std::vector<ProjectFile>> files = functionalProject(program, Precision::BFloat16);
  ASSERT_TRUE(files) << text(files.diagnostics());
  const Folder folder;
  ASSERT_TRUE(writeProjectFolder(folder.path(), *files, "emit rtl"));
  EXPECT_EQ(folder.make("check"), 0);
  EXPECT_EQ(folder.make("sim"), 0);
  const std::string said = *readFile(folder.path() / "out/result.txt");
  EXPECT_NE(said.find("0 of 256 differ"), std::string::npos) << said;

  // Another element in the file of a load: the test bench must tell.
  fs::path weights;
  for (const auto& entry : fs::directory_iterator(folder.path() / "data"))
    if (entry.path().filename().string().starts_with("down_load")) weights = entry.path();
  ASSERT_FALSE(weights.empty());
  std::string lines = *readFile(weights);
  lines.replace(0, 8, "40000000");
  ASSERT_TRUE(writeFileAtomically(weights, lines));
  ASSERT_EQ(std::system(("rm '" + (folder.path() / "out/result.txt").string() + "'").c_str()), 0);
  EXPECT_NE(folder.make("check"), 0);
  EXPECT_NE(folder.make("sim"), 0) << "other values are stored";
  EXPECT_NE(readFile(folder.path() / "out/result.txt")->find("other values"), std::string::npos);
}

/// Compares the package's results with those of the file's lines: a, b, sum, product, quotient, a in 16 bits.
constexpr const char* arithmetic_bench = R"(module testbench;
  import sluice_float32::*;
  logic [31:0] a, b, sum, product, quotient, half;
  integer file, count = 0, wrong = 0;
  function automatic logic same(input logic [31:0] x, input logic [31:0] y);
    return x == y || (is_nan(x) && is_nan(y));
  endfunction
  initial begin
    file = $fopen("cases.txt", "r");
    while ($fscanf(file, "%h %h %h %h %h %h\n", a, b, sum, product, quotient, half) == 6) begin
      count += 1;
      if (!same(add(a, b), sum)) begin wrong += 1; $display("%h + %h = %h, not %h", a, b, sum, add(a, b)); end
      if (!same(multiply(a, b), product)) begin wrong += 1; $display("%h * %h = %h, not %h", a, b, product, multiply(a, b)); end
      if (!same(divide(a, b), quotient)) begin wrong += 1; $display("%h / %h = %h, not %h", a, b, quotient, divide(a, b)); end
      if (!same(to_bfloat16(a), half)) begin wrong += 1; $display("%h in 16 bits is %h, not %h", a, half, to_bfloat16(a)); end
    end
    $display("%0d cases, %0d wrong", count, wrong);
    $finish;
  end
endmodule
)";

/// Pairs of which many nearly cancel, are subnormal, infinite or no numbers, and what the processor makes of
/// them.
std::string arithmeticCases(int count) {
  constexpr std::array<std::uint32_t, 10> special{0,          0x80000000, 1,          0x7f800000, 0xff800000,
                                                  0x7fc00000, 0x007fffff, 0x00800000, 0x7f7fffff, 0x3f800000};
  const TileArithmetic half(Precision::BFloat16, 0);
  std::mt19937 random(1);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    auto a = static_cast<std::uint32_t>(random()), b = static_cast<std::uint32_t>(random());
    if (i % 5 == 1) b = (a & 0xff800000) | (b & 0x807fffff);  // of the same magnitude
    if (i % 5 == 2) b = (a ^ 0x80000000) + random() % 4;      // nearly the opposite
    if (i % 5 == 3) a &= 0x80ffffff;                          // small or subnormal
    if (i % 5 == 4) a = special[random() % special.size()];
    const auto x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
    const auto bits = [](float number) { return std::bit_cast<std::uint32_t>(number); };
    char line[64];
    std::snprintf(line, sizeof line, "%08x %08x %08x %08x %08x %08x\n", a, b, bits(x + y), bits(x * y),
                  bits(x / y), bits(half.rounded(x)));
    lines += line;
  }
  return lines;
}

TEST(RtlValues, ArithmeticRoundsAsTheProcessorDoes) {
  if (std::system("verilator --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "verilator is not installed";
  const std::vector<RtlModule> modules = rtlModules();
  const auto package = std::ranges::find(modules, "sluice_float32", &RtlModule::file);
  ASSERT_NE(package, modules.end());
  const Folder folder;
  fs::create_directories(folder.path());
  ASSERT_TRUE(writeFileAtomically(folder.path() / "package.sv", package->text));
  ASSERT_TRUE(writeFileAtomically(folder.path() / "testbench.sv", arithmetic_bench));
  ASSERT_TRUE(writeFileAtomically(folder.path() / "cases.txt", arithmeticCases(20000)));
  const std::string build =
      "verilator --binary --timing -Wno-fatal -Wno-lint -CFLAGS -O0 -MAKEFLAGS VM_PARALLEL_BUILDS=0 --Mdir "
      "out --top-module testbench "
      "package.sv testbench.sv";
  ASSERT_EQ(std::system(("cd '" + folder.path().string() + "' && " + build +
                         " > build.log 2>&1 && out/Vtestbench > said.txt")
                            .c_str()),
            0);
  const std::string said = *readFile(folder.path() / "said.txt");
  EXPECT_NE(said.find("20000 cases, 0 wrong"), std::string::npos) << said.substr(0, 2000);
}

TEST(RtlValues, TilesThatAreTooLargeAreRefused) {
  const Small program = small("swiglu", {}, {{"tile_m", std::int64_t{64}}, {"tile_n", std::int64_t{256}}});
  const Result<std::vector<ProjectFile>> files = functionalProject(program, Precision::Float32);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.diagnostics()[0].code, "too-many");
}

TEST(RtlValues, WhatHasTimingOnlyIsNamed) {
  const Result<std::vector<ProjectFile>> files =
      functionalProject(small("wavefront", {}, {}), Precision::Float32);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.diagnostics()[0].code, "unsupported-operator");
}

}  // namespace sluice::rtl_values_test

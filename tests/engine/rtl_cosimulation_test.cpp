// Emitted RTL beside the simulator: many programs in one test bench, which Verilator compiles and runs once. Skipped where
// Verilator is not installed. `./dev rtl` runs all samples and 200 random graphs and prints a table (SLUICE_RTL_TABLE).

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "engine/core/atomic_file.h"
#include "engine/explorer/evaluate.h"
#include "engine/operators/registry.h"
#include "engine/operators/simulate.h"
#include "engine/rtl/rtl_project.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/random_graphs.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string name;
  FlatGraph graph;
  Inference inference;
  InputSet inputs;
  SimulationResult run;
};

/// What a test bench printed of each program: lines without the program's name, sorted.
using Printed = std::map<std::string, std::vector<std::string>>;

Printed readPrinted(const fs::path& file) {
  Printed printed;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t run = line.find("testbench.top");
    if (run == std::string::npos) continue;
    const std::size_t end = line.find("_run", run);
    const std::string program = line.substr(run + 10, end - run - 10);
    const std::size_t word = line.find(' ');
    std::string rest = line.substr(end + 4);
    if (line.starts_with("fault")) rest.clear();  // in its own words
    printed[program].push_back(line.substr(0, word) + rest);
  }
  for (auto& [program, lines] : printed) std::ranges::sort(lines);
  return printed;
}

bool hasVerilator() {
  return std::system("verilator --version >/dev/null 2>&1") == 0;
}

/// Emits, compiles and runs them; printed[0] is what the simulator says, printed[1] what RTL does.
std::array<Printed, 2> cosimulate(const std::vector<Case>& cases, const std::string& optimisation) {
  static int number = 0;
  const fs::path folder = fs::path(testing::TempDir()) / ("rtl_" + std::to_string(::getpid()) + "_" + std::to_string(number++));
  std::vector<RtlProgram> programs;
  for (const Case& one : cases) programs.push_back({one.graph, one.inference, one.inputs, &one.run});
  const Result<std::vector<ProjectFile>> files = rtlProject(programs);
  EXPECT_TRUE(files) << text(files.diagnostics());
  if (!files) return {};
  const Result<Done> written = writeProjectFolder(folder, *files);
  EXPECT_TRUE(written) << text(written.diagnostics());
  const std::string make = "cd '" + folder.string() + "' && make -s out/result.txt JOBS=2 OPTIMISATION=" + optimisation + " 1>&2";
  EXPECT_EQ(std::system(make.c_str()), 0);
  std::array<Printed, 2> both{readPrinted(folder / "expected.txt"), readPrinted(folder / "out/result.txt")};
  if (std::getenv("SLUICE_RTL_KEEP") == nullptr) fs::remove_all(folder);
  return both;
}

std::string programOf(std::size_t index, std::size_t count) {
  return count == 1 ? "top" : "top" + std::to_string(index);
}

std::optional<Case> made(std::string name, FlatGraph graph, InputSet inputs) {
  Result<Inference> inference = infer(graph, inputs);
  if (!inference) return {};
  SimulationResult run = simulate(graph, inputs);
  if (run.fault) return {};
  Case one{std::move(name), std::move(graph), *std::move(inference), std::move(inputs), std::move(run)};
  if (!rtlPlan({one.graph, one.inference, one.inputs, &one.run})) return {};
  return one;
}

Case sample(const std::string& name, const KnobValues& values = {}) {
  const auto workload = testing_support::sampleWorkload(fs::path(SLUICE_SOURCE_DIR) / "sample_workloads" / (name + ".sluice"));
  KnobValues knobs = defaultKnobs(workload->document);
  for (const auto& [knob, value] : values) knobs[knob] = value;
  const Result<SymbolicResult> symbolic = evaluateSymbolic(*workload, knobs);
  EXPECT_TRUE(symbolic) << name << text(symbolic.diagnostics());
  const InputSet inputs = symbolic->scheduled ? symbolic->scheduled->inputs : workload->inputs;
  std::optional<Case> one = made(name, symbolic->graph, inputs);
  EXPECT_TRUE(one) << name;
  return *std::move(one);
}

/// Random graphs that have RTL, from this seed on.
std::vector<Case> randomCases(std::uint64_t first, std::size_t count, RandomGraph (*random)(std::uint64_t)) {
  std::vector<Case> cases;
  for (std::uint64_t seed = first; cases.size() < count; ++seed) {
    RandomGraph graph = random(seed);
    if (std::optional<Case> one = made("random graph " + std::to_string(seed), std::move(graph.graph), std::move(graph.inputs)))
      cases.push_back(*std::move(one));
  }
  return cases;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(RtlCosimulation, RandomGraphs) {
  if (!hasVerilator()) GTEST_SKIP() << "verilator is not installed";
  const char* count = std::getenv("SLUICE_RTL_GRAPHS");
  const std::vector<Case> cases = randomCases(1, count != nullptr ? std::stoul(count) : 12, randomGraph);
  const auto [expected, actual] = cosimulate(cases, "-O0");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string program = programOf(i, cases.size());
    const auto found = actual.find(program);
    ASSERT_NE(found, actual.end()) << cases[i].name;
    EXPECT_EQ(joined(found->second), joined(expected.at(program))) << cases[i].name << " " << program;
  }
}

}  // namespace
}  // namespace sluice

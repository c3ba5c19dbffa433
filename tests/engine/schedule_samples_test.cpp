// sluice-cli schedule on every sample and on programs of other tools: it tells what the steps change, and the
// program that it writes runs as the file does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/explorer/preview.h"
#include "engine/program/file_format.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/programs/tensor_program_text.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/protobuf_bytes.h"
#include "tests/engine/support/step_fixture_writer.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::schedule_samples_test {

namespace fs = std::filesystem;
using testing_support::bytes;
using testing_support::number;
using testing_support::Outcome;
using testing_support::packed;
using testing_support::runCommandLine;

class ScheduleSamples : public testing_support::FolderTest {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string written(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  /// What another tool wrote, as a .sluice file.
  std::string imported(const std::string& name, const std::string& content) const {
    const Outcome outcome =
        runCommandLine("import " + written(name, content) + " -o " + path(name + ".sluice"), true);
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    return path(name + ".sluice");
  }

  /// `steps`: of its schedule.
  void expectScheduled(const std::string& file, std::size_t steps) const {
    const Outcome told = runCommandLine("schedule '" + file + "' --json");
    ASSERT_EQ(told.status, 0) << file << told.out;
    EXPECT_EQ(told.object()["steps"].size(), steps) << file;
    const std::string after = path("after.sluice");
    const Outcome stored = runCommandLine("schedule '" + file + "' -o " + after, true);
    ASSERT_EQ(stored.status, 0) << file << stored.out;
    EXPECT_EQ(runCommandLine("check " + after).status, runCommandLine("check '" + file + "'").status) << file;
    const Outcome plain = runCommandLine("schedule " + after);
    EXPECT_NE(plain.out.find("no schedule"), std::string::npos) << file;
    const Outcome run = runCommandLine("simulate '" + file + "' --json"),
                  again = runCommandLine("simulate " + after + " --json");
    EXPECT_EQ(again.status, run.status) << file;
    // Under a set of traces there are statistics.
    const char* const told_of = run.object().contains("traces") ? "metrics" : "cycles";
    EXPECT_TRUE(run.object().contains(told_of)) << file << run.out;
    EXPECT_EQ(again.object()[told_of], run.object()[told_of]) << file;
  }
};

TEST_F(ScheduleSamples, EverySample) {
  std::size_t samples = 0, compiled = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(SLUICE_SOURCE_DIR "/sample_workloads")) {
    if (entry.path().extension() != ".sluice") continue;
    const Result<Document> document = loadDocument(entry.path());
    ASSERT_TRUE(document) << text(document.diagnostics());
    std::size_t steps = 0;
    for (const ScheduleStep& step : document->schedule) steps += step.enabled ? 1 : 0;
    expectScheduled(entry.path().string(), steps);
    compiled += compilesTensors(*document) ? 1 : 0;
    ++samples;
  }
  EXPECT_GE(samples, 11u);
  EXPECT_GE(compiled, 1u);
}

/// Each step begins with the cycles that the one before it ends with; the last ends with those of the
/// program.
TEST_F(ScheduleSamples, CyclesOfEveryStep) {
  const std::string file = SLUICE_SOURCE_DIR "/sample_workloads/moe_three_ways.sluice";
  const Outcome told = runCommandLine("schedule '" + file + "' --cycles --json");
  ASSERT_EQ(told.status, 0) << told.out;
  const nlohmann::json steps = told.object()["steps"];
  ASSERT_GE(steps.size(), 2u);
  for (std::size_t i = 1; i < steps.size(); ++i)
    EXPECT_EQ(steps[i]["before"]["cycles"], steps[i - 1]["after"]["cycles"]) << steps[i]["step"];
  EXPECT_NE(steps.front()["before"]["cycles"], steps.back()["after"]["cycles"]);
  EXPECT_EQ(steps.back()["after"]["cycles"],
            runCommandLine("simulate '" + file + "' --json").object()["cycles"]);
  EXPECT_THAT(runCommandLine("schedule '" + file + "' --cycles").out,
              testing::HasSubstr("cycles, simulated"));
}

TEST_F(ScheduleSamples, TensorProgramsInWriting) {
  expectScheduled(imported("two.mlir", R"(program @two {
    %x = input tensor<16x64xi8>
    %w = weight tensor<64x64xi8>
    %y = linear(%x, %w) tensor<16x64xi8>
    %z = softmax(%y) tensor<16x64xi8>
    return %z
  })"),
                  1);
}

TEST_F(ScheduleSamples, OnnxModels) {
  const auto declared = [](const std::string& name) {
    const std::string shape = bytes(1, number(1, 16)) + bytes(1, number(1, 64));
    return bytes(1, name) + bytes(2, bytes(1, number(1, 1) + bytes(2, shape)));
  };
  const auto node = [](const char* op, const std::vector<std::string>& in, const std::string& out) {
    std::string content;
    for (const std::string& value : in) content += bytes(1, value);
    return bytes(1, content + bytes(2, out) + bytes(3, out) + bytes(4, op));
  };
  const std::vector<std::int64_t> shape = {64, 64};
  const std::string graph =
      bytes(11, declared("x")) + node("MatMul", {"x", "w"}, "y") + node("Softmax", {"y"}, "z") +
      bytes(5, packed(1, shape) + number(2, 1) + bytes(8, "w") + bytes(9, std::string(64, 'w'))) +
      bytes(12, bytes(1, "z"));
  expectScheduled(imported("m.onnx", number(1, 8) + bytes(2, "a test") + bytes(7, bytes(2, "m") + graph) +
                                         bytes(8, number(2, 17))),
                  1);
}

TEST_F(ScheduleSamples, StepGraphs) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    expectScheduled(imported("graph.json", stepFixture(randomReferenceGraph(seed), seed)), 0);
}

/// A program between two steps may be one that only a later step finishes.
TEST(SchedulePreview, OneOfTwoTensorPrograms) {
  const auto program = [](const std::string& name) {
    return Node{
        name,
        "TensorProgram",
        {{"text", Value("program @" + name +
                        " { %x = input tensor<16x64xi8> %y = softmax(%x) tensor<16x64xi8> return %y }")}},
        {},
        {}};
  };
  const auto compiling = [](const std::string& name) {
    return ScheduleStep{"compile_tensors", {{"program", Value(name)}}, true};
  };
  Document document;
  document.program.nodes = {program("a"), program("b")};
  const Workload both{document, {}};
  const Result<StepPreview> first = previewStep(both, {}, compiling("a"));
  ASSERT_TRUE(first) << text(first.diagnostics());
  EXPECT_FALSE(first->after.on_chip_bytes) << "the other one is not compiled yet";
  EXPECT_FALSE(previewSchedule(both, {})) << "nothing compiles them";

  document.schedule = {compiling("a"), compiling("b")};
  const Result<std::vector<StepPreview>> steps = previewSchedule(Workload{document, {}}, {});
  ASSERT_TRUE(steps) << text(steps.diagnostics());
  ASSERT_EQ(steps->size(), 2u);
  EXPECT_FALSE((*steps)[0].before.on_chip_bytes);
  EXPECT_FALSE((*steps)[1].before.on_chip_bytes);
  EXPECT_TRUE((*steps)[1].after.on_chip_bytes);
  EXPECT_FALSE((*steps)[1].shapes.empty());

  document.schedule.pop_back();
  EXPECT_FALSE(previewSchedule(Workload{document, {}}, {})) << "one is never compiled";
}

}  // namespace sluice::schedule_samples_test

// Programs as graphs of STeP's simulator (emit step). What is written is read again by the importer, which
// has an oracle of its own (step_protobuf_test.cpp) and knows by which rules the simulator gives channels
// their depths; the program that comes back has to run as the first one, stream by stream.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/core/atomic_file.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::step_emitter_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::runCommandLine;
using testing_support::sample;

/// Commands in a folder that goes with the test.
class StepEmitter : public testing_support::FolderTest {
 protected:
  Outcome run(const std::string& arguments) const {
    return runCommandLine(arguments, true, folder_.string());
  }
  json jsonOf(const std::string& arguments) const {
    return runCommandLine(arguments + " --json", false, folder_.string()).object();
  }
  json fileOf(const std::string& name) const { return json::parse(*readFile(folder_ / name)); }

  /// Emits and reads again; both runs must agree.
  void comesBack(const std::string& program) {
    fs::remove_all(folder_ / "project");
    const Outcome emitted = run("emit step " + program + " -o project");
    ASSERT_EQ(emitted.status, 0) << emitted.out;
    const Outcome read = run("import project/graph.pb -o again.sluice");
    ASSERT_EQ(read.status, 0) << read.out;
    const json first = jsonOf("simulate " + program + " --count"),
               again = jsonOf("simulate again.sluice --count");
    EXPECT_EQ(again["cycles"], first["cycles"]);
    EXPECT_EQ(again["flops"], first["flops"]);
    EXPECT_EQ(again["off_chip_bytes"], first["off_chip_bytes"]);
    EXPECT_EQ(again["token_hops"], first["token_hops"]);
    EXPECT_EQ(again["deadlock"].is_null(), first["deadlock"].is_null());
    EXPECT_EQ(fileOf("project/expected.json")["cycles"], first["cycles"]);
    EXPECT_EQ(fileOf("project/expected.json")["deadlock"], !first["deadlock"].is_null());
  }
};

TEST_F(StepEmitter, PublishedGraphsComeBack) {
  for (const char* name : {"attention_b16_1456_coarse", "attention_b64_0484_static", "attention_b64_0996_dyn",
                           "mixtral_b64_static64", "mixtral_b64_dynamic", "qwen_b64_revet64",
                           "qwen_b64_timemux_dyn_r32", "qwen_b64_timemux_static_r8"}) {
    SCOPED_TRACE(name);
    const std::string graph = SLUICE_BINARY_DIR "/published_graphs/" + std::string(name) + ".json";
    ASSERT_EQ(run("import '" + graph + "' -o published.sluice").status, 0);
    comesBack("published.sluice");
  }
}

/// Schedules, routing traces, several depths, knobs, a deadlock.
TEST_F(StepEmitter, SamplesComeBack) {
  for (const char* program : {"swiglu", "simple_moe", "attention_qwen", "moe_mixtral", "softmax_depths"}) {
    SCOPED_TRACE(program);
    comesBack(sample(program));
  }
  comesBack(sample("simple_moe") + " --set token_tile=8");
  comesBack(sample("softmax_depths") + " --set depth=8");  // of one of two outputs of a Broadcast
  comesBack(sample("deadlock_fork_join") + " --set depth=8");
  // Tiles whose rows only the run tells take another product in the simulator.
  ASSERT_EQ(run("workload parallel_moe --size B=8 --size D=64 --size F=128 -o experts.sluice").status, 0);
  comesBack("experts.sluice --set copies=2 --set tiling=dynamic");
  EXPECT_THAT(*readFile(folder_ / "again.sluice"), HasSubstr("dynamic_matmul"));
}

TEST_F(StepEmitter, SettingsAreTheMachines) {
  ASSERT_EQ(run("emit step " + sample("swiglu") + " --no-run -o project").status, 0);
  const json memory = fileOf("project/hbm_config.json"), settings = fileOf("project/sim_config.json");
  EXPECT_EQ(memory["channel_num"], 8);
  EXPECT_EQ(settings["channel_depth"], 1);
  EXPECT_EQ(settings["mock_bf16"], false);
  EXPECT_EQ(settings["on_chip_bandwidth"], 256);
  EXPECT_FALSE(fs::exists(folder_ / "project/expected.json"));
  EXPECT_TRUE(fs::exists(folder_ / "project/run.py"));
  EXPECT_EQ(fileOf("project/point.json")["form"], "step");
}

TEST_F(StepEmitter, SaysWhereTheSimulatorWillGiveOtherCycles) {
  EXPECT_THAT(run("emit step " + sample("swiglu") + " -o project").out,
              HasSubstr("machine, on_chip_bandwidth"));
  const Outcome deadlock = run("emit step " + sample("softmax_depths") + " -o project");
  EXPECT_EQ(deadlock.status, 0);
  EXPECT_THAT(deadlock.out, HasSubstr("it deadlocks"));
}

TEST_F(StepEmitter, WhatTheSimulatorDoesNotHaveIsNamed) {
  const auto refusal = [&](const std::string& program) {
    const Outcome refused = run("emit step " + program + " -o refused");
    EXPECT_EQ(refused.status, 1) << program;
    EXPECT_FALSE(fs::exists(folder_ / "refused"));
    return refused.out;
  };
  EXPECT_THAT(refusal(sample("wavefront")),
              HasSubstr("operator 'border': STeP's simulator has no operator like 'Scan'"));
  const std::string block = refusal(sample("gpt2_block"));
  EXPECT_THAT(block, HasSubstr("machine, reference_mode"));
  EXPECT_THAT(block, HasSubstr("STeP's simulator has no operator like 'Kernel'"));
  EXPECT_THAT(refusal(sample("decoder_layer_mixtral")), HasSubstr("STeP's simulator has no 'split_tile'"));
}

/// Two outputs of a Partition, which have one depth in the simulator.
TEST_F(StepEmitter, DepthsThatNoSettingGivesAreNamed) {
  const auto store = [](int i) {
    return json{{"name", "store" + std::to_string(i)},
                {"kind", "LinearOffChipStore"},
                {"parameters", {{"tile", {16, 16}}}}};
  };
  const auto stream = [](const char* from, const std::string& to, int depth) {
    return json{{"from", from}, {"to", to}, {"depth", depth}};
  };
  const json program = {{"nodes",
                         {{{"name", "load"},
                           {"kind", "LinearOffChipLoad"},
                           {"parameters", {{"tile", {16, 16}}, {"out_shape", {4}}}}},
                          {{"name", "route"}, {"kind", "SelectGen"}, {"parameters", {{"input", "rows"}}}},
                          {{"name", "split"}, {"kind", "Partition"}, {"parameters", {{"ways", 2}}}},
                          store(0),
                          store(1)}},
                        {"streams",
                         {stream("load.out", "split.in", 2), stream("route.out", "split.control", 2),
                          stream("split.out[0]", "store0.in", 2), stream("split.out[1]", "store1.in", 3)}}};
  const json document = {
      {"sluice", 1},
      {"program", program},
      {"inputs",
       {{{"name", "rows"}, {"kind", "Tensor"}, {"shape", {4, 2}}, {"data", {1, 0, 0, 1, 1, 0, 0, 1}}}}}};
  std::ofstream(folder_ / "split.sluice") << document.dump(1);
  const Outcome refused = run("emit step split.sluice -o refused");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.out, HasSubstr("split.out[1] -> store1.in"));
  EXPECT_THAT(refused.out, HasSubstr("all outputs of an operator have one depth"));
}

/// A simulator of another age has other names, and may lack operators.
TEST_F(StepEmitter, IsWrittenByTheSchemaThatIsGiven) {
  const std::string own = *readFile(SLUICE_SOURCE_DIR "/resources/schemas/step_perf_ir.proto");
  const auto schema = [&](const std::string& from, const std::string& to) {
    std::string text = own;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    fs::create_directories(folder_ / "proto");
    std::ofstream(folder_ / "proto/graph.proto") << text.replace(at, from.size(), to);
  };
  const std::string emit = "emit step " + sample("swiglu") + " --no-run --schema proto -o ";
  schema("linear_off_chip_load = 12", "off_chip_load = 99");
  ASSERT_EQ(run(emit + "older").status, 0);
  EXPECT_EQ(run("import older/graph.pb --schema proto -o older.sluice").status, 0);
  EXPECT_NE(run("import older/graph.pb -o newer.sluice").status, 0) << "the number is the schema's own";

  schema("    Broadcast broadcast = 15;", "");
  const Outcome without = run(emit + "without");
  EXPECT_EQ(without.status, 1);
  EXPECT_THAT(
      without.out,
      HasSubstr("error: proto: operator 'x_load.out.broadcast': the schema has no operator Broadcast"));
  schema("  uint32 num_consumers = 3;", "");
  EXPECT_THAT(run(emit + "without").out,
              HasSubstr("error: proto: the schema has no field num_consumers of Broadcast"));
  schema("message ProgramGraph", "message Other");
  EXPECT_THAT(run(emit + "without").out, HasSubstr("error: proto: the schema has no message ProgramGraph"));
  schema("message ProgramGraph {", "message ProgramGraph");
  for (const std::string& command :
       {emit + "without", std::string("import older/graph.pb --schema proto -o o.sluice")})
    EXPECT_THAT(run(command).out, HasSubstr("error: proto/graph.proto, line "));
  // What the library has to say goes into diagnostics, not past them.
  schema("syntax = \"proto3\";", "");
  EXPECT_THAT(run(emit + "without").out, testing::StartsWith("error: proto/graph.proto, line "));
}

}  // namespace sluice::step_emitter_test

// The authors' settings of a run, as files: read, refused with a place, and taken over by an import - also
// where they lie beside the graph.

#include "engine/interchange/step_settings.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/importers/registry.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::step_settings_test {

using testing_support::runCommandLine;

const std::filesystem::path graphs = std::filesystem::path(SLUICE_BINARY_DIR) / "reference_runs";

const std::string hbm =
    R"({"addr_offset": 32, "channel_num": 8, "per_channel_latency": 3, "per_channel_init_interval": 4,
        "per_channel_outstanding": 1, "per_channel_start_up_time": 15})";

TEST(StepSettings, AreReadByTheirOwnNames) {
  const Result<HbmConfig> memory = parseHbmConfig(hbm, "hbm.json");
  ASSERT_TRUE(memory) << text(memory.diagnostics());
  EXPECT_EQ(*memory, (HbmConfig{32, 8, 3, 4, 15}));
  const Result<SimConfig> sim = parseSimConfig(
      R"({"channel_depth": null, "config_dict": {"17": 16, "0": null}, "mock_bf16": false,
          "functional_sim": true, "on_chip_bandwidth": 256, "buffer_depths": {"3": 4}})",
      "sim.json");
  ASSERT_TRUE(sim) << text(sim.diagnostics());
  EXPECT_EQ(*sim, (SimConfig{1024, {{17, 16}, {0, 1024}}, false, true, 256, {{3, 4}}}));
  EXPECT_EQ(*parseSimConfig("{}", "sim.json"), SimConfig());
  EXPECT_EQ(*parseSimConfig(R"({"config_dict": null})", "sim.json"), SimConfig());  // as the front end has it
}

TEST(StepSettings, WhatIsWrongIsNamedWithItsPlace) {
  const auto sim = [](const std::string& json) {
    const Result<SimConfig> read = parseSimConfig(json, "sim.json");
    return read ? "accepted" : text(read.diagnostics());
  };
  const auto memory = [](const std::string& json) {
    const Result<HbmConfig> read = parseHbmConfig(json, "hbm.json");
    return read ? "accepted" : text(read.diagnostics());
  };
  const std::vector<std::pair<std::string, std::string>> wrong{
      {sim("{\n\"chanel_depth\": 2}"), "sim.json, line 2"},
      {sim(R"({"channel_depth": 0})"), "$.channel_depth: expected a whole number from 1"},
      {sim(R"({"channel_depth": 1e99})"), "$.channel_depth"},
      {sim(R"({"mock_bf16": 1})"), "$.mock_bf16: expected true or false"},
      {sim(R"({"config_dict": [16]})"), "$.config_dict: expected an object of operator ids"},
      {sim(R"({"config_dict": {"Broadcast_4": 16}})"), "\"Broadcast_4\" is no operator's id"},
      {sim(R"({"config_dict": {"-4": 16}})"), "\"-4\" is no operator's id"},
      {sim(R"({"buffer_depths": {"4": null}})"), "expected a whole number from 1"},
      {sim("[1]"), "expected"},
      {sim("nothing"), "sim.json"},
      {memory("{}"), "addr_offset"},
      {memory(
           R"({"addr_offset": 64, "channel_num": 0, "per_channel_latency": 2, "per_channel_init_interval": 2,
                  "per_channel_start_up_time": 14})"),
       "$.channel_num: expected a whole number from 1"},
      {memory(R"({"channels": 8})"), "channels"}};
  for (const auto& [found, part] : wrong) {
    EXPECT_NE(found.find(part), std::string::npos) << found;
    EXPECT_NE(found, "accepted");
  }
}

class StepSettingsFiles : public testing_support::FolderTest {
 protected:
  void SetUp() override {
    std::filesystem::copy_file(graphs / "fuzz_116/graph.pb", folder_ / "graph.pb");
    for (const auto& entry : std::filesystem::directory_iterator(graphs / "fuzz_116")) {
      if (entry.path().extension() == ".npy")
        std::filesystem::copy_file(entry.path(), folder_ / entry.path().filename());
    }
  }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
};

TEST_F(StepSettingsFiles, BecomeTheMachineOfTheDocument) {
  ImportOptions options;
  options.hbm_config = write("memory.json", hbm);
  options.sim_config = write("run.json", R"({"channel_depth": 3, "on_chip_bandwidth": 128})");
  const Result<Imported> given = importFile(folder_ / "graph.pb", options);
  ASSERT_TRUE(given) << text(given.diagnostics());
  const Machine& machine = given->document.machine;
  EXPECT_EQ(machine.hbm_request_bytes, Value(std::int64_t{32}));
  EXPECT_EQ(machine.hbm_channels, Value(std::int64_t{8}));
  EXPECT_EQ(machine.hbm_latency, Value(std::int64_t{3}));
  EXPECT_EQ(machine.hbm_initiation_interval, Value(std::int64_t{4}));
  EXPECT_EQ(machine.hbm_start_up, Value(std::int64_t{15}));
  EXPECT_EQ(machine.on_chip_bandwidth, Value(std::int64_t{128}));
  EXPECT_EQ(machine.fifo_depth, Value(std::int64_t{3}));
  EXPECT_TRUE(given->report.empty()) << text(given->report);
  // A depth that nobody gave is said.
  const Result<Imported> open = importFile(folder_ / "graph.pb");
  ASSERT_TRUE(open) << text(open.diagnostics());
  EXPECT_EQ(open->document.machine.fifo_depth, Value(std::int64_t{1024}));
  EXPECT_NE(text(open->report).find("--fifo-depth"), std::string::npos) << text(open->report);
  // Beside the graph they are found, and it is said.
  std::filesystem::rename(folder_ / "memory.json", folder_ / "hbm_config.json");
  std::filesystem::rename(folder_ / "run.json", folder_ / "sim_config.json");
  const Result<Imported> found = importFile(folder_ / "graph.pb");
  ASSERT_TRUE(found) << text(found.diagnostics());
  EXPECT_EQ(found->document, given->document);
  EXPECT_NE(text(found->report).find("hbm_config.json"), std::string::npos);
  EXPECT_NE(text(found->report).find("sim_config.json"), std::string::npos);
  write("sim_config.json", "{");
  const Result<Imported> broken = importFile(folder_ / "graph.pb");
  ASSERT_FALSE(broken);
  EXPECT_NE(text(broken.diagnostics()).find("sim_config.json"), std::string::npos);
}

TEST_F(StepSettingsFiles, OnTheCommandLine) {
  const std::string import = "import " + (folder_ / "graph.pb").string() + " -o " +
                             (folder_ / "out.sluice").string() + " --hbm-config " + write("m.json", hbm) +
                             " --sim-config " + write("s.json", R"({"channel_depth": 3})");
  const auto told = runCommandLine(import + " --json");
  ASSERT_EQ(told.status, 0) << told.out;
  const auto shallow = runCommandLine("simulate " + (folder_ / "out.sluice").string() + " --json");
  EXPECT_EQ(shallow.object().at("streams").at(0).at("depth"), 3);
  EXPECT_EQ(runCommandLine(import + " --fifo-depth 7").status, 0);  // comes before the file
  const auto deep = runCommandLine("simulate " + (folder_ / "out.sluice").string() + " --json");
  EXPECT_EQ(deep.object().at("streams").at(0).at("depth"), 7);
  write("s.json", R"({"channel_depth": "two"})");
  const auto refused = runCommandLine(import, true);
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.out.find("$.channel_depth"), std::string::npos) << refused.out;
  write("s.json", R"({"mock_bf16": false})");
  const auto contradicted = runCommandLine(import, true);
  EXPECT_EQ(contradicted.status, 1);
  EXPECT_NE(contradicted.out.find("mock_bf16"), std::string::npos) << contradicted.out;
  const std::string dot = write("g.dot", "digraph { a -> b }");
  const auto foreign = runCommandLine("import " + dot + " -o " + (folder_ / "o.sluice").string() +
                                          " --hbm-config " + (folder_ / "m.json").string(),
                                      true);
  EXPECT_EQ(foreign.status, 2);
  EXPECT_NE(foreign.out.find("graphs in its protobuf form"), std::string::npos) << foreign.out;
}

}  // namespace sluice::step_settings_test

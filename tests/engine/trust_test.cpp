// Why cycles may be believed: what a document says of it survives the file, and ends with a change.

#include "engine/program/trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/program/file_format.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/documents.h"

namespace sluice::trust_test {

using namespace testing_support;

TEST(Trust, HoldsOfTheDocumentThatWasConfirmed) {
  Document document = chainDocument(2, 4, 0);
  EXPECT_EQ(trustOf(document).trust, Trust::Model);
  EXPECT_EQ(text(trustOf(document)), "model only");
  document.provenance = Provenance{Trust::Calibrated, "runs.csv", "compute 5", coveredContent(document)};
  const Result<Document> read = parseDocument(writeDocument(document), "again");
  ASSERT_TRUE(read) << text(read.diagnostics());
  EXPECT_EQ(*read, document);
  EXPECT_EQ(text(trustOf(*read)), "calibrated on measurements (runs.csv)");
  Document moved = document;
  moved.knobs[0].initial = 9, moved.title = "another title", moved.program.nodes[0].at = Position{3, 4};
  EXPECT_EQ(trustOf(moved).trust, Trust::Calibrated);
  Document changed = document;
  changed.machine.hbm_latency = 99;
  EXPECT_EQ(trustOf(changed).trust, Trust::Model);
  EXPECT_TRUE(trustOf(changed).changed);
  changed.provenance->covers.clear();
  EXPECT_EQ(trustOf(changed).trust, Trust::Calibrated);
}

TEST(Trust, IsReadWithCare) {
  const auto codeOf = [](const std::string& provenance) {
    const auto read = parseDocument(
        R"({"sluice": 1, "program": {"nodes": [], "streams": []}, "provenance": )" + provenance + "}",
        "file");
    return read ? "accepted" : read.diagnostics().front().code;
  };
  EXPECT_EQ(codeOf(R"({"trust": "rtl", "source": "here"})"), "accepted");
  EXPECT_EQ(codeOf(R"({"trust": "hope"})"), "unknown-choice");
  EXPECT_EQ(codeOf(R"({"source": "here"})"), "missing-field");
  EXPECT_EQ(codeOf(R"({"trust": "rtl", "by": "me"})"), "unknown-field");
}

TEST(Trust, ACalibratedProgramSaysSoWhereItIsSimulated) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir());
  const std::string out = (folder / ("calibrated_" + std::to_string(::getpid()) + ".sluice")).string();
  const std::string samples = SLUICE_SOURCE_DIR "/sample_workloads/";
  ASSERT_EQ(runCommandLine("calibrate '" + samples + "swiglu.sluice' --measured '" + samples +
                           "measurements/swiglu_rtl.csv' --fit hbm_start_up=0:200 -o '" + out + "'")
                .status,
            0);
  const auto calibrated = runCommandLine("simulate '" + out + "' --json").object();
  EXPECT_EQ(calibrated["trust"]["label"], "calibrated");
  EXPECT_EQ(calibrated["trust"]["source"], "swiglu_rtl.csv, 15 runs");
  const auto plain = runCommandLine("simulate '" + samples + "swiglu.sluice' --json").object();
  EXPECT_EQ(plain["trust"]["label"], "model");
  EXPECT_NE(calibrated["cycles"], plain["cycles"]);
  std::filesystem::remove(out);
}

TEST(Trust, RtlConfirmsAProgramWhoseNumbersItHas) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir());
  const std::string own = std::to_string(::getpid());
  const std::string out = (folder / ("confirmed_" + own + ".sluice")).string(),
                    table = (folder / ("measured_" + own + ".csv")).string();
  const std::string sample = SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice";
  const auto cycles =
      runCommandLine("simulate '" + sample + "' --json").object()["cycles"].get<std::int64_t>();
  const std::string confirm =
      "compare '" + sample + "' --measured '" + table + "' --confirm '" + out + "' --json";
  std::ofstream(table) << "token_tile,cycles\n4," << cycles + 1 << "\n";
  const auto refused = runCommandLine(confirm);
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.object()["diagnostics"][0]["code"], "measurement-mismatch");
  EXPECT_FALSE(std::filesystem::exists(out));
  std::ofstream(table) << "token_tile,cycles\n4," << cycles << "\n";
  EXPECT_EQ(runCommandLine(confirm).status, 0);
  const auto confirmed = runCommandLine("simulate '" + out + "' --json").object();
  EXPECT_EQ(confirmed["trust"]["label"], "rtl");
  EXPECT_THAT(confirmed["trust"]["source"].get<std::string>(),
              testing::StartsWith("measured_" + own + ".csv, 1 run at token_tile = 4"));
  EXPECT_EQ(confirmed["cycles"], cycles);
  for (const std::string command : {"energy", "explore", "bounds --run"})
    EXPECT_EQ(runCommandLine(command + " '" + out + "' --json").object()["trust"]["label"], "rtl") << command;
  const auto sides = runCommandLine("compare '" + sample + "' '" + out + "' --json").object();
  EXPECT_EQ(sides["a"]["trust"]["label"], "model");
  EXPECT_EQ(sides["b"]["trust"]["label"], "rtl");
  // What the model recorded of itself confirms nothing.
  for (const char* format : {"vcd", "trace"}) {
    const std::string own_run = (folder / ("own_" + own + "." + format)).string();
    ASSERT_EQ(runCommandLine("simulate '" + sample + "' --" + format + " '" + own_run + "'").status, 0);
    const auto itself = runCommandLine("compare '" + sample + "' --measured '" + own_run + "' --confirm '" +
                                       out + "' --json");
    EXPECT_EQ(itself.status, 1) << format;
    EXPECT_THAT(itself.out, testing::HasSubstr("Sluice's own simulator")) << format;
    std::filesystem::remove(own_run);
  }
  // Neither the program nor the measurement is written over.
  for (const std::string& input : {out, table}) {
    const auto over =
        runCommandLine("compare '" + out + "' --measured '" + table + "' --confirm '" + input + "' --json");
    EXPECT_EQ(over.status, 1);
    EXPECT_EQ(over.object()["diagnostics"][0]["code"], "overwrites-input");
  }
  std::filesystem::remove(out);
  std::filesystem::remove(table);
}

}  // namespace sluice::trust_test

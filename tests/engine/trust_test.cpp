// Why cycles may be believed: what a document says of it survives the file, and ends with a change.

#include "engine/program/trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bitset>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/program/file_format.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/temporary_folder.h"

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
                           "measurements/swiglu_rtl.csv' --fit compute=1024:16384 -o '" + out + "'")
                .status,
            0);
  const auto calibrated = runCommandLine("simulate '" + out + "' --json").object();
  EXPECT_EQ(calibrated["trust"]["label"], "calibrated");
  EXPECT_EQ(calibrated["trust"]["source"], "swiglu_rtl.csv, 15 runs; not determined by them: compute");
  const auto plain = runCommandLine("simulate '" + samples + "swiglu.sluice' --json").object();
  EXPECT_EQ(plain["trust"]["label"], "model");
  EXPECT_NE(calibrated["cycles"], plain["cycles"]);
  std::filesystem::remove(out);
}

TEST(Trust, OfRtlHoldsAtThePointsThatItRan) {
  Document document = chainDocument(2, 4, 0);
  document.knobs[0].initial = document.knobs[0].minimum;
  const KnobValues here = defaultKnobs(document);
  KnobValues there = here;
  there.begin()->second += 1;
  const InputSet none, inputs{{"route", {InputKind::Routing, IntTensor{{2}, {0, 1}}, 2}}};
  document.provenance = Provenance{Trust::Rtl, "run.vcd, 1 run", "", coveredContent(document)};
  EXPECT_EQ(trustOf(document, here, none).trust, Trust::Model) << "an older version did not say where";
  document.provenance->covers += " " + coveredPoint(document, here, none);
  EXPECT_EQ(trustOf(document, here, none).trust, Trust::Rtl);
  for (const TrustLabel& label :
       {trustOf(document, there, none), trustOf(document, here, inputs), trustOf(document)}) {
    EXPECT_TRUE(label.elsewhere);
    EXPECT_EQ(text(label), "model only; RTL confirms 1 other point");
    EXPECT_EQ(shortText(label), "");
  }
  Document reworded = document;  // its words decide nothing
  reworded.provenance->source = "run.vcd, 1 run at another value";
  EXPECT_EQ(text(trustOf(reworded, here, none)), "confirmed by RTL");
  EXPECT_EQ(text(trustOf(reworded, there, none)), "model only; RTL confirms 1 other point");
  reworded.provenance->covers.clear();
  EXPECT_EQ(text(trustOf(reworded, here, none)), "model only; no run of its RTL is recorded");
  document.provenance->covers += " " + confirmedPoint(coveredPoint(document, there, none), "0123");
  EXPECT_EQ(trustOf(document, there, none).trust, Trust::Rtl);
  const Result<Document> read = parseDocument(writeDocument(document), "again");
  ASSERT_TRUE(read) << text(read.diagnostics());
  EXPECT_EQ(trustOf(*read, here, none).trust, Trust::Rtl);
  document.provenance->trust = Trust::Calibrated;  // and confirmed at these points
  EXPECT_EQ(trustOf(document, here, none).trust, Trust::Rtl);
  EXPECT_EQ(trustOf(document, here, inputs).trust, Trust::Calibrated);
  document.machine.hbm_latency = 99;
  EXPECT_TRUE(trustOf(document, here, none).changed);
  EXPECT_EQ(trustOf(document, here, none).trust, Trust::Model);
}

TEST(Trust, OfPapersHoldsAtThePointsThatTheyPrint) {
  Document document = chainDocument(2, 4, 0);
  document.knobs[0].initial = document.knobs[0].minimum;
  const KnobValues here = defaultKnobs(document);
  KnobValues there = here;
  there.begin()->second += 1;
  document.provenance = Provenance{Trust::Published, "a paper, Figure 8", "", ""};
  for (const TrustLabel& label : {trustOf(document, here, {}), trustOf(document)})
    EXPECT_EQ(text(label), "model only; the file says published, and of no point");
  document.provenance->covers =
      coveredContent(document) + " " + publishedPoint(coveredPoint(document, here, {}));
  EXPECT_EQ(text(trustOf(document, here, {})), "reproduced from the papers (a paper, Figure 8)");
  EXPECT_EQ(text(trustOf(document, there, {})), "model only; papers have 1 other point");
  EXPECT_EQ(trustOf(document).trust, Trust::Model);
  document.provenance->covers += " " + confirmedPoint(coveredPoint(document, there, {}), "0123");
  EXPECT_EQ(trustOf(document, there, {}).trust, Trust::Rtl) << "and RTL ran another";
  EXPECT_EQ(trustOf(document, here, {}).trust, Trust::Published);
  document.machine.hbm_latency = 99;
  EXPECT_EQ(text(trustOf(document, here, {})), "model only; the program has changed since it was compared");
}

TEST(Trust, IsOfTheMetricThatWasHeldAgainstSomething) {
  const TrustLabel label{Trust::Rtl, "run.vcd, 1 run", "the same cycles in 1 run"};
  EXPECT_EQ(text(ofMetric(label, "cycles")), "confirmed by RTL");
  for (const std::string metric : {"energy", "area", "power", "on_chip_bytes"})
    EXPECT_EQ(text(ofMetric(label, metric)), "model only") << metric;
}

class Confirmation : public testing_support::FolderTest {
 protected:
  Confirmation() {}

  Outcome run(const std::string& words) const { return runCommandLine(words, false, folder_.string()); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string trustOf(const std::string& words) const {
    return run(words + " --json").object()["trust"]["label"].get<std::string>();
  }
  /// The hash of a point that the test bench of its RTL carries, in bits.
  std::string emittedPoint(const std::string& options) const {
    EXPECT_EQ(run("emit rtl " + sample + options + " --no-run -o rtl").status, 0);
    std::stringstream bench;
    bench << std::ifstream(folder_ / "rtl/testbench.sv").rdbuf();
    const std::string text = bench.str(), before = "emitted_point = 128'h";
    const std::size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos);
    std::string bits;
    for (const char digit : text.substr(at + before.size(), 32))
      bits += std::bitset<4>(std::stoul(std::string(1, digit), nullptr, 16)).to_string();
    return bits;
  }
  /// A dump with the model's numbers, as if RTL of the point had recorded it; empty `bits`: any RTL.
  void record(const std::string& file, const std::string& options, const std::string& bits) const {
    ASSERT_EQ(run("simulate " + sample + options + " --vcd own.vcd").status, 0);
    std::stringstream own;
    own << std::ifstream(folder_ / "own.vcd").rdbuf();
    std::string dump = own.str();
    const auto replace = [&](const std::string& from, const std::string& to) {
      const std::size_t at = dump.find(from);
      ASSERT_NE(at, std::string::npos) << from;
      dump.replace(at, from.size(), to);
    };
    replace("$version Sluice", "$version Verilator");
    if (!bits.empty()) {
      replace("$enddefinitions", "$var wire 128 zz~zz emitted_point [127:0] $end\n$enddefinitions");
      replace("\n#0", "\n#0\nb" + bits + " zz~zz");
    }
    std::ofstream(folder_ / file) << dump;
  }
  void expectRefused(const std::string& measured, const std::string& options, const std::string& cause) {
    const auto refused =
        run("compare " + sample + options + " --measured " + measured + " --confirm never.sluice --json");
    EXPECT_EQ(refused.status, 1) << measured;
    EXPECT_EQ(refused.object()["diagnostics"][0]["code"], "measurement-mismatch") << measured;
    EXPECT_THAT(refused.out, testing::HasSubstr(cause)) << measured;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "never.sluice")) << measured;
  }

  const std::string sample = "'" SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice'";
};

TEST_F(Confirmation, IsOfThePointThatRtlRan) {
  record("run.vcd", "", emittedPoint(""));
  const std::string compare = " --measured run.vcd";
  EXPECT_THAT(run("compare " + sample + compare).out, testing::HasSubstr("--confirm OUT.sluice"));
  EXPECT_EQ(run("compare " + sample + compare + " --json").object()["confirmable"], true);
  const Outcome confirmed = run("compare " + sample + " --measured run.vcd --confirm out.sluice");
  EXPECT_EQ(run("compare out.sluice" + compare + " --json").object()["confirmable"], false) << "it is";
  EXPECT_EQ(confirmed.status, 0);
  EXPECT_THAT(confirmed.out,
              testing::HasSubstr("Trust: cycles confirmed by RTL; all other metrics model only\n"));
  for (const std::string command : {"simulate", "energy", "bounds --run"})
    EXPECT_EQ(trustOf(command + " out.sluice"), "rtl") << command;
  // Its joules were held against nothing.
  const auto energy = run("energy out.sluice --json").object();
  EXPECT_EQ(energy["trust"]["metrics"], nlohmann::json::array({"cycles"}));
  EXPECT_THAT(run("energy out.sluice").out, testing::HasSubstr("all other metrics model only"));
  EXPECT_EQ(trustOf("simulate out.sluice --set token_tile=8"), "model");
  EXPECT_EQ(run("simulate out.sluice --set token_tile=8 --json").object()["trust"]["metrics"],
            nlohmann::json::array());
  EXPECT_EQ(trustOf("explore out.sluice"), "model") << "most of its points were not run";
  EXPECT_THAT(run("simulate out.sluice --set token_tile=8").out,
              testing::HasSubstr("model only; RTL confirms 1 other point"));
  const auto sides = run("compare out.sluice --set-b token_tile=8 --json").object();
  EXPECT_EQ(sides["a"]["trust"]["label"], "rtl");
  EXPECT_EQ(sides["b"]["trust"]["label"], "model");
  const auto designs = run("design out.sluice --budget 3 --quick --json").object();
  EXPECT_EQ(designs["points"][0]["trust"], "rtl");
  ASSERT_GT(designs["points"].size(), 1u);
  EXPECT_EQ(designs["points"][1]["trust"], "model");
  EXPECT_THAT(run("design out.sluice --budget 3 --quick").out,
              testing::HasSubstr("Trust: cycles confirmed by RTL"))
      << "of the frontier, which is the program as it is";
  // Another point joins.
  record("wide.vcd", " --set token_tile=8", emittedPoint(" --set token_tile=8"));
  ASSERT_EQ(run("compare out.sluice --set token_tile=8 --measured wide.vcd --confirm both.sluice").status, 0);
  EXPECT_EQ(trustOf("simulate both.sluice"), "rtl");
  EXPECT_EQ(trustOf("simulate both.sluice --set token_tile=8"), "rtl");
}

TEST_F(Confirmation, NothingElseGivesIt) {
  const auto cycles = run("simulate " + sample + " --json").object()["cycles"].get<std::int64_t>();
  std::ofstream(folder_ / "table.csv") << "token_tile,cycles\n4," << cycles << "\n";
  expectRefused("table.csv", "", "no recording of RTL");
  std::ofstream(folder_ / "whole.csv") << "operator,cycles\n*," << cycles << "\n";
  expectRefused("whole.csv", "", "no recording of RTL");
  record("any.vcd", "", "");
  expectRefused("any.vcd", "", "no recording of RTL");
  for (const std::string format : {"vcd", "trace"}) {
    ASSERT_EQ(run("simulate " + sample + " --" + format + " own." + format).status, 0);
    expectRefused("own." + format, "", "Sluice's own simulator");
  }
  // Of another point, at the point's own values; and the right one with another number.
  record("wide.vcd", " --set token_tile=8", emittedPoint(" --set token_tile=8"));
  expectRefused("wide.vcd", "", "of other values of knobs");
  const auto wide = run("compare " + sample + " --measured wide.vcd --json").object();
  EXPECT_THAT(wide["notes"].dump(), testing::HasSubstr("of other values of knobs"));
  EXPECT_EQ(wide["confirmable"], false);
  EXPECT_THAT(
      run("calibrate " + sample + " --measured wide.vcd --fit hbm_latency --json").object()["notes"].dump(),
      testing::HasSubstr("of other values of knobs"))
      << "numbers that are fitted to it would be of neither point";
  record("slower.vcd", " --set token_tile=8", emittedPoint(""));
  expectRefused("slower.vcd", "", "were measured");
  // A table may name the recording, but not say otherwise.
  record("run.vcd", "", emittedPoint(""));
  std::ofstream(folder_ / "names.csv") << "token_tile,file\n4,run.vcd\n";
  EXPECT_EQ(run("compare " + sample + " --measured names.csv --confirm named.sluice").status, 0);
  std::ofstream(folder_ / "says.csv") << "token_tile,cycles,file\n4," << cycles + 1 << ",run.vcd\n";
  expectRefused("says.csv", "", "no recording of RTL");
}

/// What a paper prints is said of its points, and only where the model has the same cycles.
TEST_F(Confirmation, OfAPaperIsOfThePointsThatItPrints) {
  const auto cycles = [&](const std::string& tile) {
    return std::to_string(run("simulate " + sample + " --set token_tile=" + tile + " --json")
                              .object()["cycles"]
                              .get<std::int64_t>());
  };
  const std::string print = "compare " + sample + " --published 'a paper, Figure 8' --measured ";
  std::ofstream(folder_ / "paper.csv")
      << "token_tile,cycles\n4," << cycles("4") << "\n8," << cycles("8") << "\n";
  ASSERT_EQ(run(print + "paper.csv --confirm out.sluice").status, 0);
  EXPECT_EQ(trustOf("simulate out.sluice --set token_tile=4"), "published");
  EXPECT_EQ(trustOf("simulate out.sluice --set token_tile=8"), "published");
  EXPECT_EQ(trustOf("simulate out.sluice --set token_tile=16"), "model");
  EXPECT_THAT(run("simulate out.sluice --set token_tile=16").out,
              testing::HasSubstr("Trust: model only; papers have 2 other points"));
  EXPECT_EQ(trustOf("explore out.sluice"), "model") << "most of its points are in no paper";
  std::ofstream(folder_ / "other.csv") << "token_tile,cycles\n4,1\n";
  EXPECT_EQ(run(print + "other.csv --confirm never.sluice").status, 1);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "never.sluice"));
}

/// Papers and RTL may have the same point, which counts once; what was calibrated stays so at all others.
TEST_F(Confirmation, JoinsWhatIsKnown) {
  const auto cycles = run("simulate " + sample + " --json").object()["cycles"].get<std::int64_t>();
  std::ofstream(folder_ / "paper.csv") << "token_tile,cycles\n4," << cycles << "\n";
  record("run.vcd", "", emittedPoint(""));
  ASSERT_EQ(run("compare " + sample + " --measured run.vcd --confirm rtl.sluice").status, 0);
  const std::string print = " --measured paper.csv --published 'a paper' --confirm ";
  ASSERT_EQ(run("compare rtl.sluice" + print + "both.sluice").status, 0);
  EXPECT_EQ(trustOf("simulate both.sluice"), "published");
  EXPECT_THAT(run("simulate both.sluice --set token_tile=8").out, testing::HasSubstr("1 other point"));
  ASSERT_EQ(run("compare both.sluice --measured run.vcd --confirm again.sluice").status, 0);
  const auto provenance = [&](const std::string& file) {
    return loadDocument((folder_ / file).string())->provenance->covers;
  };
  EXPECT_EQ(provenance("again.sluice"), provenance("both.sluice"));
  Document fitted = *loadDocument(SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice");
  fitted.provenance = Provenance{Trust::Calibrated, "runs.csv", "", coveredContent(fitted)};
  ASSERT_TRUE(saveDocument(fitted, folder_ / "fitted.sluice"));
  ASSERT_EQ(run("compare fitted.sluice" + print + "out.sluice").status, 0);
  EXPECT_EQ(trustOf("simulate out.sluice"), "published");
  EXPECT_EQ(trustOf("simulate out.sluice --set token_tile=8"), "calibrated");
}

/// What is run with other depths or steps than the file has was held against nothing.
TEST_F(Confirmation, ReportsOfChangedProgramsAreOfTheModel) {
  const std::string samples = "'" SLUICE_SOURCE_DIR "/sample_workloads/";
  const std::string locked = samples + "deadlock_fork_join.sluice'", ends = locked + " --set depth=8";
  for (const std::string& words :
       {"unlock " + locked, "unlock " + ends, "size-fifos " + ends,
        "schedule " + samples + "gnn.sluice' --cycles", std::string("compile gpt2 --set tokens=4")}) {
    EXPECT_THAT(run(words).out, testing::HasSubstr("Trust: model only")) << words;
    EXPECT_EQ(trustOf(words), "model") << words;
  }
}

TEST_F(Confirmation, WritesOverNothingThatItRead) {
  record("run.vcd", "", emittedPoint(""));
  ASSERT_EQ(run("compare " + sample + " --measured run.vcd --confirm out.sluice").status, 0);
  for (const std::string input : {"out.sluice", "run.vcd"}) {
    const auto over = run("compare out.sluice --measured run.vcd --confirm " + input);
    EXPECT_EQ(over.status, 1);
  }
  EXPECT_EQ(trustOf("simulate out.sluice"), "rtl");
}

/// What Verilator records of the emitted project, from the shell.
TEST_F(Confirmation, IsWhatVerilatorRecords) {
  if (std::system("verilator --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "verilator is not installed";
  const std::string small =
      "'" SLUICE_SOURCE_DIR "/sample_workloads/deadlock_fork_join.sluice' --set depth=8";
  ASSERT_EQ(run("emit rtl " + small + " -o rtl").status, 0);
  ASSERT_EQ(std::system(("cd '" + path("rtl") + "' && make -s vcd JOBS=1 OPTIMISATION=-O0 >&2").c_str()), 0);
  EXPECT_EQ(run("compare " + small + " --measured rtl/out/run.vcd --confirm out.sluice").status, 0);
  EXPECT_EQ(trustOf("simulate out.sluice --set depth=8"), "rtl");
  EXPECT_EQ(trustOf("simulate out.sluice --set depth=9"), "model");
}

}  // namespace sluice::trust_test

// compare --measured from the shell: a recording beside the model, and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/engine/support/command_line.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::measured_command_test {

using namespace testing_support;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string samples = SLUICE_SOURCE_DIR "/sample_workloads/";

class MeasuredCommand : public FolderTest {
 protected:
  Outcome run(const std::string& words, bool errors = false) const {
    return runCommandLine(words, errors, folder_.string());
  }
};

TEST_F(MeasuredCommand, ComparesModelAndMeasured) {
  const std::string file = "'" + samples + "swiglu.sluice'";
  ASSERT_EQ(run("simulate " + file + " --vcd run.vcd --trace run.json").status, 0);
  for (const std::string measured : {"run.vcd", "run.json"}) {
    const Outcome outcome = run("compare " + file + " --measured " + measured + " --out errors.csv --json");
    ASSERT_EQ(outcome.status, 0);
    const auto report = outcome.object();
    EXPECT_EQ(report["runs"][0]["cycles"]["error"], 0.0);
    EXPECT_EQ(report["runs"][0]["operators_not_measured"].size(), 0u);
    for (const auto& op : report["runs"][0]["operators"])
      for (const auto& [activity, value] : op["cycles"].items()) EXPECT_EQ(value["model"], value["measured"]);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "errors.csv"));
  }
  std::ofstream(folder_ / "runs.csv") << "tile_m,tile_n,cycles,file\n32,64,20000,\n,,,run.vcd\n";
  const auto table = run("compare " + file + " --measured runs.csv --json").object();
  EXPECT_NEAR(table["runs"][0]["cycles"]["error"].get<double>(), (15278 - 20000) / 20000.0, 1e-9);
  EXPECT_EQ(table["runs"][1]["cycles"]["error"], 0.0);
  EXPECT_GT(table["runs"][1]["operators"].size(), 5u);
  std::ofstream(folder_ / "typo.csv") << "tile_m,tiles_n,batch,cycles\n32,64,1,20000\n";
  for (const std::string& command : {"compare " + file, "calibrate " + file + " --fit compute"}) {
    const std::string typo = command + " --measured typo.csv";
    EXPECT_THAT(run(typo, true).out, HasSubstr("warning: the measurements: column 'tiles_n': ")) << command;
    EXPECT_THAT(run(typo, true).out, HasSubstr("did you mean 'tile_n'")) << command;
    EXPECT_THAT(run(typo + " --json").object()["notes"].dump(), HasSubstr("column 'batch'")) << command;
  }
  std::ofstream(folder_ / "wrong.csv") << "tile_m,cycles\n33,20000\n";
  EXPECT_THAT(run("compare " + file + " --measured wrong.csv", true).out, HasSubstr("[out-of-range]"));
  EXPECT_THAT(run("compare " + file + " --measured nowhere.vcd", true).out, HasSubstr("[file-not-found]"));
  EXPECT_EQ(run("compare " + file + " --measured run.vcd --set-b tile_m=16").status, 2);
  EXPECT_EQ(run("compare " + file + " --out x.csv").status, 2);
  std::ofstream(folder_ / "other.csv") << "operator,cycles\nalpha,5\nbeta,6\n";
  EXPECT_THAT(run("compare " + file + " --measured other.csv", true).out,
              HasSubstr("[measurement-mismatch]"));
  std::ofstream(folder_ / "other.csv") << "operator,cycles\nalpha,5\nbeta,6\ngate,7\n";
  const Outcome partly = run("compare " + file + " --measured other.csv --json");
  EXPECT_EQ(partly.status, 1) << "numbers of another program are no result";
  EXPECT_EQ(partly.object()["notes"][0]["code"], "measurement-mismatch");
  EXPECT_THAT(partly.object()["runs"][0]["not_in_program"], ElementsAre("alpha", "beta"));
  const std::string told = run("compare " + file + " --measured other.csv", true).out;
  EXPECT_LT(told.find("[measurement-mismatch]"), told.find("of the run")) << "before any number";
}

/// Where a knob has a value by the command line and another by the table, that which counts is told; a row
/// that leaves it open has that of the command line.
TEST_F(MeasuredCommand, AKnobThatIsSetInVainIsToldAndAColumnThatIsThereTwiceRefused) {
  const std::string file = "'" + samples + "swiglu.sluice'";
  std::ofstream(folder_ / "runs.csv") << "tile_m,tile_n,cycles\n32,64,20000\n,64,20000\n16,64,20000\n";
  for (const std::string& command : {"compare " + file, "calibrate " + file + " --fit compute"}) {
    const std::string measured = command + " --measured runs.csv --set tile_m=16";
    const Outcome told = run(measured, true);
    EXPECT_EQ(told.status, 0) << told.out;
    EXPECT_THAT(told.out,
                HasSubstr("warning: option '--set tile_m=16': of 3 measured runs 1 has another value "
                          "of 'tile_m', which counts"));
    EXPECT_EQ(run(measured + " --json").object()["notes"][0]["code"], "conflicting-options") << command;
    EXPECT_THAT(run(command + " --measured runs.csv --set tile_n=64", true).out,
                testing::Not(HasSubstr("[conflicting-options]")));
  }
  const auto runs = run("compare " + file + " --measured runs.csv --set tile_m=16 --json").object()["runs"];
  EXPECT_EQ(runs[0]["knobs"]["tile_m"], 32);
  EXPECT_EQ(runs[1]["knobs"]["tile_m"], 16);
  std::ofstream(folder_ / "twice.csv") << "# measured\ntile_m,tile_m,tile_n,cycles\n32,16,64,20000\n";
  std::ofstream(folder_ / "kernels.csv") << "operator,cycles,Note,Note,cycles\ngate,5,a,b,6\n";
  for (const std::string table : {"twice.csv", "kernels.csv"}) {
    const Outcome twice = run("compare " + file + " --measured " + table, true);
    EXPECT_EQ(twice.status, 1);
    EXPECT_THAT(twice.out, HasSubstr("error: " + table + ", line ")) << "where";
    EXPECT_THAT(twice.out, HasSubstr("2 columns are called '")) << table;
    EXPECT_THAT(twice.out, HasSubstr("[duplicate-field]"));
  }
}

TEST_F(MeasuredCommand, FoldsWhatAgreesAndLeavesScopesOut) {
  const std::string file = "'" + samples + "swiglu.sluice'", other = "'" + samples + "simple_moe.sluice'";
  ASSERT_EQ(run("simulate " + file + " --vcd run.vcd").status, 0);
  const std::string same = run("compare " + file + " --measured run.vcd").out;
  EXPECT_THAT(same, HasSubstr("All 12 operators agree in every number"));
  EXPECT_THAT(same, testing::Not(HasSubstr("activation")));
  EXPECT_THAT(run("compare " + file + " --measured run.vcd --all").out, HasSubstr("activation"));
  const std::string slower = run("compare " + file + " --measured run.vcd --set tile_m=64").out;
  EXPECT_THAT(slower, HasSubstr("activation"));
  const Outcome foreign = run("compare " + other + " --measured run.vcd --json");
  EXPECT_EQ(foreign.status, 1);
  EXPECT_THAT(foreign.object()["runs"][0]["not_in_program"], testing::Contains("by_row"));
}

TEST_F(MeasuredCommand, NamesOfFilesStayOnTheirLine) {
  const std::string file = "'" + samples + "swiglu.sluice'";
  ASSERT_EQ(run("simulate " + file + " --vcd run.vcd").status, 0);
  const std::string name = "'two\nlines.csv'";
  const std::string told = run("compare " + file + " --measured run.vcd --out " + name, true).out;
  EXPECT_THAT(told, HasSubstr("wrote two\\x0alines.csv\n"));
  EXPECT_THAT(run("check " + name, true).out, HasSubstr("error: two\\x0alines.csv, line 1"));
}

}  // namespace sluice::measured_command_test

// The cells of FIFOs and of the control of operators: the table is of the RTL as it is, and Yosys counts the
// same.

#include "engine/energy/control_logic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/rtl/module_library.h"
#include "tests/engine/support/command_line.h"

namespace sluice::control_logic_test {

namespace fs = std::filesystem;
using namespace testing_support;

TEST(ControlLogic, IsOfOperatorsThatHaveRtl) {
  const std::vector<RtlModule> modules = rtlModules();
  for (const CountedLogic& line : countedLogic()) {
    EXPECT_GT(line.counts.luts + line.counts.flip_flops, 0) << line.kind;
    EXPECT_TRUE(line.kind == "FIFO" || moduleOf(modules, line.kind))
        << line.kind << " has no module in resources/rtl: delete its line of resources/synthesis/counts.csv";
  }
  for (const RtlModule& module : modules)
    for (const std::string& kind : module.kinds)
      EXPECT_TRUE(operatorLogic(kind)) << "count the cells of " << kind << ": ./dev rtl counts";
  EXPECT_FALSE(operatorLogic("Kernel")) << "it has no RTL";
  EXPECT_FALSE(operatorLogic("FIFO")) << "it is no operator";
}

TEST(ControlLogic, OfAFifoGrowsWithItsDepth) {
  LogicCounts last;
  for (const std::uint64_t depth : {1, 2, 3, 4, 7, 64, 256, 300, 512, 100'000}) {
    const LogicCounts counts = fifoControl(depth);
    EXPECT_GE(counts.luts, last.luts) << depth;
    EXPECT_GE(counts.flip_flops, last.flip_flops) << depth;
    EXPECT_GE(counts.memory_bits, static_cast<double>(depth) * 175) << depth;
    last = counts;
  }
  EXPECT_EQ(fifoControl(3).luts, fifoControl(4).luts);
  EXPECT_EQ(fifoControl(300).luts, fifoControl(512).luts);
  // Three flip-flops count more with each doubling: first, next, count; beside them there is room for two
  // more.
  EXPECT_LT(fifoControl(512).flip_flops - fifoControl(256).flip_flops, 8);
}

TEST(ControlLogic, HasTheAreaOfItsCells) {
  const LogicCounts counts{.luts = 5, .flip_flops = 10, .memory_bits = 1000, .gates = 100};
  EXPECT_DOUBLE_EQ(*logicArea(counts, 45), 1e-6 * (100 * 0.798 + 10 * 4.522));
  EXPECT_LT(*logicArea(counts, 7), *logicArea(counts, 16));
  EXPECT_DOUBLE_EQ(*logicArea(counts, 90), 4 * *logicArea(counts, 45));
  EXPECT_FALSE(logicArea(counts, 0));
}

TEST(ControlLogic, IsInTheAreaAndTheReportOfAProgram) {
  const Outcome run =
      runCommandLine("energy '" SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice' --json");
  ASSERT_EQ(run.status, 0) << run.out;
  const auto control = run.object()["energy_breakdown"]["control"];
  EXPECT_EQ(control["source"], std::string(logicSource()));
  double luts = 0;
  std::size_t fifos = 0;
  for (const auto& part : control["parts"]) {
    if (part["kind"] == "FIFO") ++fifos;
    if (!part["each"].is_null())  // else it was not counted
      luts += part["each"]["luts"].get<double>() * part["count"].get<double>();
  }
  EXPECT_GT(fifos, 0u);
  EXPECT_EQ(control["sum"]["luts"], luts);
  EXPECT_GT(control["area"], 0.0);
  EXPECT_LT(control["area"], run.object()["energy_breakdown"]["area"]);
}

/// The script counts an operator and the FIFOs anew; the lines are those of the table.
TEST(ControlLogic, IsWhatYosysCounts) {
  if (std::system("yosys -V >/dev/null 2>&1") != 0) GTEST_SKIP() << "yosys is not installed";
  std::string pattern = (fs::temp_directory_path() / "sluice-counts-XXXXXX").string();
  const fs::path folder = ::mkdtemp(pattern.data());
  const std::string root = SLUICE_SOURCE_DIR;
  ASSERT_EQ(runCommandLine("emit rtl '" + root + "/sample_workloads/simple_moe.sluice' --no-run -o '" +
                           (folder / "rtl").string() + "'")
                .status,
            0);
  ASSERT_EQ(std::system(("'" + root + "/resources/synthesis/count.sh' '" + (folder / "rtl").string() + "' '" +
                         (folder / "counts.csv").string() + "' Broadcast >&2")
                            .c_str()),
            0);
  const auto linesOf = [](const fs::path& file) {
    std::vector<std::string> lines;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  };
  const std::vector<std::string> counted = linesOf(folder / "counts.csv");
  const std::vector<std::string> table = linesOf(fs::path(root) / "resources/synthesis/counts.csv");
  fs::remove_all(folder);
  ASSERT_EQ(counted.size(), 3u);
  if (counted.front() != table.front()) GTEST_SKIP() << "the table is of " << table.front();
  EXPECT_THAT(table, testing::Contains(counted.back())) << "run './dev rtl counts'";
}

}  // namespace sluice::control_logic_test

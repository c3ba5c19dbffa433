// Programs that the authors' own front end wrote (tests/data/step): imported, their bytes off chip and on
// chip are those of its formulas.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/explorer/evaluate.h"
#include "engine/importers/registry.h"

namespace sluice::step_runs_test {

const std::filesystem::path folder = std::filesystem::path(SLUICE_BINARY_DIR) / "reference_runs";

struct Expected {
  std::string graph;
  double off_chip_bytes = 0;
  std::optional<double> on_chip_bytes;
};

std::vector<Expected> expectations() {
  std::ifstream file(std::filesystem::path(SLUICE_SOURCE_DIR) / "tests/data/step/bytes.csv");
  std::vector<Expected> all;
  std::string line;
  std::getline(file, line);  // names of the columns
  while (std::getline(file, line)) {
    std::istringstream row(line);
    Expected one;
    std::string off_chip, on_chip;
    std::getline(row, one.graph, ','), std::getline(row, off_chip, ','), std::getline(row, on_chip, ',');
    one.off_chip_bytes = std::stod(off_chip);
    if (!on_chip.empty()) one.on_chip_bytes = std::stod(on_chip);
    all.push_back(one);
  }
  return all;
}

Result<PointResult> evaluated(const std::string& graph) {
  Result<Imported> imported = importFile(folder / graph / "graph.pb");
  if (!imported) return imported.diagnostics();
  const auto workload = makeWorkload(std::move(imported->document), folder / graph);
  if (!workload) return workload.diagnostics();
  return evaluate(**workload, {}, RecordMode::Count);
}

/// EagerMerge makes room for the largest of its tiles, the front end for those of its first input (operators'
/// README): in this program once for what is repeated and once for the sums, in each of 8 regions.
constexpr const char* multiplexed = "tm_small_dyn_r8";

TEST(StepRuns, HaveTheBytesOfTheFrontEndsFormulas) {
  const std::vector<Expected> all = expectations();
  ASSERT_EQ(all.size(), 217u);
  for (const Expected& expected : all) {
    const Result<PointResult> result = evaluated(expected.graph);
    ASSERT_TRUE(result) << expected.graph << text(result.diagnostics());
    EXPECT_EQ(result->symbolic.total.off_chip_bytes, expected.off_chip_bytes) << expected.graph;
    if (expected.on_chip_bytes && expected.graph != multiplexed) {
      EXPECT_EQ(result->symbolic.total.on_chip_bytes, expected.on_chip_bytes) << expected.graph;
    }
  }
}

/// The whole difference is that of the largest and the first group of each region: how many tokens went to
/// each of its 16 experts is counted from the trace.
TEST(StepRuns, DifferOnChipByWhereDynamicTilesAreMerged) {
  const Result<Imported> imported = importFile(folder / multiplexed / "graph.pb");
  ASSERT_TRUE(imported) << text(imported.diagnostics());
  const auto routing = std::find_if(imported->document.inputs.begin(), imported->document.inputs.end(),
                                    [](const Input& input) { return input.name == "data2"; });
  ASSERT_NE(routing, imported->document.inputs.end());
  constexpr std::size_t experts = 128, of_a_region = 16;
  ASSERT_EQ(routing->data->shape.back(), experts);
  std::vector<double> tokens(experts, 0);
  for (std::size_t i = 0; i < routing->data->data.size(); ++i)
    tokens[i % experts] += static_cast<double>(routing->data->data[i]);
  double rows = 0;
  for (auto region = tokens.begin(); region != tokens.end(); region += of_a_region)
    rows += *std::max_element(region, region + of_a_region) - *region;
  constexpr double columns = 256, bytes = 4, tiles = 2;
  const Result<PointResult> result = evaluated(multiplexed);
  ASSERT_TRUE(result) << text(result.diagnostics());
  EXPECT_EQ(result->symbolic.total.on_chip_bytes, 1534466);
  EXPECT_EQ(*result->symbolic.total.on_chip_bytes - tiles * rows * columns * bytes, 1149442);
}

}  // namespace sluice::step_runs_test

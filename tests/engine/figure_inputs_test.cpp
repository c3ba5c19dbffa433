// The traces behind the figures: found whatever zeros their names begin with, and what ran on synthetic
// input for want of a file says so - in the result, the text, the CSV and the JSON.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/figures/figure.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/npy.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::figure_inputs_test {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

void writeLengths(const std::filesystem::path& file, std::size_t count, std::int64_t length) {
  writeNpy(file, {{count}, std::vector<std::int64_t>(count, length)});
}

class FigureInputsTest : public testing_support::FolderTest {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_ / "b64"); }

  Result<FigureResult> reproduce(const std::string& name, const std::filesystem::path& traces) const {
    const std::unique_ptr<Executor> executor = makeExecutor(2);
    FigureRequest request;
    request.traces = traces;
    request.executor = executor.get();
    return reproduceFigure(name, request);
  }
};

/// Start 271 is published as ..._0271_0334.npy. 64 requests of one length are as balanced as can be: dynamic
/// parallelization gains next to nothing, where the synthetic stand-in gains 18 %.
TEST_F(FigureInputsTest, StartsBelowAThousandAreFound) {
  writeLengths(folder_ / "b64/conv_stdev0477_0271_0334.npy", 64, 800);
  writeLengths(folder_ / "b64/conv_stdev1374_3239_3302.npy", 64, 800);
  writeLengths(folder_ / "b64/conv_stdev0995_0733_0800.npy", 64, 800);  // not 64 requests: another trace
  const Result<FigureResult> figure = reproduce("fig14", folder_);
  ASSERT_TRUE(figure) << text(figure.diagnostics());
  int real = 0;
  for (const FigurePoint& point : figure->points) {
    SCOPED_TRACE(point.point + " " + point.metric);
    const bool given = point.point == "start 271" || point.point == "start 3239";
    EXPECT_EQ(text(point.inputs), given ? "traces" : "synthetic");
    if (!given) continue;
    ++real;
    EXPECT_THAT(*point.inputs.traces.begin(),
                HasSubstr(point.point == "start 271" ? "_0271_0334.npy" : "_3239_3302.npy"));
    if (point.metric != "speed_up") continue;
    EXPECT_NEAR(point.ours, 1, 0.02);
  }
  EXPECT_EQ(real, 6);
  EXPECT_EQ(figure->syntheticPoints(), 21u);
  ASSERT_FALSE(figure->notes.empty());
  EXPECT_THAT(figure->notes.front(), HasSubstr("21 of 27 points ran on synthetic input"));
  EXPECT_THAT(figure->notes.front(), HasSubstr("conv_stdev*_0733_0796.npy"));
  EXPECT_THAT(figure->notes.front(), Not(HasSubstr("_0271_0334")));
  // The claims at low variance rest on one real and two synthetic traces.
  EXPECT_EQ(text(figure->claims.front().inputs), "partly synthetic");
}

/// A number that needs a trace says where it came from, whatever the figure.
TEST_F(FigureInputsTest, EveryPointAndClaimSaysThatItIsSynthetic) {
  for (const char* name : {"fig9", "fig12", "fig13", "fig14", "fig15", "fig17", "fig21"}) {
    SCOPED_TRACE(name);
    const Result<FigureResult> figure = reproduce(name, {});
    ASSERT_TRUE(figure) << text(figure.diagnostics());
    for (const FigurePoint& point : figure->points) EXPECT_EQ(text(point.inputs), "synthetic") << point.point;
    for (const FigureClaim& claim : figure->claims) EXPECT_EQ(text(claim.inputs), "synthetic") << claim.claim;
    EXPECT_EQ(figure->syntheticPoints(), figure->points.size());
    EXPECT_THAT(figure->notes.front(), HasSubstr("no folder of traces was given"));
  }
  const Result<FigureResult> none = reproduce("fig8", {});
  ASSERT_TRUE(none);
  EXPECT_EQ(none->syntheticPoints(), 0u);
  EXPECT_EQ(text(none->points.front().inputs), "");
}

TEST_F(FigureInputsTest, AFolderThatIsNotThereIsAnError) {
  const Result<FigureResult> figure = reproduce("fig15", folder_ / "nowhere");
  ASSERT_FALSE(figure);
  EXPECT_THAT(text(figure.diagnostics()), HasSubstr("there is no such folder"));
}

TEST_F(FigureInputsTest, TheCommandLineShowsIt) {
  writeLengths(folder_ / "b64/conv_stdev0477_0271_0334.npy", 64, 800);
  const std::string traces = "reproduce fig14 --traces '" + folder_.string() + "'";
  const testing_support::Outcome printed = testing_support::runCommandLine(traces);
  EXPECT_EQ(printed.status, 0);
  EXPECT_THAT(printed.out, testing::ContainsRegex("start 271 .* traces\n"));
  EXPECT_THAT(printed.out, testing::ContainsRegex("start 4185 .* synthetic\n"));
  EXPECT_THAT(printed.out, HasSubstr("note: 24 of 27 points ran on synthetic input"));
  const json figure = testing_support::runCommandLine(traces + " --json").object();
  EXPECT_EQ(figure["synthetic_points"], 24);
  EXPECT_THAT(printed.out, HasSubstr("trust model: of the model alone"));
  for (const json& point : figure["points"])
    EXPECT_TRUE(figure["trust_labels"].contains(point["trust"].get<std::string>()));
  EXPECT_EQ(figure["points"][0]["input"]["kind"], "synthetic");
  EXPECT_EQ(figure["points"][0]["input"]["synthetic"], json::array({"conv_stdev*_4185_4248.npy"}));
  EXPECT_EQ(figure["points"][6]["input"]["kind"], "traces");
  EXPECT_EQ(figure["claims"][0]["input"]["kind"], "partly synthetic");
}

/// Also how near a number must be to be called the paper's.
TEST_F(FigureInputsTest, TheLegendSaysHowNearPublishedIs) {
  const json figure = testing_support::runCommandLine("reproduce fig8 --json").object();
  EXPECT_THAT(figure["trust_labels"]["published"].get<std::string>(), HasSubstr("within 0.01 % of it"));
  for (const json& point : figure["points"]) {
    if (point["ratio"].is_null()) continue;
    const bool near = std::abs(point["ratio"].get<double>() - 1) <= 1e-4;
    EXPECT_EQ(point["trust"], near ? "published" : "model") << point;
  }
}

}  // namespace sluice::figure_inputs_test

// Sets of traces as a user of sluice-cli meets them: a distribution of one point, exploration over statistics, repairs for
// every trace, and what is said of traces that do not fit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/core/atomic_file.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/npy.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::runCommandLine;

const std::string moe = "'" SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice'";
const std::string zipf = " --input routing=set:zipf,count=12,exponent=1.5";

class DistributionCli : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sluice-distribution-cli-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return "'" + (folder_ / name).string() + "'"; }

  fs::path folder_;
};

/// Each number is that of `simulate` with the trace alone.
TEST_F(DistributionCli, QuantilesAreThoseOfTheTracesAlone) {
  const json all = runCommandLine("distribution " + moe + zipf + " --pick 7 --json --csv " + at("runs.csv")).object();
  ASSERT_TRUE(all.is_object());
  EXPECT_EQ(all["traces"]["count"], 12);
  EXPECT_EQ(all["states"]["done"], 12);
  std::vector<double> cycles;
  for (int trace = 0; trace < 12; ++trace) {
    const json one = runCommandLine("simulate " + moe + zipf + ",pick=" + std::to_string(trace) + " --count --json").object();
    cycles.push_back(one["cycles"]);
  }
  const double chosen = cycles[7];
  std::ranges::sort(cycles);
  const json& summary = all["metrics"][0];
  ASSERT_EQ(summary["name"], "cycles");
  EXPECT_EQ(summary["chosen"], chosen);
  EXPECT_EQ(summary["p50"], cycles[5]);
  EXPECT_EQ(summary["p95"], cycles[11]);
  EXPECT_EQ(summary["min"], cycles[0]);
  EXPECT_EQ(summary["worst"], cycles[11]);
  const auto above = std::ranges::upper_bound(cycles, chosen);
  EXPECT_NEAR(summary["percentile"].get<double>(), 100.0 * static_cast<double>(above - cycles.begin()) / 12, 1e-9);
  double tokens = 0;
  for (const json& rank : all["tokens_per_expert"]["by_rank"]) tokens += rank["mean"].get<double>();
  EXPECT_NEAR(tokens, 16, 1e-9);
  std::ifstream csv(folder_ / "runs.csv");
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(csv), {}, '\n'), 13);
  const Outcome words = runCommandLine("distribution " + moe + zipf + " --pick 7", true);
  EXPECT_THAT(words.out, HasSubstr("percentile of 12"));
  EXPECT_EQ(runCommandLine("simulate " + moe + zipf + " --json").object()["metrics"], all["metrics"].is_array() ? runCommandLine("distribution " + moe + zipf + " --json").object()["metrics"] : json());
}

TEST_F(DistributionCli, ExploreTakesStatistics) {
  const std::string explore = "explore " + moe + zipf + " --json --objectives 'p90(cycles),on_chip_bytes' --store " + at("s.db");
  const Outcome first = runCommandLine(explore);
  EXPECT_EQ(first.status, 0);
  const json found = first.object();
  EXPECT_EQ(found["objectives"], json({"p90(cycles)", "mean(on_chip_bytes)"}));
  double best = 1e300;
  for (const json& point : found["points"]) best = std::min(best, point["distributions"]["cycles"]["p95"].get<double>());
  bool on_some = false;
  for (const json& point : found["points"]) {
    const double share = point["on_frontier"]["share"];
    EXPECT_TRUE(share >= 0 && share <= 1);
    on_some = on_some || share == 1;
  }
  EXPECT_TRUE(on_some);
  const json again = runCommandLine(explore + " --resume").object();
  EXPECT_EQ(again["traces"]["runs"], 0);
  EXPECT_EQ(again["frontier"], found["frontier"]);
  EXPECT_EQ(again["points"][3]["metrics"], found["points"][3]["metrics"]);
  EXPECT_EQ(runCommandLine("points " + at("s.db") + " --format csv").status, 0);
  EXPECT_EQ(runCommandLine("explorations " + at("s.db")).status, 0);
}

TEST_F(DistributionCli, AConstraintHoldsUnderEveryTrace) {
  const std::string explore = "explore " + moe + zipf + " --json --objectives cycles ";
  const json free = runCommandLine(explore).object();
  double least_worst = 1e300;
  for (const json& point : free["points"]) {
    const json& worst = point["distributions"]["cycles"]["worst"];
    if (!worst.is_null()) least_worst = std::min(least_worst, worst.get<double>());
  }
  const auto bounded = [&](double most) {
    return runCommandLine(explore + "--constraint 'cycles<=" + std::to_string(std::llround(most)) + "' --constraint 'P(deadlock)=0'").object();
  };
  EXPECT_EQ(bounded(least_worst)["frontier"].size(), 1u);
  EXPECT_EQ(bounded(least_worst - 1)["frontier"].size(), 0u);
}

TEST_F(DistributionCli, WhatIsWrongIsToldAndTheRestEvaluated) {
  IntTensor set{{4, 16, 1}, std::vector<std::int64_t>(64)};
  for (std::size_t i = 0; i < 64; ++i) set.data[i] = static_cast<std::int64_t>(i % 3 == 0);
  set.data[20] = 5;
  writeNpy(folder_ / "set.npy", set);
  const Outcome some = runCommandLine("distribution " + moe + " --json --input routing=set:" + at("set.npy"));
  EXPECT_EQ(some.status, 0);
  EXPECT_EQ(some.object()["evaluated"], 3);
  const json& left_out = some.object()["traces"]["left_out"];
  ASSERT_EQ(left_out.size(), 1u);
  EXPECT_THAT(left_out[0].dump(), testing::AllOf(HasSubstr("set.npy"), HasSubstr("expert 5"), HasSubstr("trace-mismatch")));
  for (const auto& [words, told] : std::vector<std::pair<std::string, std::string>>{
           {"distribution " + moe, "none of its inputs is a set"},
           {"distribution " + moe + zipf + " --pick 99", "no such trace"},
           {"distribution " + moe + zipf + " --metric cycels", "did you mean"},
           {"distribution " + moe + zipf + " --precision 2", "no share"},
           {"explore " + moe + " --objectives 'p95(cycles)'", "no input is one"},
           {"explore " + moe + zipf + " --objectives 'p95(cycels)'", "is not a metric"},
           {"explore " + moe + zipf + " --level symbolic", "no bounds over a set"},
           {"distribution " + moe + " --input routing=set:nothing", "no file or folder"}}) {
    const Outcome refused = runCommandLine(words, true);
    EXPECT_EQ(refused.status, 1) << words;
    EXPECT_THAT(refused.out, HasSubstr(told)) << words;
  }
}

/// One FIFO between two paths that part and meet: how deep it has to be follows from the trace.
TEST_F(DistributionCli, UnlockFindsDepthsForEveryTraceAndWhoNeedsThem) {
  // A group of tokens is summed before the first of them can be joined with the sum: all of the longest wait.
  ASSERT_TRUE(writeFileAtomically(folder_ / "groups.sluice", R"({
  "sluice": 1,
  "title": "sums of groups",
  "constants": {"D": 16},
  "program": {
    "nodes": [
      {"name": "load", "kind": "LinearOffChipLoad", "parameters": {"out_shape": [16, 1], "stride": [1, 1], "tile": [1, "D"]}},
      {"name": "rows", "kind": "Flatten", "parameters": {"min": 0, "max": 1}},
      {"name": "route", "kind": "SelectGen", "parameters": {"input": "routing", "view": "multi_hot"}},
      {"name": "scatter", "kind": "Partition", "parameters": {"ways": 2}},
      {"name": "expert", "kind": "Region", "count": 2, "inputs": ["x"], "outputs": ["y"], "program": {
        "nodes": [
          {"name": "merge", "kind": "Flatten", "parameters": {"min": 0, "max": 1}},
          {"name": "sum", "kind": "Accum", "parameters": {"function": "add", "init": [1, "D"], "rank": 1, "compute_bw": 64}},
          {"name": "spread", "kind": "RepeatRef", "parameters": {}},
          {"name": "join", "kind": "BinaryMap", "parameters": {"function": "add", "compute_bw": 64}}
        ],
        "streams": [
          {"from": "region.x", "to": "sum.in"},
          {"from": "region.x", "to": "spread.ref"},
          {"from": "region.x", "to": "join.in1"},
          {"from": "sum.out", "to": "spread.in"},
          {"from": "spread.out", "to": "join.in2"},
          {"from": "join.out", "to": "region.y"}
        ]
      }},
      {"name": "sink", "kind": "Consumer", "parameters": {}}
    ],
    "streams": []
  },
  "inputs": [{"name": "routing", "kind": "Routing", "tokens": 16, "experts": 2, "top_k": 1}]
})"));
}

}  // namespace
}  // namespace sluice

// sluice-cli parallelize as a user meets it: the real program, its exit code and what it prints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/engine/support/command_line.h"
#include "tests/engine/support/loop_nests.h"

namespace sluice::parallelize_cli_test {

using nlohmann::json;
using testing::HasSubstr;

using testing_support::Outcome;

Outcome run(const std::string& arguments, bool with_errors = false) {
  return testing_support::runCommandLine("parallelize " + arguments, with_errors);
}

std::string listing() {
  return "'" + testing_support::hidaListingFile().string() + "' ";
}

TEST(ParallelizeCli, TheExampleOfHida) {
  const Outcome outcome = run(listing() + "--mode ia+ca --json");
  EXPECT_EQ(outcome.status, 0);
  const json object = json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(object.is_object()) << outcome.out;
  EXPECT_EQ(object["mode"], "ia+ca");
  EXPECT_EQ(object["order"], json({"Node2", "Node0", "Node1"}));
  EXPECT_EQ(object["nests"][0]["unroll"], json({4, 1}));
  EXPECT_EQ(object["nests"][0]["constraints"], json({{8, 1}}));
  EXPECT_EQ(object["nests"][2]["unroll"], json({4, 8, 1}));
  EXPECT_EQ(object["arrays"][1]["factors"], json({1, 8}));
  EXPECT_EQ(object["arrays"][1]["banks"], 8);
  EXPECT_EQ(object["connections"][0]["scaling_source_to_target"], json({"1/2", 1}));
  EXPECT_EQ(object["connections"][0]["permutation_source_to_target"], json({0, nullptr, 1}));
}

TEST(ParallelizeCli, ModesAndBudgets) {
  EXPECT_THAT(run(listing() + "--mode naive").out, HasSubstr("[8, 8]     64"));
  EXPECT_THAT(run(listing() + "--mode ca").out, HasSubstr("[8, 4]"));
  const json object = json::parse(run(listing() + "--max-parallel-factor 1 --json").out, nullptr, false);
  for (const json& array : object["arrays"]) EXPECT_EQ(array["banks"], 1);
}

/// ScaleHLS's side: a front of latency against DSPs, within a tenth above the budget.
TEST(ParallelizeCli, EachKernelForItself) {
  const json object = json::parse(run(listing() + "--explore --dsp 100 --json").out, nullptr, false);
  ASSERT_GT(object["front"].size(), 1u);
  for (std::size_t at = 0; at < object["front"].size(); ++at) {
    EXPECT_LE(object["front"][at]["dsp"], 110);
    EXPECT_EQ(object["front"][at]["kernels"].size(), 3u);
    if (at > 0) {
      EXPECT_GE(object["front"][at]["latency"], object["front"][at - 1]["latency"]);
      EXPECT_LE(object["front"][at]["dsp"], object["front"][at - 1]["dsp"]);
    }
  }
  EXPECT_THAT(run(listing() + "--explore").out, HasSubstr("Node2"));
  EXPECT_EQ(run(listing() + "--dsp 100").status, 2);
}

TEST(ParallelizeCli, WhatIsRefused) {
  EXPECT_EQ(run(listing() + "--mode fast").status, 2);
  EXPECT_EQ(run(listing() + "--max-parallel-factor 0").status, 2);
  EXPECT_EQ(run("").status, 2);
  const Outcome missing = run("/nowhere/nests.json", true);
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.out, HasSubstr("/nowhere/nests.json"));
  const Outcome other = run("'" SLUICE_SOURCE_DIR "/sample_workloads/swiglu.sluice' --json", false);
  EXPECT_EQ(other.status, 1);
  EXPECT_TRUE(json::parse(other.out, nullptr, false).contains("diagnostics"));
}

}  // namespace sluice::parallelize_cli_test

// sluice-cli itensor as a user meets it: the real program, its exit code and what it prints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/engine/support/command_line.h"

namespace sluice::itensor_cli_test {

using nlohmann::json;
using testing::HasSubstr;

using testing_support::Outcome;

Outcome run(const std::string& arguments, bool with_errors = false) {
  return testing_support::runCommandLine("itensor " + arguments, with_errors);
}

json runJson(const std::string& arguments, int status = 0) {
  const Outcome outcome = run(arguments + " --json");
  EXPECT_EQ(outcome.status, status) << arguments;
  const json parsed = json::parse(outcome.out, nullptr, false);
  EXPECT_TRUE(parsed.is_object()) << "stdout is not one JSON object: " << outcome.out;
  return parsed;
}

const std::string fig5_b = "'itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>' ";
const std::string fig5_c = "'itensor<4x2xf32, iter_space: [4,2,2]*[2,1,4], iter_map: (d0,d1,d2)->(d2,d0)>' ";

TEST(ITensorCli, ATypeIsDescribed) {
  const json object = runJson(fig5_c + "--tensor 8x8 --sequence 3");
  EXPECT_EQ(object["tokens"], 16);
  EXPECT_EQ(object["token_bytes"], 32);
  EXPECT_EQ(object["stream_bytes"], 512);
  EXPECT_EQ(object["inferred_shape"], json({8, 8}));
  EXPECT_EQ(object["reuse_loops"], json({1}));
  EXPECT_EQ(object["revisit"], 2);
  EXPECT_EQ(object["regular_tiling"], true);
  EXPECT_EQ(object["coverage"]["class"], "exact");
  EXPECT_EQ(object["coverage"]["most_visits"], 2);
  ASSERT_EQ(object["sequence"].size(), 3u);
  EXPECT_EQ(object["sequence"][1], json({{"iteration", {0, 0, 4}}, {"offset", {4, 0}}}));
  const Outcome told = run(fig5_c + "--tensor 8x8 --sequence 3");
  EXPECT_EQ(told.status, 0);
  EXPECT_THAT(told.out, HasSubstr("16 of 256 bits"));
  EXPECT_THAT(told.out, HasSubstr("exact: 64 of 64 elements"));
  EXPECT_THAT(told.out, HasSubstr("... and 13 more"));
}

TEST(ITensorCli, TheOldSpellingIsPrintedAsTheNewOne) {
  const json object = runJson("'itensor<4x4xi8, [4,2], [2,4], (i,j)->(j,i), 7>' --tensor 8x8");
  EXPECT_EQ(object["type"], "itensor<4x4xi8, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)>");
  EXPECT_EQ(object["fifo_depth"], 7);
  EXPECT_EQ(object["coverage"]["class"], "out of range");
  EXPECT_EQ(object["coverage"]["outside"], 16);
  EXPECT_EQ(object["coverage"]["overlap"], true);
}

TEST(ITensorCli, AConverterIsInferredAndExplained) {
  const json plain = runJson("convert " + fig5_b + fig5_c + "--tensor 8x8");
  ASSERT_EQ(plain.size(), 4u) << plain;
  EXPECT_EQ(plain["buffer"], json({8, 2}));
  EXPECT_EQ(plain["before_loop"], 1);
  EXPECT_EQ(plain["bytes"], 128);
  const json object = runJson("convert " + fig5_b + fig5_c + "--tensor 8x8 --details");
  EXPECT_EQ(object["explanation"], plain["explanation"]);
  EXPECT_EQ(object["kind"], "reduced");
  EXPECT_EQ(object["buffer"], json({8, 2}));
  EXPECT_EQ(object["before_loop"], 1);
  EXPECT_EQ(object["bytes"], 128);
  EXPECT_THAT(object["explanation"].get<std::string>(), HasSubstr("Dimension 0: whole (8)"));
  EXPECT_EQ(object["dimensions"][0]["verdict"], "levels differ");
  EXPECT_EQ(object["prefix_break"]["source_loop"], 1);
  EXPECT_EQ(runJson("convert " + fig5_b + fig5_c + "--tensor 8x8 --order printed")["buffer"], json({8, 8}));
  EXPECT_EQ(runJson("convert " + fig5_b + fig5_c + "--tensor 8x8 --order slides")["buffer"], json({8, 2}));
  const json none = runJson("convert " + fig5_b + fig5_b + "--tensor 8x8");
  EXPECT_EQ(none["buffer"], json::array());
  EXPECT_EQ(none["bytes"], 0);
  EXPECT_THAT(run("convert " + fig5_b + fig5_c + "--tensor 8x8").out, HasSubstr("8x2, before loop 1"));
}

TEST(ITensorCli, MistakesAreDiagnosticsOrUsage) {
  for (const std::string& wrong :
       {std::string("'itensor<4x2xf32>'"), fig5_b + "--tensor 8xx", fig5_b + "--tensor 8x8x8",
        "convert " + fig5_b + fig5_c + "--tensor 8x9", "convert " + fig5_b + "nonsense --tensor 8x8"}) {
    const json object = runJson(wrong, 1);
    ASSERT_EQ(object["diagnostics"].size(), 1u) << wrong;
    for (const char* field : {"code", "place", "cause", "fix"})
      EXPECT_FALSE(object["diagnostics"][0][field].get<std::string>().empty()) << wrong;
  }
  EXPECT_THAT(run("'itensor<4x2xf3, [4]*[2], (d0)->(d0)>'", true).out, HasSubstr("TYPE, column 13"));
  for (const std::string& wrong :
       {std::string(), std::string("--tensor 8x8"), "convert " + fig5_b, "convert " + fig5_b + fig5_c,
        "convert " + fig5_b + fig5_c + "--tensor 8x8 --order best", fig5_b + "--sequence -1"})
    EXPECT_EQ(run(wrong).status, 2) << wrong;
}

}  // namespace sluice::itensor_cli_test

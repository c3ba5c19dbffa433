// Near misses, the frontier of two depths and the marks of the pre-check on the command line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "engine/program/file_format.h"
#include "tests/engine/support/command_line.h"

namespace sluice::deadlock_cli_test {

using nlohmann::json;
using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::runCommandLine;

const std::filesystem::path folder =
    std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads" / "deadlocks";

std::string sample(const std::string& name) {
  return testing_support::sample("deadlocks/" + name);
}

/// A sample with other depths, in a file that goes away.
class ChangedSample {
 public:
  ChangedSample(const std::string& name, const std::map<std::size_t, std::int64_t>& depths)
      : file_(std::filesystem::temp_directory_path() /
              ("sluice_" + name + "_" + std::to_string(getpid()) + ".sluice")) {
    Document document = *loadDocument(folder / (name + ".sluice"));
    for (const auto& [stream, depth] : depths) document.program.streams.at(stream).depth = Value(depth);
    EXPECT_TRUE(saveDocument(document, file_));
  }
  ~ChangedSample() { std::filesystem::remove(file_); }
  std::string quoted() const { return "'" + file_.string() + "'"; }

 private:
  std::filesystem::path file_;
};

TEST(DeadlockCli, NearMissesOfARunThatEnds) {
  const ChangedSample fixed("interlocking", {{0, 7}, {4, 6}});
  const Outcome near = runCommandLine("simulate " + fixed.quoted() + " --near-misses 1 --json");
  EXPECT_EQ(near.status, 0);
  const json one = near.object()["near_misses"];
  ASSERT_EQ(one["streams"].size(), 1u);
  EXPECT_EQ(one["streams"][0]["stream"], "shifted.out -> divided.in1");
  EXPECT_EQ(one["streams"][0]["depth"], 6);
  EXPECT_EQ(one["streams"][0]["slots_fewer"], 1);
  EXPECT_EQ(one["streams"][0]["members"].size(), 4u);
  EXPECT_TRUE(one["streams"][0]["stall_cycles"].is_number_unsigned());
  EXPECT_EQ(one["gave_up"], false);
  const json two =
      runCommandLine("simulate " + fixed.quoted() + " --near-misses 2 --json").object()["near_misses"];
  ASSERT_EQ(two["streams"].size(), 2u);
  EXPECT_EQ(two["streams"][1]["stream"], "x.out -> shifted.in1");
  EXPECT_EQ(two["streams"][1]["slots_fewer"], 2);

  const std::string told = runCommandLine("simulate " + fixed.quoted() + " --near-misses 2").out;
  EXPECT_THAT(told, HasSubstr("Near misses: FIFOs that lock the run up with a few slots fewer"));
  EXPECT_THAT(told, testing::ContainsRegex("x.out -> shifted.in1 +7 +5 "));
  EXPECT_THAT(runCommandLine("simulate " + sample("long_stall") + " --near-misses 1").out,
              HasSubstr("with a few slots fewer\n  none"));
  EXPECT_FALSE(runCommandLine("simulate " + fixed.quoted() + " --json").object().contains("near_misses"));
}

TEST(DeadlockCli, TheDepthsThatSeparateTheTwo) {
  const Outcome outcome = runCommandLine("depth-frontier " + sample("interlocking") + " --up-to 8 --json");
  EXPECT_EQ(outcome.status, 0);
  const json object = outcome.object();
  EXPECT_EQ(object["first"]["stream"], "x.out -> shifted.in1");
  EXPECT_EQ(object["second"]["stream"], "shifted.out -> divided.in1");
  EXPECT_EQ(object["second"]["depth"], 3);
  EXPECT_EQ(object["corners"], json({{{"first", 6}, {"second", 6}, {"more_bytes", 7168.0}, {"cycles", 73}}}));
  for (std::size_t a = 1; a <= 8; ++a)
    for (std::size_t b = 1; b <= 8; ++b) EXPECT_EQ(object["ends"][a - 1][b - 1], a >= 6 && b >= 6);

  const std::string named = runCommandLine("depth-frontier " + sample("interlocking") +
                                           " --up-to 7 --first divided.in1 --second 'x.out -> shifted.in1'")
                                .out;
  EXPECT_THAT(named, HasSubstr("  7  # # # # # + +\n  6  # # # # # + +\n  5  # # # # # # #\n"));
  EXPECT_THAT(named, HasSubstr("  3  # O # # # # #\n"));
  EXPECT_THAT(runCommandLine("depth-frontier " + sample("unmatched_stops") + " --up-to 3").out,
              HasSubstr("No depth up to 3 of these two lets the run end."));
}

TEST(DeadlockCli, AFrontierThatCannotBeIsExplained) {
  const Outcome nobody =
      runCommandLine("depth-frontier " + sample("interlocking") + " --first nobody.in", true);
  EXPECT_EQ(nobody.status, 1);
  EXPECT_THAT(nobody.out, HasSubstr("stream 'nobody.in': there is no FIFO of that name"));
  EXPECT_THAT(nobody.out, HasSubstr("divided.in1"));
  const Outcome ends = runCommandLine("depth-frontier " + sample("long_stall"), true);
  EXPECT_EQ(ends.status, 2);
  EXPECT_THAT(ends.out, HasSubstr("the run does not deadlock"));
  EXPECT_EQ(runCommandLine("depth-frontier " + sample("interlocking") + " --up-to 0").status, 2);
  // A run that fails has no frontier: no depth fixes what is wrong there.
  const ChangedSample fails("unmatched_stops", {{3, 60}, {4, 60}, {5, 60}, {6, 60}, {7, 60}, {8, 60}});
  for (const std::string command : {"depth-frontier ", "unlock "}) {
    const Outcome fault = runCommandLine(command + fails.quoted(), true);
    EXPECT_EQ(fault.status, 1) << fault.out;
    EXPECT_THAT(fault.out, HasSubstr("the first stream has stop level 1, the second 0"));
  }
}

TEST(DeadlockCli, CheckMarksWhatIsCertain) {
  const Outcome marked = runCommandLine("check " + sample("two_sources") + " --json");
  EXPECT_EQ(marked.status, 3);
  const json object = marked.object();
  EXPECT_EQ(object["ok"], false);
  ASSERT_EQ(object["diagnostics"].size(), 1u);
  const json& mark = object["diagnostics"][0];
  EXPECT_EQ(mark["severity"], "warning");
  EXPECT_EQ(mark["place"], "stream 'b.out -> b_join.in1'");
  EXPECT_THAT(mark["cause"].get<std::string>(), HasSubstr("paths that meet again cannot hold"));
  EXPECT_THAT(mark["fix"].get<std::string>(), HasSubstr("a_join.in1"));
  EXPECT_THAT(runCommandLine("check " + sample("rate_mismatch"), true).out, HasSubstr("rates do not match"));
  EXPECT_THAT(runCommandLine("check " + sample("self_loop"), true).out, HasSubstr("nothing ends the loop"));
  EXPECT_THAT(runCommandLine("check " + sample("accumulate_without_stop"), true).out,
              HasSubstr("must come before itself"));
  EXPECT_EQ(runCommandLine("check " + sample("long_stall") + " --json").object()["diagnostics"],
            json::array());
}

}  // namespace sluice::deadlock_cli_test

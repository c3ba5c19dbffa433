// sluice-cli proposals: what it lists, and how it ends.

#include <gtest/gtest.h>

#include "tests/engine/support/command_line.h"

namespace sluice::proposals_cli_test {

using testing_support::Outcome;
using testing_support::runCommandLine;

const std::string gnn = "'" SLUICE_SOURCE_DIR "/sample_workloads/gnn.sluice'";

TEST(ProposalsCommand, ListsStepsWithTheirDomains) {
  const Outcome told = runCommandLine("proposals " + gnn + " --json");
  ASSERT_EQ(told.status, 0) << told.out;
  const nlohmann::json object = told.object();
  EXPECT_FALSE(object.contains("refused"));
  bool depth = false;
  for (const nlohmann::json& proposal : object["proposals"]) {
    if (proposal["transformation"] != "fifo_depth" || proposal["arguments"]["to"] != "*") continue;
    depth = true;
    EXPECT_EQ(proposal["domains"][0]["argument"], "depth");
    EXPECT_EQ(proposal["domains"][0]["kind"], "number");
    EXPECT_EQ(proposal["domains"][0]["values"][0], 1);
  }
  EXPECT_TRUE(depth);
}

TEST(ProposalsCommand, TellsWhyAStepIsNotLegal) {
  const Outcome told = runCommandLine("proposals " + gnn + " --refused --json");
  ASSERT_EQ(told.status, 0) << told.out;
  const nlohmann::json object = told.object();
  ASSERT_FALSE(object["refused"].empty());
  EXPECT_TRUE(object["refused"][0]["diagnostics"][0].contains("cause"));
  EXPECT_NE(runCommandLine("proposals " + gnn + " --refused").out.find("Not legal:"), std::string::npos);
}

TEST(ProposalsCommand, EndsAsItsNeighboursDo) {
  EXPECT_EQ(runCommandLine("proposals no_such_file.sluice --json").status, 1);
  EXPECT_EQ(runCommandLine("proposals " + gnn + " --set ways=3 --json").status, 1);
  EXPECT_EQ(runCommandLine("proposals").status, 2);
}

}  // namespace sluice::proposals_cli_test

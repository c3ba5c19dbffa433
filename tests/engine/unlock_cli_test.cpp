// sluice-cli unlock as a user meets it: exit codes, the report, and the repair in the file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/core/atomic_file.h"
#include "engine/program/file_format.h"
#include "tests/engine/support/command_line.h"

namespace sluice::unlock_cli_test {

using nlohmann::json;
using testing::HasSubstr;

using testing_support::Outcome;

Outcome run(const std::string& arguments) {
  return testing_support::runCommandLine(arguments);
}

std::string sample(const std::string& name) {
  return testing_support::sample("deadlocks/" + name);
}

TEST(UnlockCli, TellsTheWholeDeadlock) {
  for (const std::string command : {"simulate ", "unlock "}) {
    const Outcome outcome = run(command + sample("independent") + " --json");
    EXPECT_EQ(outcome.status, 3);
    const json object = json::parse(outcome.out, nullptr, false);
    ASSERT_TRUE(object.is_object()) << outcome.out;
    const json& deadlock = object["deadlock"];
    EXPECT_EQ(deadlock["kind"], "artificial");
    ASSERT_EQ(deadlock["cycles"].size(), 2u);
    for (const json& circle : deadlock["cycles"]) {
      EXPECT_EQ(circle["kind"], "artificial");
      EXPECT_EQ(circle["members"].size(), 4u);
      EXPECT_EQ(circle["streams"].size(), 4u);
      EXPECT_EQ(circle["last_progress"].size(), 4u);
      EXPECT_EQ(circle["because"].size(), 4u);
    }
    EXPECT_LT(deadlock["cycles"][0]["closed_at"], deadlock["cycles"][1]["closed_at"]);
    EXPECT_EQ(deadlock["cycles"][0]["depths"], json({{"a.out -> a_join.in1", 4}}));
    EXPECT_EQ(deadlock["cycles"][1]["depths"], json({{"b.out -> b_join.in1", 5}}));
    for (const json& blocked : deadlock["blocked"])
      for (const char* field : {"operator", "waits_on", "stream", "reason", "because"})
        EXPECT_TRUE(blocked.contains(field)) << field;
    EXPECT_EQ(deadlock["victims"], json({"a", "a_end", "b", "b_end"}));
    const json& repair = deadlock["repair"];
    EXPECT_EQ(repair["depths"], json({{"a.out -> a_join.in1", 4}, {"b.out -> b_join.in1", 5}}));
    EXPECT_EQ(repair["bytes"], 3840);
    EXPECT_EQ(repair["verified"], true);
    EXPECT_GT(repair["cycles_after"], 0);
  }
}

TEST(UnlockCli, TextTellsTheChain) {
  for (const std::string command : {"simulate ", "unlock "}) {
    const Outcome outcome = run(command + sample("shallow_branch"));
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.out, HasSubstr("2. x.out is waiting to push token 3 into"));
    EXPECT_THAT(outcome.out, HasSubstr("because of 1: the wait cycle closes"));
    EXPECT_THAT(outcome.out, HasSubstr("depth of x.out -> join.in1: 3 -> 8"));
  }
}

TEST(UnlockCli, ApplyWritesTheDepthsIntoTheFile) {
  const auto file =
      std::filesystem::temp_directory_path() / ("sluice_unlock_" + std::to_string(getpid()) + ".sluice");
  std::filesystem::copy_file(SLUICE_SOURCE_DIR "/sample_workloads/deadlocks/nested_regions.sluice", file);
  const Result<Document> before = loadDocument(file);
  const std::string quoted = "'" + file.string() + "'";
  EXPECT_EQ(run("unlock " + quoted).status, 3);
  EXPECT_TRUE(*loadDocument(file) == *before) << "written without --apply";
  const Outcome outcome = run("unlock " + quoted + " --apply --json");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(json::parse(outcome.out, nullptr, false)["applied"], true);
  const Result<Document> after = loadDocument(file);
  ASSERT_TRUE(after);
  const Graph& head = after->program.find("layer")->body->body.find("head")->body->body;
  EXPECT_TRUE(head.streams.at(0).depth == Value(4));
  Document undone = *after;
  undone.program = before->program;
  EXPECT_TRUE(undone == *before);
  EXPECT_EQ(run("simulate " + quoted).status, 0);
  EXPECT_EQ(run("unlock " + quoted).status, 0);
  std::filesystem::remove(file);
}

TEST(UnlockCli, ARealDeadlockHasNoRepair) {
  const Outcome outcome = run("unlock " + sample("rate_mismatch") + " --apply --json");
  EXPECT_EQ(outcome.status, 3);
  const json object = json::parse(outcome.out, nullptr, false);
  EXPECT_EQ(object["deadlock"]["kind"], "real");
  EXPECT_TRUE(object["deadlock"]["repair"].is_null());
  EXPECT_EQ(object["applied"], false);
  EXPECT_EQ(run("unlock " + sample("no_such_file")).status, 1);
  EXPECT_EQ(run("unlock").status, 2);
}

}  // namespace sluice::unlock_cli_test

// sluice-cli compile --platform as a user meets it: where everything lies on the card.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "engine/core/atomic_file.h"
#include "engine/core/csv.h"
#include "tests/engine/support/command_line.h"

namespace sluice::placement_cli_test {

using nlohmann::json;
using testing::HasSubstr;

using testing_support::Outcome;

Outcome compileGpt2(const std::string& arguments) {
  return testing_support::runCommandLine("compile gpt2 --set tokens=32 " + arguments, true);
}

TEST(PlacementCli, EveryKernelHasADieAndEveryBufferAMemory) {
  const Outcome outcome = compileGpt2("--platform u55c --json");
  ASSERT_EQ(outcome.status, 0) << outcome.out;
  const json object = json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(object.is_object()) << outcome.out;
  const json& group = object["placement"]["groups"][0];
  std::multiset<std::string> placed;
  std::int64_t dsps = 0, uram = 0;
  for (const json& die : group["dies"]) {
    for (const json& task : die["tasks"]) placed.insert(task.get<std::string>());
    dsps += die["resources"]["DSP"]["used"].get<std::int64_t>();
    uram += die["resources"]["URAM"]["used"].get<std::int64_t>();
    EXPECT_LE(die["resources"]["DSP"]["used"].get<double>(),
              0.8 * die["resources"]["DSP"]["of"].get<double>());
  }
  std::int64_t products = 0;
  for (const json& kernel : object["kernels"]) {
    EXPECT_EQ(placed.count(kernel["name"].get<std::string>()), 1u) << kernel["name"];
    products += (kernel["unrolled"].get<std::int64_t>() + 1) / 2;
  }
  EXPECT_EQ(dsps, products);
  for (const json& buffer : group["buffers"])
    if (buffer["memory"] == "URAM") uram -= buffer["blocks"].get<std::int64_t>();
  EXPECT_EQ(uram, 0);
  std::map<std::string, std::int64_t> of_parts;
  std::set<std::string> kinds;
  for (const json& part : group["parts"]) {
    kinds.insert(part["kind"].get<std::string>());
    for (const auto& [resource, there] : group["resources"].items())
      of_parts[resource] += part[resource].get<std::int64_t>();
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"converter", "fifo", "kernel", "transfer"}));
  for (const auto& [resource, there] : group["resources"].items())
    EXPECT_EQ(of_parts[resource], there["used"].get<std::int64_t>()) << resource;
  EXPECT_EQ(group["crossings"] == 0, group["crossing_bytes"] == 0);
  EXPECT_LE(group["bound"].get<double>(), group["objective"].get<double>());
  EXPECT_EQ(object["simulated"]["state"], "done");
  EXPECT_FALSE(json::parse(compileGpt2("--json").out, nullptr, false).contains("placement"));
}

/// Logic is counted with every part, and takes its share of the card.
TEST(PlacementCli, EveryPartHasItsLogicAndTheCsvSaysTheSame) {
  const std::string file = testing::TempDir() + "parts.csv";
  const Outcome outcome = compileGpt2("--platform u55c --json --parts " + file);
  ASSERT_EQ(outcome.status, 0) << outcome.out;
  const json object = json::parse(outcome.out.substr(outcome.out.find('{')), nullptr, false);
  const json& group = object["placement"]["groups"][0];
  for (const json& part : group["parts"]) {
    EXPECT_GT(part["LUT"], 0) << part["name"];
    EXPECT_GT(part["FF"], 0) << part["name"];
    EXPECT_EQ(part["DSP"] > 0, part["kind"] == "kernel") << part["name"];
  }
  EXPECT_EQ(group["resources"]["FF"]["of"], 2607360);
  EXPECT_LT(group["resources"]["LUT"]["used"], 1303680);
  const auto rows = parseCsv(*readFile(file, 1 << 20), file);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), group["parts"].size() + 1);
  for (std::size_t at = 0; at < group["parts"].size(); ++at)
    for (std::size_t column = 3; column < rows->front().size(); ++column)
      EXPECT_EQ((*rows)[at + 1][column], group["parts"][at][(*rows)[0][column]].dump());
}

/// What a run of the program counts at its registers between dies is what the placement says of the design.
TEST(PlacementCli, ARunCrossesTheBordersOfThePlacement) {
  json document = json::parse(
      *readFile(std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads/gpt2_block.sluice", 1 << 20));
  const auto saved = [&](const std::string& platform) {
    json& step = document["schedule"][0]["arguments"];
    step["platform"] = platform;
    step["unroll"] = 1024;
    const std::string file = testing::TempDir() + "crossing_" + platform + ".sluice";
    EXPECT_TRUE(writeFileAtomically(file, document.dump()));
    return file;
  };
  const json placed = json::parse(
      testing_support::runCommandLine("compile " + saved("none") + " --set tokens=32 --platform u55c --json")
          .out);
  const json run = json::parse(
      testing_support::runCommandLine("energy " + saved("u55c") + " --set tokens=32 --technology u55c --json")
          .out);
  double crossed = 0;
  const json& energy = run.contains("energy_breakdown") ? run["energy_breakdown"] : run;
  for (const json& each : energy["operators"]) crossed += each["crossed_bytes"].get<double>();
  EXPECT_GT(crossed, 0);
  EXPECT_EQ(crossed, placed["placement"]["groups"][0]["crossing_bytes"].get<double>());
  EXPECT_NEAR(energy["dynamic"]["links"].get<double>(), crossed * 9.6e-12, 1e-12);
}

TEST(PlacementCli, ADesignOfTooManyFloatsLacksTheResourceThatItNames) {
  const Outcome outcome = compileGpt2("--set quantisation=FP32 --platform u55c");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, testing::ContainsRegex("it needs [0-9]+ (LUT|DSP|FF)"));
  EXPECT_THAT(outcome.out, HasSubstr("what the design would need"));
}

/// The refusal and the table of what is needed have the same numbers: read from the sentence here as a user
/// does.
TEST(PlacementCli, ARefusalAndWhatIsNeededAgree) {
  std::size_t checked = 0;
  for (const std::string design :
       {"--set quantisation=FP32 --platform u55c", "--set unroll=16000 --platform generic"}) {
    const Outcome outcome = compileGpt2("--json " + design);
    if (outcome.status == 0) continue;
    const json object = outcome.object();
    ASSERT_TRUE(object["needed"]["groups"].is_array()) << outcome.out;
    const std::string cause = object["diagnostics"][0]["cause"], place = object["diagnostics"][0]["place"];
    std::smatch found;
    const std::regex number("([0-9]+) (LUT|LUTRAM|FF|BRAM18|URAM|DSP)\\b");
    ASSERT_TRUE(std::regex_search(cause, found, number)) << cause;
    const std::string resource = found[2];
    bool there = false;
    for (const json& group : object["needed"]["groups"]) {
      std::int64_t of_dies = 0;
      for (const json& die : group["dies"]) of_dies += die["resources"][resource]["used"].get<std::int64_t>();
      EXPECT_EQ(of_dies, group["resources"][resource]["used"].get<std::int64_t>());
      there = there || of_dies == std::stoll(found[1]);
      // A task's need has the FIFOs before it, too, which are parts of their own.
      for (const json& part : group["parts"])
        there = there || (place.find(part["name"].get<std::string>()) != std::string::npos &&
                          part[resource].get<std::int64_t>() <= std::stoll(found[1]) &&
                          part[resource].get<std::int64_t>() > std::stoll(found[1]) / 2);
    }
    EXPECT_TRUE(there) << place << ": " << cause;
    ++checked;
  }
  EXPECT_GT(checked, 0u);
}

/// What a newcomer reads of a card that is too small: the sums, the task and its buffers, few places more;
/// and whatever the refusal names stands in the tables.
TEST(PlacementCli, ARefusalIsShortAndItsTaskLeadsTheTable) {
  for (const std::string design :
       {"--set quantisation=FP32 --platform u55c", "--set unroll=16000 --platform generic"}) {
    const Outcome outcome = compileGpt2(design);
    ASSERT_EQ(outcome.status, 1) << outcome.out;
    std::size_t also = 0, errors = 0;
    for (std::size_t at = 0; (at = outcome.out.find("see also", at)) != std::string::npos; ++at) ++also;
    for (std::size_t at = 0; (at = outcome.out.find("error: ", at)) != std::string::npos; ++at) ++errors;
    EXPECT_LE(also, 4u) << outcome.out;
    EXPECT_LE(errors, 12u) << outcome.out;
    EXPECT_THAT(outcome.out,
                testing::AllOf(HasSubstr("the largest buffers, and the memory that each lies in"),
                               testing::ContainsRegex("(URAM|BRAM18|LUTRAM)  ")));
    const std::size_t table = outcome.out.find("what takes most of the card");
    ASSERT_NE(table, std::string::npos);
    std::smatch named;
    if (std::regex_search(outcome.out, named, std::regex("error: task '([^']+)'"))) {
      EXPECT_NE(outcome.out.find(named[1], table), std::string::npos) << named[1];
    }
    // The sum over the card that is too much is said of the design, in the words of the table's head.
    EXPECT_THAT(outcome.out,
                testing::ContainsRegex("the design: it needs [0-9]+ (LUT|LUTRAM|FF|BRAM18|URAM|DSP)|"
                                       "the design needs [0-9]+"));
  }
}

TEST(PlacementCli, TheTableNamesTheDies) {
  const Outcome outcome = compileGpt2("--platform u280");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, testing::AllOf(HasSubstr("AMD Alveo U280"), HasSubstr("SLR2"), HasSubstr("URAM")));
}

TEST(PlacementCli, WhatDoesNotFitOrIsNotThereIsExplained) {
  const Outcome unknown = compileGpt2("--platform u55");
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.out, HasSubstr("did you mean 'u55c'"));
  const Outcome large = compileGpt2("--set unroll=8000 --platform generic");
  EXPECT_EQ(large.status, 1);
  EXPECT_THAT(large.out, HasSubstr("it needs 4000 DSP"));
  // So many unrolled loops ask for so many banks, each a memory of its own.
  const Outcome banks = compileGpt2("--set unroll=16000 --platform generic");
  EXPECT_EQ(banks.status, 1);
  EXPECT_THAT(banks.out, HasSubstr("LUTRAM ("));
}

}  // namespace sluice::placement_cli_test

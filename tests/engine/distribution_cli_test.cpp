// Sets of traces as a user of sluice-cli meets them: a distribution of one point, exploration over
// statistics, repairs for every trace, and what is said of traces that do not fit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/core/atomic_file.h"
#include "engine/core/csv.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/npy.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::distribution_cli_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::runCommandLine;

const std::string moe = "'" SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice'";
const std::string zipf = " --input routing=set:zipf,count=8,exponent=1.5";

class DistributionCli : public testing_support::FolderTest {};

/// Each number is that of `simulate` with the trace alone.
TEST_F(DistributionCli, QuantilesAreThoseOfTheTracesAlone) {
  const json all =
      runCommandLine("distribution " + moe + zipf + " --pick 7 --json --csv " + at("runs.csv")).object();
  ASSERT_TRUE(all.is_object());
  EXPECT_EQ(all["traces"]["count"], 8);
  EXPECT_EQ(all["states"]["done"], 8);
  std::vector<double> cycles;
  for (int trace = 0; trace < 8; ++trace) {
    const json one =
        runCommandLine("simulate " + moe + zipf + ",pick=" + std::to_string(trace) + " --count --json")
            .object();
    cycles.push_back(one["cycles"]);
  }
  const double chosen = cycles[7];
  std::ranges::sort(cycles);
  const json& summary = all["metrics"][0];
  ASSERT_EQ(summary["name"], "cycles");
  EXPECT_EQ(summary["chosen"], chosen);
  EXPECT_EQ(summary["p50"], cycles[3]);
  EXPECT_EQ(summary["p95"], cycles[7]);
  EXPECT_EQ(summary["min"], cycles[0]);
  EXPECT_EQ(summary["worst"], cycles[7]);
  const auto above = std::ranges::upper_bound(cycles, chosen);
  EXPECT_NEAR(summary["percentile"].get<double>(), 100.0 * static_cast<double>(above - cycles.begin()) / 8,
              1e-9);
  double tokens = 0;
  for (const json& rank : all["tokens_per_expert"]["by_rank"]) tokens += rank["mean"].get<double>();
  EXPECT_NEAR(tokens, 16, 1e-9);
  std::ifstream csv(folder_ / "runs.csv");
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(csv), {}, '\n'), 9);
  const Outcome words = runCommandLine("distribution " + moe + zipf + " --pick 7", true);
  EXPECT_THAT(words.out, HasSubstr("percentile of 8"));
  const json simulated = runCommandLine("simulate " + moe + zipf + " --json").object();
  EXPECT_EQ(simulated["metrics"][0]["p95"], summary["p95"]);
}

/// A design's statistic is that of the program that the designer writes, under the same traces.
TEST_F(DistributionCli, DesignTakesStatistics) {
  const json found =
      runCommandLine("design " + moe + zipf +
                     " --objective 'p95(cycles)' --objective on_chip_bytes --constraint 'P(deadlock)=0'"
                     " --budget 6 --quick --json --out " +
                     at("designs"))
          .object();
  ASSERT_TRUE(found.is_object());
  EXPECT_EQ(found["objectives"], json({"p95(cycles)", "mean(on_chip_bytes)"}));
  EXPECT_TRUE(found["bounds"].is_null());
  ASSERT_FALSE(found["frontier"].empty());
  for (const json& number : found["frontier"]) {
    const json& point = found["points"][number.get<std::size_t>()];
    EXPECT_EQ(point["metrics"]["P(deadlock)"], 0);
    const std::string file = at("designs/design_" + std::to_string(number.get<int>()) + ".sluice");
    const json alone = runCommandLine("distribution " + file + zipf + " --json").object();
    EXPECT_EQ(point["metrics"]["p95(cycles)"], alone["metrics"][0]["p95"]) << file;
  }
  const Outcome one = runCommandLine("design " + moe + " --objective 'p95(cycles)' --budget 2 --json");
  EXPECT_EQ(one.status, 2);
}

TEST_F(DistributionCli, ExploreTakesStatistics) {
  const std::string explore =
      "explore " + moe + zipf + " --json --objectives 'p90(cycles),on_chip_bytes' --store " + at("s.db");
  const Outcome first = runCommandLine(explore);
  EXPECT_EQ(first.status, 0);
  const json found = first.object();
  EXPECT_EQ(found["objectives"], json({"p90(cycles)", "mean(on_chip_bytes)"}));
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

/// Who finds a report, a store or a project must know what it ran on.
TEST_F(DistributionCli, ReportsNameTheSet) {
  const std::string set = "set:zipf,count=8,exponent=1.5";
  ASSERT_EQ(zipf, " --input routing=" + set);
  const json sources = {{"routing", set}};
  EXPECT_EQ(runCommandLine("simulate " + moe + zipf + " --json").object()["traces"]["sources"], sources);
  const std::string explore = "explore " + moe + zipf + " --store " + at("s.db");
  EXPECT_EQ(runCommandLine(explore + " --json").object()["traces"]["sources"], sources);
  const std::string design = "design " + moe + zipf + " --budget 2 --quick";
  EXPECT_EQ(runCommandLine(design + " --json --store " + at("s.db")).object()["traces"]["sources"], sources);
  for (const std::string command : {"unlock ", "size-fifos "})
    EXPECT_EQ(runCommandLine(command + moe + zipf + " --json").object()["trace_sources"], sources) << command;
  for (const std::string& command :
       {"simulate " + moe + zipf, "explore " + moe + zipf, design, "unlock " + moe + zipf,
        "size-fifos " + moe + zipf, "explorations " + at("s.db")})
    EXPECT_THAT(runCommandLine(command).out, HasSubstr("8 traces of routing=" + set)) << command;
}

/// The project is of one trace, which is named; its hash is that of the trace's values alone.
TEST_F(DistributionCli, AnEmittedProjectNamesItsTrace) {
  const auto inputOf = [&](const std::string& folder, const std::string& input) {
    EXPECT_EQ(runCommandLine("emit rtl " + moe + " --no-run -o " + at(folder) + input).status, 0);
    return json::parse(*readFile(folder_ / folder / "point.json"))["inputs"][0];
  };
  const json third = inputOf("third", zipf + ",pick=3"), fourth = inputOf("fourth", zipf + ",pick=4");
  EXPECT_EQ(third["trace"]["number"], 3);
  EXPECT_EQ(third["trace"]["name"], "zipf 3");
  EXPECT_NE(third["hash"], fourth["hash"]);
  EXPECT_THAT(*readFile(folder_ / "third/README.md"), HasSubstr("its trace 3 'zipf 3'"));
  EXPECT_FALSE(inputOf("plain", "").contains("trace"));
}

/// Each line is the run under that trace alone.
TEST_F(DistributionCli, ExploreWritesTheRunsUnderEachTrace) {
  ASSERT_EQ(runCommandLine("explore " + moe + zipf + " --out " + at("out")).status, 0);
  const auto rows = *parseCsv(*readFile(folder_ / "out/traces.csv"), "traces.csv");
  const auto points = *parseCsv(*readFile(folder_ / "out/points.csv"), "points.csv");
  ASSERT_EQ(rows.size() - 1, 8 * (points.size() - 1));
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(rows[0], name) - rows[0].begin());
  };
  for (const std::size_t line : {std::size_t{1}, rows.size() / 2, rows.size() - 1}) {
    const auto& row = rows[line];
    std::string set;
    for (std::size_t knob = 0; rows[0][knob] != "number"; ++knob)
      set += " --set " + rows[0][knob] + "=" + row[knob];
    const json alone =
        runCommandLine("simulate " + moe + zipf + ",pick=" + row[column("number")] + set + " --count --json")
            .object();
    EXPECT_EQ(row[column("cycles")], alone["cycles"].dump()) << set;
    EXPECT_EQ(row[column("state")], "done");
  }
}

/// As `explore` does: the strategies are compared by what they find over all traces, not under one of them.
TEST_F(DistributionCli, StrategiesAreComparedOverTheSet) {
  const std::string command = "strategies " + moe + zipf + " --strategies random,exhaustive --budget 100";
  const json compared = runCommandLine(command + " --json").object();
  EXPECT_EQ(compared["objectives"], json({"mean(cycles)", "mean(on_chip_bytes)"}));
  const json all = runCommandLine("explore " + moe + zipf + " --json").object();
  EXPECT_EQ(compared["traces"]["count"], all["traces"]["count"]);
  for (const json& row : compared["strategies"]) {
    if (row["strategy"] != "exhaustive") continue;
    EXPECT_EQ(row["evaluated"], all["points"].size());
    EXPECT_EQ(row["frontier"], all["frontier"].size());
  }
  EXPECT_EQ(compared["strategies"].size(), 2u);
  const std::string told = runCommandLine(command).out;
  EXPECT_THAT(told, HasSubstr("Each point under " + compared["traces"]["count"].dump() + " traces"));
  EXPECT_EQ(runCommandLine("strategies " + moe + " --objectives 'p95(cycles)' --budget 4").status, 2);
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
    return runCommandLine(explore + "--constraint 'cycles<=" + std::to_string(std::llround(most)) +
                          "' --constraint 'P(deadlock)=0'")
        .object();
  };
  EXPECT_EQ(bounded(least_worst)["frontier"].size(), 1u);
  EXPECT_EQ(bounded(least_worst - 1)["frontier"].size(), 0u);
}

TEST_F(DistributionCli, ConstraintsThatNobodyMeetsAreToldAsWithoutASet) {
  const std::string explore = "explore " + moe + zipf + " --objectives 'p95(cycles)'";
  const Outcome none = runCommandLine(explore + " --constraint 'p95(cycles)<=10'", true);
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.out, testing::AllOf(HasSubstr("[no-feasible-point]"),
                                       HasSubstr("p95(cycles) <= 10 cycles"), HasSubstr("the nearest has")));
  const json told = runCommandLine(explore + " --constraint 'cycles<=10' --json").object();
  EXPECT_EQ(told["constraints"][0]["metric"], "worst(cycles)");
  EXPECT_EQ(told["diagnostics"][0]["code"], "no-feasible-point");
  EXPECT_EQ(runCommandLine(explore + " --constraint 'p95(cycles)>=10'").status, 0);
}

TEST_F(DistributionCli, AProbabilityIsNoMoreThanCertain) {
  const std::string explore = "explore " + moe + zipf + " --objectives 'p95(cycles)' --constraint ";
  for (const char* constraint : {"'P(deadlock)<=200 %'", "'P(overflow)>=-1'"}) {
    const Outcome refused = runCommandLine(explore + constraint, true);
    EXPECT_EQ(refused.status, 1) << constraint;
    EXPECT_THAT(refused.out, testing::AllOf(HasSubstr("[out-of-range]"), HasSubstr("0 to 100 %")))
        << constraint;
  }
  EXPECT_EQ(runCommandLine(explore + "'P(deadlock)<=100 %'").status, 0);
}

/// Also where the distribution is drawn.
TEST_F(DistributionCli, PricesNeedATechnology) {
  for (const std::string& command :
       {"distribution " + moe + zipf, "export " + moe + zipf + " --chart distribution --out " + at("a.svg"),
        "export " + moe + zipf + " --chart boxes --out " + at("a.svg")}) {
    const Outcome refused = runCommandLine(command + " --metric energy", true);
    EXPECT_EQ(refused.status, 1) << command;
    EXPECT_THAT(refused.out, HasSubstr("[missing-technology]")) << command;
    EXPECT_FALSE(fs::exists(folder_ / "a.svg"));
  }
  const std::string drawn = "export " + moe + zipf + " --technology u55c --metric area --out " + at("a.svg");
  for (const char* chart : {" --chart distribution", " --chart boxes"}) {
    EXPECT_EQ(runCommandLine(drawn + chart, true).status, 1) << chart << " of a technology without areas";
    EXPECT_FALSE(fs::exists(folder_ / "a.svg"));
  }
}

/// A routing of fewer tokens than the program has: every run stops at the same operator.
TEST_F(DistributionCli, WhereNoRunEndsTheFirstCauseIsTold) {
  const std::string wrong =
      " '" SLUICE_SOURCE_DIR
      "/sample_workloads/moe_mixtral.sluice' --input routing=set:zipf,tokens=32,count=3";
  for (const char* command : {"distribution", "simulate"}) {
    const Outcome outcome = runCommandLine(command + wrong, true);
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_THAT(outcome.out, testing::AllOf(HasSubstr("[run-failed]"), HasSubstr("trace 'zipf 0'"),
                                            HasSubstr("operator 'scatter_weights'")))
        << command;
    const Outcome told = runCommandLine(command + wrong + " --json");
    EXPECT_EQ(told.status, 1) << command;
    EXPECT_EQ(told.object()["diagnostics"][0]["code"], "run-failed") << command;
  }
}

/// Depths are found under the traces that fit; where the run fails under all, the first is named.
TEST_F(DistributionCli, DepthsAreFoundWithoutTheTracesThatDoNotFit) {
  fs::create_directory(folder_ / "set");
  for (const std::size_t tokens : {16, 8}) {
    IntTensor trace{{tokens, 1}, std::vector<std::int64_t>(tokens)};
    for (std::size_t i = 0; i < trace.data.size(); ++i) trace.data[i] = static_cast<std::int64_t>(i % 2);
    writeNpy(folder_ / "set" / (std::to_string(tokens) + ".npy"), trace);
  }
  for (const char* command : {"unlock ", "size-fifos "}) {
    const Outcome some = runCommandLine(command + moe + " --json --input routing=set:" + at("set"));
    EXPECT_EQ(some.status, 0) << command;
    EXPECT_EQ(some.object()["traces"], 1) << command;
    const Outcome told = runCommandLine(command + moe + " --input routing=set:" + at("set"), true);
    EXPECT_THAT(told.out, testing::AllOf(HasSubstr("8.npy"), HasSubstr("left out"))) << command;
    const Outcome none =
        runCommandLine(command + std::string(" '" SLUICE_SOURCE_DIR "/sample_workloads/moe_mixtral.sluice'") +
                           " --input routing=set:zipf,tokens=32,count=3",
                       true);
    EXPECT_EQ(none.status, 1);
    EXPECT_THAT(none.out, testing::AllOf(HasSubstr("trace 'zipf 0'"), HasSubstr("[wrong-token]")));
  }
}

/// Tensors are held against the document's own values.
TEST_F(DistributionCli, AnArrayOfAnotherShapeIsLeftOut) {
  const std::string program = "'" SLUICE_SOURCE_DIR "/sample_workloads/deadlocks/rate_mismatch.sluice'";
  fs::create_directory(folder_ / "set");
  for (const std::size_t columns : {2, 3}) {
    IntTensor trace{{8, columns}, std::vector<std::int64_t>(8 * columns)};
    for (std::size_t row = 0; row < 8; ++row) trace.data[row * columns] = 1;
    writeNpy(folder_ / "set" / (std::to_string(columns) + ".npy"), trace);
  }
  const Outcome some = runCommandLine("simulate " + program + " --input dealt=set:" + at("set"), true);
  EXPECT_THAT(some.out,
              testing::AllOf(HasSubstr("'3.npy'"), HasSubstr("its shape is 8 x 3"), HasSubstr("8 x 2")));
  // An array of the input's own shape is one trace, and not one for each row.
  const Outcome one = runCommandLine("simulate " + program + " --json --input dealt=set:" + at("set/2.npy"));
  EXPECT_EQ(
      one.object()["traces"]["count"].is_null() ? one.object()["evaluated"] : one.object()["traces"]["count"],
      1);
}

/// One line for what is wrong in the same way, and the name of each.
TEST_F(DistributionCli, EveryTraceThatIsLeftOutIsNamed) {
  IntTensor set{{4, 16, 1}, std::vector<std::int64_t>(64)};
  for (std::size_t i = 0; i < 64; ++i) set.data[i] = static_cast<std::int64_t>(i % 3 == 0);
  set.data[20] = 5;
  set.data[40] = 7;
  writeNpy(folder_ / "two.npy", set);
  const Outcome outcome =
      runCommandLine("distribution " + moe + " --input routing=set:" + at("two.npy"), true);
  EXPECT_EQ(outcome.status, 0);
  const std::size_t first = outcome.out.find("expert 5"), second = outcome.out.find("likewise");
  ASSERT_NE(first, std::string::npos) << outcome.out;
  ASSERT_NE(second, std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find('\n', first), outcome.out.find('\n', second));
  const Outcome drawn = runCommandLine("export " + moe + " --input routing=set:" + at("two.npy") +
                                           " --chart distribution --out " + at("a.svg"),
                                       true);
  EXPECT_THAT(drawn.out, testing::AllOf(HasSubstr("expert 5"), HasSubstr("likewise")));
}

TEST_F(DistributionCli, WhatIsWrongIsToldAndTheRestEvaluated) {
  IntTensor set{{4, 16, 1}, std::vector<std::int64_t>(64)};
  for (std::size_t i = 0; i < 64; ++i) set.data[i] = static_cast<std::int64_t>(i % 3 == 0);
  set.data[20] = 5;
  writeNpy(folder_ / "set.npy", set);
  const Outcome some = runCommandLine("distribution " + moe + " --json --input routing=set:" + at("set.npy"));
  EXPECT_EQ(some.status, 0);
  EXPECT_EQ(some.object()["evaluated"], 3);
  const json left_out = some.object()["traces"]["left_out"];
  ASSERT_EQ(left_out.size(), 1u);
  EXPECT_THAT(left_out[0].dump(),
              testing::AllOf(HasSubstr("set.npy"), HasSubstr("expert 5"), HasSubstr("trace-mismatch")));
  struct Refused {
    std::string words, told;
    int status;  // 2: wrong whatever the files hold
  };
  for (const auto& [words, told, status] : std::vector<Refused>{
           {"distribution " + moe, "none of its inputs is a set", 1},
           {"distribution " + moe + zipf + " --pick 99", "no such trace", 1},
           {"distribution " + moe + zipf + " --metric cycels", "did you mean", 2},
           {"distribution " + moe + zipf + " --precision 2", "no share", 1},
           {"explore " + moe + " --objectives 'p95(cycles)'", "no input is one", 2},
           {"explore " + moe + zipf + " --objectives 'p95(cycels)'", "did you mean 'p95(cycles)'?", 2},
           {"explore " + moe + zipf + " --objectives 'meen(cycles)'", "did you mean 'mean(cycles)'?", 2},
           {"explore " + moe + zipf + " --objectives 'p105(cycles)'", "above 0 and below 100", 2},
           {"explore " + moe + zipf + " --constraint 'P(deadlok)=0'", "P(deadlock) or P(overflow)", 2},
           {"explore " + moe + zipf + " --level symbolic", "no bounds over a set", 2},
           {"distribution " + moe + " --input routing=set:nothing", "no file or folder", 1}}) {
    const Outcome refused = runCommandLine(words, true);
    EXPECT_EQ(refused.status, status) << words;
    EXPECT_THAT(refused.out, HasSubstr(told)) << words;
  }
}

/// Also where the point then fails: it may be why.
TEST_F(DistributionCli, AFileThatLeavesOutTracesIsALineWithACount) {
  std::ofstream(folder_ / "few.csv")
      << "TIMESTAMP,ContextTokens,GeneratedTokens\n1,100,3\n2,foo,4\n3,bar,4\n";
  const Outcome failed = runCommandLine("distribution '" SLUICE_SOURCE_DIR
                                        "/sample_workloads/attention_qwen.sluice' --input lengths=set:" +
                                            at("few.csv") + ",batch=1",
                                        true);
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.out, testing::AllOf(HasSubstr("line 3"), HasSubstr("'foo'"), HasSubstr("1 more"),
                                         testing::Not(HasSubstr("'bar'"))));
}

/// FIFOs of one token deadlock under the routings that send long runs of tokens to one expert.
class Locking : public DistributionCli {
 protected:
  void SetUp() override {
    DistributionCli::SetUp();
    std::string program = *readFile(SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice");
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"\"B\": 16", "\"B\": 24"},
             {"\"tokens\": 16", "\"tokens\": 24"},
             {"[11, 5]", "[19, 5]"},
             {"\"default\": 4, \"help\": \"tokens in every", "\"default\": 1, \"help\": \"tokens in every"}})
      program.replace(program.find(from), from.size(), to);
    ASSERT_TRUE(writeFileAtomically(folder_ / "locking.sluice", program));
  }
  const std::string set_ = " --set token_tile=2 --input routing=set:zipf,count=12,exponent=5";
};

TEST_F(Locking, DistributionAndExploreTellUnderWhichTraces) {
  const json all = runCommandLine("distribution " + at("locking.sluice") + set_ + " --json").object();
  const auto locked = all["states"]["deadlocked"].get<std::size_t>();
  ASSERT_GT(locked, 0u);
  ASSERT_LT(locked, 12u);
  ASSERT_EQ(all["not_done"].size(), locked);
  for (const json& trace : all["not_done"]) {
    const std::string one =
        "simulate " + at("locking.sluice") + set_ + ",pick=" + trace["number"].dump() + " --count --json";
    EXPECT_EQ(runCommandLine(one).status, 3);
  }
  // A design that deadlocks under some traces ends with 3, as it does in a sweep that allows none.
  const std::string with_set = at("locking.sluice") + set_;
  for (const char* command : {"simulate ", "distribution ", "unlock "})
    EXPECT_EQ(runCommandLine(command + with_set).status, 3) << command;
  const std::string sweep =
      "explore " + at("locking.sluice") + set_ + " --set depth=1 --set weight_tile=64 --set compute_bw=512";
  EXPECT_EQ(runCommandLine(sweep).status, 3);
  EXPECT_EQ(runCommandLine(sweep + " --constraint 'P(deadlock)<=99 %'").status, 0);
  EXPECT_EQ(runCommandLine("design " + with_set + " --budget 1 --quick").status, 3);
  EXPECT_EQ(
      runCommandLine("bounds " + with_set + ",pick=" + all["not_done"][0]["number"].dump() + " --run").status,
      3);
  EXPECT_EQ(runCommandLine("size-fifos " + with_set + " --mode unlock").status, 0)
      << "none does with these depths";
  EXPECT_TRUE(all["metrics"][0]["worst"].is_null());  // a run that does not end is worse than any number
  const std::string explore =
      "explore " + at("locking.sluice") +
      " --input routing=set:zipf,count=12,exponent=5 --objectives 'p50(cycles),P(deadlock)' --json";
  const auto state = [&](const std::string& constraint) {
    const json found = runCommandLine(explore + constraint).object();
    for (const json& point : found["points"])
      if (point["knobs"] == all["knobs"]) return point["state"].get<std::string>();
    return std::string();
  };
  EXPECT_EQ(state(""), "deadlocked");
  EXPECT_EQ(state(" --constraint 'P(deadlock)=0'"), "deadlocked");
  EXPECT_EQ(state(" --constraint 'P(deadlock)<=99 %'"), "done");
}

/// With the depths found every trace ends; with a slot less in one of them, the trace that is reported does
/// not.
TEST_F(Locking, UnlockFindsDepthsForEveryTraceAndWhoNeedsThem) {
  const Outcome found =
      runCommandLine("unlock " + at("locking.sluice") + set_ + " --seconds 300 --json --apply");
  EXPECT_EQ(found.status, 0);
  const json object = found.object();
  ASSERT_TRUE(object["repair"].is_object()) << found.out;
  EXPECT_TRUE(object["repair"]["minimal"]);
  EXPECT_EQ(object["real"].size(), 0u);
  EXPECT_EQ(object["freed"], object["locked"]);
  EXPECT_THAT(runCommandLine("unlock " + at("locking.sluice") + set_).out,
              HasSubstr("It deadlocks under none of 12 traces"));
  const json after = runCommandLine("distribution " + at("locking.sluice") + set_ + " --json").object();
  EXPECT_EQ(after["states"]["done"], 12);
  EXPECT_EQ(after["metrics"][0]["max"], object["repair"]["most_cycles"]);
  const std::string repaired = *readFile(folder_ / "locking.sluice");
  for (const json& change : object["repair"]["changes"]) {
    const std::string stream = change["stream"], to = stream.substr(stream.find(" -> ") + 4);
    const bool within = stream.starts_with("expert.");  // its ends are named as in the region
    const std::string end = within ? to.substr(to.find('.') + 1) : to;
    std::string less = repaired;
    const std::size_t at_stream = less.find("\"to\": \"" + end + "\"");
    ASSERT_NE(at_stream, std::string::npos) << end;
    const std::string depth = "max(depth, " + std::to_string(change["to"].get<int>()) + ")";
    const std::size_t at_depth = less.find(depth, at_stream);
    ASSERT_LT(at_depth, less.find('\n', at_stream));
    less.replace(at_depth, depth.size(), std::to_string(change["to"].get<int>() - 1));
    ASSERT_TRUE(writeFileAtomically(folder_ / "less.sluice", less));
    const std::string unlock = "unlock " + at("less.sluice") + set_;
    const json locked = runCommandLine(unlock + " --seconds 0 --json").object();
    const std::string name = locked["locked"][0], told = runCommandLine(unlock + " --seconds 0").out;
    EXPECT_THAT(told, testing::ContainsRegex("Of 12 traces of routing=set:.* it deadlocks under"));
    EXPECT_THAT(told, testing::HasSubstr("'" + name + "'"));
    EXPECT_THAT(locked["locked"].get<std::vector<std::string>>(),
                testing::Contains(change["needed_by"].get<std::string>()))
        << stream;
  }
}

TEST_F(Locking, SizesAreTheMostThatAnyTraceNeeds) {
  const std::string mode =
      " --mode peaks --json --set depth=4 --set token_tile=16 --input routing=set:zipf,count=6,exponent=1";
  const json all = runCommandLine("size-fifos " + at("locking.sluice") + mode).object();
  ASSERT_GT(all["changes"].size(), 0u) << all.dump();
  // Each trace alone, as a set of one.
  std::map<std::string, std::uint64_t> most;
  for (int trace = 0; trace < 6; ++trace) {
    const json routing = runCommandLine("distribution " + at("locking.sluice") +
                                        " --set depth=4 --set token_tile=16 --input routing=set:zipf,count=" +
                                        std::to_string(trace + 1) + ",exponent=1 --json")
                             .object();
    ASSERT_EQ(routing["evaluated"], trace + 1);
    const json some =
        runCommandLine(
            "size-fifos " + at("locking.sluice") +
            " --mode peaks --json --set depth=4 --set token_tile=16 --input routing=set:zipf,count=" +
            std::to_string(trace + 1) + ",exponent=1")
            .object();
    for (const json& change : some["changes"]) {  // the first traces ask for no more than all
      std::uint64_t& known = most[change["stream"]];
      EXPECT_GE(change["to"].get<std::uint64_t>(), known);
      known = change["to"];
    }
  }
  for (const json& change : all["changes"])
    EXPECT_EQ(change["to"].get<std::uint64_t>(), most[change["stream"]]);
  for (const json& change : all["changes"])
    EXPECT_THAT(change["needed_by"].get<std::string>(), HasSubstr("zipf"));
}

}  // namespace sluice::distribution_cli_test

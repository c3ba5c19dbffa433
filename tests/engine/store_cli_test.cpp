// Stores, strategies and clusters as a user meets them: the real sluice-cli, killed, resumed, sharded,
// merged.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "engine/core/atomic_file.h"
#include "engine/core/random.h"
#include "engine/explorer/search/strategies.h"
#include "engine/explorer/store/result_store.h"
#include "engine/program/file_format.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::store_cli_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::runCommandLine;
using testing_support::sample;

class StoreCli : public testing_support::FolderTest {
 protected:
  /// 400 points; of about a millisecond with 300 tokens.
  std::string slowProgram(std::int64_t tokens = 300) const {
    Document document = testing_support::chainDocument(20, tokens, 0);
    document.knobs[0].maximum = 400;
    if (!saveDocument(document, folder_ / "slow.sluice")) throw std::runtime_error("cannot save");
    return at("slow.sluice");
  }

  /// Starts sluice-cli explore in a process of its own, for somebody to kill.
  pid_t start(const std::string& arguments) const {
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string command =
          "exec '" SLUICE_BINARY_DIR "/bin/sluice-cli' " + arguments + " >/dev/null 2>&1";
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    return child;
  }
};

TEST_F(StoreCli, AKilledExplorationGoesOnAndEvaluatesNoPointTwice) {
  const std::string explore = "explore " + slowProgram() + " --store " + at("s.db") + " --resume --json";
  SplitMix64 random(1);
  std::uint64_t stored = 0;
  for (int round = 0; round < 8; ++round) {
    const pid_t child = start(explore);
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + random.below(200)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    Result<ResultStore> store = ResultStore::open(folder_ / "s.db", ResultStore::Access::Read);
    if (!store) continue;  // killed before it was made
    const auto records = store->explorations();
    ASSERT_TRUE(records);
    if (records->empty()) continue;
    EXPECT_EQ(records->size(), 1u);
    EXPECT_GE(records->front().points, stored) << "points are gone";
    stored = records->front().points;
  }
  const json last = runCommandLine(explore).object();
  EXPECT_EQ(last["evaluated"], 400);
  EXPECT_GE(last["reused"], stored);
  const json again = runCommandLine(explore).object();
  EXPECT_EQ(again["reused"], 400) << "a point was evaluated twice";
  EXPECT_EQ(again["frontier"], last["frontier"]);
}

TEST_F(StoreCli, ShardsAreMergedIntoTheWhole) {
  const json whole =
      runCommandLine("explore " + sample("swiglu") + " --json --store " + at("whole.db")).object();
  std::string shards;
  for (int shard = 0; shard < 3; ++shard) {
    const std::string name = at("shard" + std::to_string(shard) + ".db");
    shards += " " + name;
    const Outcome outcome = runCommandLine("explore " + sample("swiglu") + " --json --store " + name +
                                           " --shard " + std::to_string(shard) + "/3");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.object()["evaluated"], 5);
  }
  const json merged = runCommandLine("merge " + at("all.db") + shards + " --json").object();
  EXPECT_EQ(merged["merged"][2]["points"], 5);
  const json resumed =
      runCommandLine("explore " + sample("swiglu") + " --json --resume --store " + at("all.db")).object();
  EXPECT_EQ(resumed["reused"], whole["evaluated"]);
  EXPECT_EQ(resumed["frontier"], whole["frontier"]);
  EXPECT_EQ(resumed["hypervolume"], whole["hypervolume"]);
  EXPECT_EQ(runCommandLine("explore " + sample("swiglu") + " --shard 3/3").status, 2);
  EXPECT_EQ(runCommandLine("explore " + sample("swiglu") + " --shard 3of3").status, 2);
}

TEST_F(StoreCli, ExplorationsAreListedAndExported) {
  runCommandLine("explore " + sample("swiglu") + " --store " + at("s.db"));
  runCommandLine("explore " + sample("simple_moe") + " --store " + at("s.db") +
                 " --strategy nsga2 --budget 20 --seed 4");
  const json list = runCommandLine("explorations " + at("s.db") + " --json").object();
  ASSERT_EQ(list["explorations"].size(), 2u);
  EXPECT_EQ(list["explorations"][1]["strategy"], "nsga2");
  EXPECT_EQ(list["explorations"][1]["seed"], 4);
  EXPECT_EQ(list["explorations"][1]["points"], 20);
  const std::string csv = runCommandLine("points " + at("s.db")).out;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 15 + 20 + 1);
  const std::string one = runCommandLine("points " + at("s.db") + " --exploration 2").out;
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 20 + 1);
  EXPECT_EQ(runCommandLine("points " + at("s.db") + " --exploration 3").status, 1);
  EXPECT_EQ(runCommandLine("points " + at("s.db") + " --out /nowhere/x.csv").status, 1);
  EXPECT_EQ(runCommandLine("explorations " + at("none.db")).status, 1);
}

TEST_F(StoreCli, PointsAreWrittenWholeOrNotAtAll) {
  runCommandLine("explore " + sample("swiglu") + " --store " + at("s.db"));
  const std::string csv = runCommandLine("points " + at("s.db")).out;
  ASSERT_EQ(runCommandLine("points " + at("s.db") + " --out " + at("p.csv")).status, 0);
  EXPECT_EQ(*readFile(folder_ / "p.csv"), csv);
  // The store has no such exploration: what was there stays.
  EXPECT_EQ(runCommandLine("points " + at("s.db") + " --exploration 9 --out " + at("p.csv")).status, 1);
  EXPECT_EQ(*readFile(folder_ / "p.csv"), csv);
  const Outcome device = runCommandLine("points " + at("s.db") + " --out /dev/full", true);
  EXPECT_EQ(device.status, 1);
  EXPECT_THAT(device.out, HasSubstr("/dev/full: "));
  EXPECT_THAT(device.out, HasSubstr("the disk is full"));
}

TEST_F(StoreCli, AWarmStartBeginsWithWhatIsKnown) {
  runCommandLine("explore " + sample("simple_moe") + " --store " + at("s.db") +
                 " --strategy random --budget 20 --seed 9");
  const json warm = runCommandLine("explore " + sample("simple_moe") + " --json --store " + at("s.db") +
                                   " --warm-start --resume --strategy nsga2 --budget 10")
                        .object();
  EXPECT_EQ(warm["evaluated"], 30) << "20 that are known, 10 that the budget pays for";
  EXPECT_EQ(runCommandLine("explore " + sample("simple_moe") + " --warm-start").status, 2);
}

TEST_F(StoreCli, AWarmStartDoesNotDependOnWhoWasFirst) {
  json first;
  for (const std::string threads : {"1", "4"}) {
    const std::string store = " --json --store " + at("warm" + threads + ".db") + " --threads " + threads;
    runCommandLine("explore " + sample("simple_moe") + store + " --strategy random --budget 40 --seed 9");
    const json warm = runCommandLine("explore " + sample("simple_moe") + store +
                                     " --warm-start --strategy nsga2 --budget 8")
                          .object();
    json knobs = json::array();
    for (const json& point : warm["points"]) knobs.push_back(point["knobs"]);
    EXPECT_EQ(knobs.size(), 48u);
    if (first.is_null()) first = knobs;
    EXPECT_EQ(knobs, first);
  }
}

TEST_F(StoreCli, BoundsAndMeasurementsAreKeptApart) {
  const std::string explore = "explore " + sample("simple_moe") + " --json --resume --store ";
  const json first = runCommandLine(explore + at("p.db") + " --strategy pruned").object();
  const json again = runCommandLine(explore + at("p.db") + " --strategy pruned").object();
  EXPECT_EQ(again["reused"], first["evaluated"]) << "a point was simulated that had been ruled out";
  EXPECT_EQ(again["hypervolume"], first["hypervolume"]);
  const json alone = runCommandLine("explore " + sample("simple_moe") + " --json --level symbolic").object();
  const json beside = runCommandLine(explore + at("p.db") + " --level symbolic").object();
  EXPECT_EQ(beside["frontier"], alone["frontier"]) << "measurements compete with lower bounds";
  EXPECT_EQ(beside["hypervolume"], alone["hypervolume"]);
}

TEST_F(StoreCli, AnotherBudgetOrConstraintIsAnotherExploration) {
  const std::string explore = "explore " + sample("simple_moe") + " --json --resume --store " + at("s.db");
  const auto visited = [&] {
    const json list = runCommandLine("explorations " + at("s.db") + " --json").object();
    std::vector<json> points;
    for (const json& one : list["explorations"]) points.push_back(one["points"]);
    return points;
  };
  runCommandLine(explore + " --strategy latin-hypercube --budget 12");
  EXPECT_EQ(visited(), (std::vector<json>{12}));
  runCommandLine(explore + " --strategy latin-hypercube --budget 24");
  EXPECT_EQ(visited(), (std::vector<json>{12, 24}));
  runCommandLine(explore + " --strategy latin-hypercube --budget 24");
  EXPECT_EQ(visited(), (std::vector<json>{12, 24})) << "the same one is gone on with";
  runCommandLine(explore + " --strategy nsga2 --budget 20");
  runCommandLine(explore + " --strategy nsga2 --budget 20 --constraint 'on_chip_bytes<=40000'");
  EXPECT_EQ(visited(), (std::vector<json>{12, 24, 20, 20}));
  runCommandLine(explore + " --budget 1000");
  runCommandLine(explore + " --budget 2000");
  EXPECT_EQ(visited(), (std::vector<json>{12, 24, 20, 20, 72})) << "of all points there is one list";
}

TEST_F(StoreCli, AKnobThatKeepsItsValueIsAnExplorationOfItsOwn) {
  const std::string explore = "explore " + sample("simple_moe") + " --json --resume --store " + at("s.db");
  const json whole = runCommandLine(explore).object();
  const json part = runCommandLine(explore + " --set token_tile=16").object();
  EXPECT_EQ(part["evaluated"], 18);
  EXPECT_EQ(part["total"], 18);
  EXPECT_EQ(part["reused"], 18) << "points of the whole space are known here";
  for (const json& point : part["points"]) EXPECT_EQ(point["knobs"]["token_tile"], 16);
  const json list = runCommandLine("explorations " + at("s.db") + " --json").object();
  EXPECT_EQ(list["explorations"].size(), 2u);
  std::vector<json> expected;
  for (const json& point : whole["points"])
    if (point["knobs"]["token_tile"] == 16) expected.push_back(point["metrics"]);
  std::vector<json> found;
  for (const json& point : part["points"]) found.push_back(point["metrics"]);
  EXPECT_EQ(found, expected);
  for (const char* strategy : {"latin-hypercube", "nsga2", "motpe", "ehvi", "pruned", "halving"}) {
    SCOPED_TRACE(strategy);
    const bool whole_space = findStrategy(strategy)->whole_space;
    const json some = runCommandLine("explore " + sample("simple_moe") + " --json --set depth=1 --strategy " +
                                     strategy + (whole_space ? " --budget 40" : " --budget 12"))
                          .object();
    ASSERT_FALSE(some["points"].empty());
    for (const json& point : some["points"]) EXPECT_EQ(point["knobs"]["depth"], 1);
  }
  EXPECT_THAT(runCommandLine("explore " + sample("simple_moe") + " --set token_tile=3", true).out,
              HasSubstr("is not a value of knob 'token_tile'"));
}

TEST_F(StoreCli, DeadlocksComeBackWithTheirCause) {
  const std::string explore =
      "explore " + sample("deadlock_fork_join") + " --json --resume --store " + at("s.db");
  json expected = runCommandLine(explore).object()["points"];
  std::size_t deadlocked = 0;
  for (const json& point : expected) deadlocked += point.contains("deadlock");
  EXPECT_GE(deadlocked, 1u);
  json stored = runCommandLine(explore).object()["points"];
  EXPECT_EQ(stored, expected);
}

TEST_F(StoreCli, WhatIsRefusedIsNotListed) {
  EXPECT_EQ(runCommandLine("explore " + sample("swiglu") + " --store " + at("s.db") + " --budget 3").status,
            1);
  EXPECT_FALSE(fs::exists(folder_ / "s.db"));
}

TEST_F(StoreCli, WhatTheBoundsRuleOutIsSaid) {
  const Outcome none = runCommandLine(
      "explore " + sample("simple_moe") + " --strategy pruned --constraint 'on_chip_bytes<=10'", true);
  EXPECT_EQ(none.status, 0);
  EXPECT_THAT(none.out, HasSubstr("on_chip_bytes is at least"));
  for (const char* shard : {"0/-1", "-1/2", "0/-4"})
    EXPECT_EQ(runCommandLine("explore " + sample("swiglu") + " --shard=" + shard).status, 2) << shard;
}

TEST_F(StoreCli, AFullDiskEndsTheExplorationWithOneDiagnostic) {
  const Outcome outcome = runCommandLine("explore " + sample("swiglu") + " --store /dev/full", true);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("store /dev/full"));
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1) << outcome.out;
}

TEST_F(StoreCli, StrategiesAreComparedSideBySide) {
  const json page =
      runCommandLine("strategies " + sample("simple_moe") + " --budget 72 --json --out " + at("page"))
          .object();
  ASSERT_EQ(page["strategies"].size(), strategies().size());
  double best = 0;
  for (const json& row : page["strategies"]) {
    const json& volumes = row["hypervolume"];
    ASSERT_FALSE(volumes.empty());
    EXPECT_EQ(volumes.size(), row["evaluated"]);
    for (std::size_t i = 1; i < volumes.size(); ++i) EXPECT_GE(volumes[i], volumes[i - 1]);
    best = std::max(best, volumes.back().get<double>());
  }
  EXPECT_EQ(page["strategies"][0]["strategy"], "exhaustive");
  // Sums in the order of the visits: equal but for their last digits.
  const auto last = [&](std::size_t row) {
    return page["strategies"][row]["hypervolume"].back().get<double>();
  };
  EXPECT_NEAR(last(0), best, best * 1e-12) << "nothing beats all points";
  EXPECT_NEAR(last(1), best, best * 1e-12) << "pruning loses nothing";
  EXPECT_TRUE(fs::exists(folder_ / "page" / "strategies.csv"));
  EXPECT_THAT(
      runCommandLine("strategies " + sample("simple_moe") + " --budget 20 --strategies random,nsga2").out,
      HasSubstr("nsga2"));
}

TEST_F(StoreCli, StrategiesAreComparedOverSeedsWithEachBudget) {
  const Outcome written =
      runCommandLine("strategies " + sample("simple_moe") +
                     " --budgets 5,10 --seeds 3 --strategies random --out " + at("bands"));
  EXPECT_EQ(written.status, 0);
  std::ifstream csv(folder_ / "bands" / "strategies.csv");
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(csv), {}, '\n'), 1 + 2 * 3);
  const json page = runCommandLine("strategies " + sample("simple_moe") +
                                   " --strategies random,motpe,exhaustive --budgets 10,72 --seeds 3 --json")
                        .object();
  std::map<std::pair<std::string, int>, json> bands;
  for (const json& band : page["bands"]) bands[{band["strategy"], band["budget"]}] = band;
  ASSERT_EQ(page["bands"].size(), 5u) << "10 points are not the whole space";
  EXPECT_EQ(bands.count({"exhaustive", 10}), 0u);
  const json &few = bands[{"random", 10}], &all = bands[{"motpe", 72}];
  EXPECT_EQ(few["evaluated"], 10);
  EXPECT_EQ(few["shares"].size(), 3u);
  EXPECT_LT(few["lower_quartile"], 1);
  EXPECT_LE(few["lower_quartile"], few["share"]);
  EXPECT_LE(few["share"], few["upper_quartile"]);
  EXPECT_NEAR(all["share"].get<double>(), 1, 1e-12) << "nothing beats all points";
  const Outcome wrong = runCommandLine("strategies " + sample("simple_moe") + " --budgets 10,none", true);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.out, HasSubstr("'none' is not a number of points"));
}

class ClusterCli : public StoreCli {
 protected:
  void SetUp() override {
    StoreCli::SetUp();
    if (std::system("command -v mpirun >/dev/null 2>&1") != 0) GTEST_SKIP() << "no mpirun here";
    // In a module of its own, where parts are loaded when they are needed.
    if (std::system("ldd '" SLUICE_BINARY_DIR "/bin/sluice-cli' '" SLUICE_BINARY_DIR
                    "/lib/sluice/libsluice-mpi.so' 2>/dev/null | grep -q 'libmpi\\.'") != 0)
      GTEST_SKIP() << "sluice-cli is built without MPI";
  }
  /// `through`: a script that every rank is started by.
  json onRanks(int ranks, const std::string& arguments, const std::string& options = "",
               const std::string& through = "") const {
    const std::string out = (folder_ / "mpi.json").string();
    // What Open MPI's modules never free is theirs to answer for; they are unloaded when leaks are told.
    const std::string command =
        "ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" OMPI_ALLOW_RUN_AS_ROOT=1 "
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 120 mpirun --oversubscribe " +
        options + " -n " + std::to_string(ranks) + " " + through +
        " '" SLUICE_BINARY_DIR "/bin/sluice-cli' " + arguments + " --json >'" + out + "' 2>'" + out + ".err'";
    status_ = std::system(command.c_str());
    std::ostringstream text;
    text << std::ifstream(out).rdbuf();
    return json::parse(text.str(), nullptr, false);
  }
  mutable int status_ = 0;
};

TEST_F(ClusterCli, ManyRanksFindWhatOneFinds) {
  for (const std::string strategy : {"exhaustive", "nsga2", "pruned", "halving"}) {
    const std::string arguments = "explore " + sample("simple_moe") + " --seed 3 --strategy " + strategy +
                                  (strategy == "nsga2" || strategy == "halving" ? " --budget 30" : "");
    const json alone = runCommandLine(arguments + " --json").object();
    const json ranks = onRanks(3, arguments + " --store " + at(strategy + ".db"));
    ASSERT_TRUE(ranks.is_object()) << strategy;
    EXPECT_EQ(status_, 0);
    EXPECT_EQ(ranks["frontier"], alone["frontier"]);
    EXPECT_EQ(ranks["hypervolume"], alone["hypervolume"]);
    EXPECT_EQ(ranks["evaluated"], alone["evaluated"]);
    const json list = runCommandLine("explorations " + at(strategy + ".db") + " --json").object();
    EXPECT_EQ(list["explorations"][0]["points"], alone["evaluated"]);
  }
}

TEST_F(ClusterCli, ManyRanksFindTheDesignsOfOne) {
  const std::string arguments = "design " + sample("simple_moe") + " --budget 24 --seed 4 --quick";
  const auto found = [](json result) {
    for (const char* time : {"wall_seconds", "overhead", "processor_seconds"}) result.erase(time);
    for (json& point : result["points"]) point.erase("wall_seconds");
    return result;
  };
  const json alone = found(runCommandLine(arguments + " --json").object());
  EXPECT_EQ(alone["evaluated"], 24);
  for (const int ranks : {1, 2, 3}) {
    const std::string store = at("designs" + std::to_string(ranks) + ".db");
    const json together = onRanks(ranks, arguments + " --store " + store);
    ASSERT_TRUE(together.is_object()) << ranks;
    EXPECT_EQ(status_, 0);
    EXPECT_EQ(found(together), alone) << ranks << " ranks";
    std::ostringstream said;
    said << std::ifstream(folder_ / "mpi.json.err").rdbuf();
    EXPECT_THAT(said.str(), HasSubstr(std::to_string(ranks) + " ranks: ")) << "they have not run the designs";
    const json again = runCommandLine(arguments + " --store " + store + " --resume --json").object();
    EXPECT_EQ(again["frontier"], alone["frontier"]);
    EXPECT_GT(again["reused"], 0);
  }
}

TEST_F(ClusterCli, TheBenchmarkOfDesignsIsForOneProcess) {
  const json refused = onRanks(2, "design --benchmark --only gpt2_block");
  EXPECT_NE(status_, 0);
  EXPECT_THAT(refused.dump(), HasSubstr("conflicting-options"));
}

/// Of four ranks; the third one dies.
class MortalRank : public ClusterCli {
 protected:
  json explored(const std::string& arguments) const {
    // Once the store is there every rank is at work.
    std::ofstream(folder_ / "mortal.sh") << "#!/bin/sh\n"
                                            "if [ \"$OMPI_COMM_WORLD_RANK\" = 2 ]; then\n"
                                            "  \"$@\" & while [ ! -e "
                                         << at("s.db")
                                         << " ]; do sleep 0.05; done\n"
                                            "  sleep 0.3; kill -9 $!; kill -9 $$\n"
                                            "fi\n"
                                            "exec \"$@\"\n";
    fs::permissions(folder_ / "mortal.sh", fs::perms::owner_all);
    // What OpenMPI 4 and 5 call it.
    const std::string survival =
        "$(mpirun --version | grep -q '(Open MPI) 4' && echo --enable-recovery || echo --with-ft ulfm)";
    return onRanks(4, "explore " + arguments + " --store " + at("s.db"), survival, at("mortal.sh"));
  }
};

TEST_F(MortalRank, PointsOfARankThatDiesAreHandedOutAgain) {
  const json result = explored(slowProgram(1000));
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(status_, 0) << "the launcher hangs, or calls the job failed";
  EXPECT_EQ(result["evaluated"], 400);
  const json list = runCommandLine("explorations " + at("s.db") + " --json").object();
  EXPECT_EQ(list["explorations"][0]["points"], 400);
}

TEST_F(MortalRank, IsNotWaitedForInEveryGeneration) {
  const json result = explored(slowProgram(3000) + " --strategy nsga2 --budget 200");
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["evaluated"], 200);
  std::ostringstream said;
  said << std::ifstream(folder_ / "mpi.json.err").rdbuf();
  const std::string text = said.str();
  const std::size_t end = text.find(" points handed out again");
  ASSERT_NE(end, std::string::npos) << text;
  const std::size_t begin = text.rfind(' ', end - 1) + 1;
  // What it had when it died, and no more in the batches after that.
  EXPECT_LE(std::stoi(text.substr(begin, end - begin)), 4) << text;
}

}  // namespace sluice::store_cli_test

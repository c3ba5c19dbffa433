// sluice-cli design, at the shell and over JSON-RPC: what it prints and writes, and how it ends.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "engine/explorer/evaluate.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::design_cli_test {

using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::runCommandLine;

const std::string samples = SLUICE_SOURCE_DIR "/sample_workloads/";
const std::string depths = "'" + samples + "softmax_depths.sluice'";
const std::string moe = "'" + samples + "simple_moe.sluice'";

class DesignCommand : public testing_support::FolderTest {
 protected:
  std::string in(const std::string& name) const { return at(name); }
};

TEST_F(DesignCommand, ListsDesignsWithTheirFrontier) {
  const Outcome told = runCommandLine("design " + depths +
                                      " --allow fifo_depth --objective cycles --objective fifo_bytes --json");
  ASSERT_EQ(told.status, 0) << told.out;
  const nlohmann::json object = told.object();
  for (const char* member :
       {"points", "frontier", "evaluated", "rejected", "hypervolume", "wall_seconds", "bounds"})
    EXPECT_TRUE(object.contains(member)) << member;
  EXPECT_EQ(object["points"][0]["state"], "deadlocked");  // as the program is
  ASSERT_FALSE(object["frontier"].empty());
  for (const nlohmann::json& index : object["frontier"]) {
    const nlohmann::json& point = object["points"][index.get<std::size_t>()];
    EXPECT_EQ(point["state"], "done");
    ASSERT_FALSE(point["schedule"].empty());
    EXPECT_EQ(point["schedule"][0]["transformation"], "fifo_depth");
    EXPECT_GE(point["within"]["cycles"].get<double>(), 1);
    EXPECT_EQ(point["lineage"].size(), point["schedule"].size());
    EXPECT_EQ(point["lineage"][0]["state_before"], "deadlocked");
    EXPECT_TRUE(point.contains("same_values"));
  }
}

TEST_F(DesignCommand, ProvesAndExplainsWhatItFinds) {
  const std::string command = "design " + moe + " --plain --budget 40 --allow tile,time_multiplex";
  const nlohmann::json object = runCommandLine(command + " --json").object();
  ASSERT_FALSE(object["frontier"].empty());
  for (const nlohmann::json& index : object["frontier"]) {
    const nlohmann::json& point = object["points"][index.get<std::size_t>()];
    EXPECT_EQ(point["same_values"]["verdict"], "same") << point["same_values"];
    if (point["lineage"].empty()) continue;
    const nlohmann::json& last = point["lineage"].back();
    EXPECT_EQ(last["metrics_after"], point["metrics"]);
    EXPECT_FALSE(last["bound_after"]["resource"].get<std::string>().empty());
  }
  for (const nlohmann::json& point : object["points"]) {
    EXPECT_EQ(point["bounds_only"], point["level"] == "symbolic");
    EXPECT_NE(point["bounds_only"], point["cause"].get<std::string>().empty());
    EXPECT_TRUE(!point["bounds"].contains("cycles") || point["bounds"]["cycles"].is_number_unsigned());
  }
  const Outcome text = runCommandLine(command + " --explain");
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("the program as it is was bound by"));
  EXPECT_THAT(text.out, HasSubstr("then bound by"));
  EXPECT_THAT(text.out, HasSubstr("same tensors"));
  EXPECT_THAT(runCommandLine(command + " --quick").out, testing::Not(HasSubstr("same tensors")));
}

/// What a step pays with has a column where it was not asked about: deeper FIFOs have their memory.
TEST_F(DesignCommand, ShowsTheMemoryOfFifosThatItDeepens) {
  const std::string swiglu = "design '" + samples + "swiglu.sluice' --budget 20 --quick ";
  const Outcome deeper = runCommandLine(swiglu + "--allow fifo_depth");
  EXPECT_THAT(deeper.out, HasSubstr("fifo_depth depth="));
  EXPECT_THAT(deeper.out, HasSubstr("  FIFO bytes"));
  EXPECT_THAT(runCommandLine("design " + depths + " --allow fifo_depth --budget 20 --quick").out,
              HasSubstr("  FIFO bytes"))
      << "the program as it is deadlocks";
  const Outcome others = runCommandLine(swiglu + "--forbid fifo_depth");
  EXPECT_THAT(others.out, HasSubstr("  on-chip bytes"));
  EXPECT_THAT(others.out, testing::Not(HasSubstr("  FIFO bytes")));
}

TEST_F(DesignCommand, TheStateOfADesignThatWasNotRunIsThatItHasBounds) {
  const auto points =
      runCommandLine("design '" + samples + "swiglu.sluice' --budget 30 --quick --json").object()["points"];
  std::size_t bounds = 0;
  for (const nlohmann::json& point : points) {
    EXPECT_EQ(point["state"], point["level"] == "symbolic" ? "bounds" : "done") << point;
    bounds += point["state"] == "bounds";
  }
  EXPECT_GT(bounds, 0u);
}

TEST_F(DesignCommand, WritesDesignsThatOpen) {
  const Outcome told =
      runCommandLine("design " + moe + " --plain --budget 30 --quick --json --out " + in("designs"));
  ASSERT_EQ(told.status, 0) << told.out;
  const nlohmann::json object = told.object();
  for (const nlohmann::json& index : object["frontier"]) {
    const std::string number = std::to_string(index.get<std::size_t>());
    const auto workload =
        testing_support::sampleWorkload(folder_ / "designs" / ("design_" + number + ".sluice"));
    const Result<PointResult> again =
        evaluate(*workload, defaultKnobs(workload->document), RecordMode::Count);
    ASSERT_TRUE(again) << text(again.diagnostics());
    EXPECT_EQ(again->point.metrics.cycles,
              object["points"][index.get<std::size_t>()]["metrics"]["cycles"].get<std::uint64_t>());
  }
}

/// Designs of two searches do not lie side by side under names that say nothing of it; what people have
/// changed or put there is not lost.
TEST_F(DesignCommand, AFolderHoldsTheDesignsOfOneSearch) {
  const std::string command = "design " + moe + " --plain --quick --out " + in("designs") + " --budget ";
  ASSERT_EQ(runCommandLine(command + "30").status, 0);
  std::ofstream(folder_ / "designs/notes.txt") << "mine";
  std::ofstream(folder_ / "designs/design_99.sluice") << "mine";
  const auto again = runCommandLine(command + "3 --json", true);
  ASSERT_EQ(again.status, 0) << again.out;
  EXPECT_THAT(again.out, HasSubstr("kept design_99.sluice, notes.txt"));
  const auto found = runCommandLine(command + "3 --json").object();
  std::set<std::string> expected = {"notes.txt", "design_99.sluice", ".sluice-project"}, there;
  for (const nlohmann::json& index : found["frontier"]) expected.insert("design_" + index.dump() + ".sluice");
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "designs"))
    there.insert(entry.path().filename().string());
  EXPECT_EQ(there, expected);

  const std::string design = "design_" + found["frontier"][0].dump() + ".sluice";
  std::ofstream(folder_ / "designs" / design, std::ios::app) << "\n";
  const auto refused = runCommandLine(command + "30", true);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.out, HasSubstr("'" + design + "'"));
  EXPECT_THAT(refused.out, testing::Not(HasSubstr("simulated"))) << "before the search";
  EXPECT_EQ(runCommandLine(command + "3 --replace").status, 0);
  std::filesystem::create_directory(folder_ / "other");
  std::ofstream(folder_ / "other/mine.txt") << "mine";
  EXPECT_EQ(runCommandLine("design " + moe + " --budget 2 --quick --out " + in("other")).status, 1);
}

TEST_F(DesignCommand, GoesOnFromItsStore) {
  const std::string command =
      "design " + moe + " --plain --budget 20 --quick --json --store " + in("designs.db");
  const nlohmann::json first = runCommandLine(command).object();
  nlohmann::json again = runCommandLine(command + " --resume").object();
  EXPECT_EQ(first["reused"], 0);
  EXPECT_GT(again["reused"], 0);
  EXPECT_EQ(again["frontier"], first["frontier"]);
  EXPECT_EQ(again["evaluated"], first["evaluated"]);
  const Outcome text =
      runCommandLine("design " + moe + " --plain --budget 20 --quick --resume --store " + in("designs.db"));
  EXPECT_THAT(text.out, HasSubstr(again["reused"].dump() + " of them known from the store"));
  const nlohmann::json kept =
      runCommandLine("explorations " + in("designs.db") + " --json").object()["explorations"][0]["points"];
  const std::int64_t cut = first["cut"], too_long = first["too_long"];
  EXPECT_EQ(kept, first["evaluated"].get<std::int64_t>() - cut - too_long) << "a store keeps complete runs";
  if (cut + too_long > 0) {
    EXPECT_THAT(text.out, HasSubstr(", " + kept.dump() + " of them to the end"));
  }
  EXPECT_EQ(runCommandLine("design " + moe + " --resume --json").status, 2);
}

/// Its steps may be illegal at other values of the knobs, or come to other numbers.
TEST_F(DesignCommand, WritesDesignsWithTheKnobsThatTheyWereFoundAt) {
  const nlohmann::json found =
      runCommandLine("design " + moe + " --plain --set token_tile=8 --budget 6 --quick --json --out " +
                     in("found"))
          .object();
  for (const std::size_t design : found["frontier"]) {
    SCOPED_TRACE(design);
    const nlohmann::json run =
        runCommandLine("simulate " + in("found/design_" + std::to_string(design) + ".sluice") + " --json")
            .object();
    EXPECT_EQ(run["knobs"]["token_tile"], 8);
    EXPECT_EQ(run["cycles"], found["points"][design]["metrics"]["cycles"]);
  }
}

/// Each would delete what the other has written, though nobody has changed it.
TEST_F(DesignCommand, AndEmitDoNotReplaceEachOther) {
  const std::string design = "design " + moe + " --plain --budget 3 --quick --out ";
  ASSERT_EQ(runCommandLine(design + in("designs")).status, 0);
  const Outcome emitted = runCommandLine("emit step " + moe + " -o " + in("designs"), true);
  EXPECT_EQ(emitted.status, 1);
  EXPECT_THAT(emitted.out, HasSubstr("it holds what 'design' has written"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "designs/run.py"));
  ASSERT_EQ(runCommandLine("emit step " + moe + " -o " + in("project")).status, 0);
  for (const std::string& command : {design, "emit rtl " + moe + " --replace -o "})
    EXPECT_EQ(runCommandLine(command + in("project")).status, 1) << command;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "project/run.py"));
  EXPECT_EQ(runCommandLine("emit step " + moe + " -o " + in("project")).status, 0);
}

/// Every kind of problem with a few designs; a block comes to its target's program and more within them.
TEST_F(DesignCommand, RunsItsBenchmark) {
  const std::string command = "design --benchmark --budget 8 --only fig15_b16,moe_three,gpt2 --seeds 2";
  const Outcome told = runCommandLine(command + " --json");
  ASSERT_EQ(told.status, 0) << told.out;
  const nlohmann::json rows = told.object()["problems"];
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0]["problem"], "fig15_b16");
  EXPECT_EQ(rows[0]["input"], "synthetic");
  EXPECT_EQ(rows[0]["targets"][0]["values"]["cycles"], 16105);
  EXPECT_TRUE(rows[1]["input"].is_null());
  for (const nlohmann::json& row : rows) {
    const std::size_t targets = row["targets"].size();
    EXPECT_GE(targets, 1u);
    EXPECT_FALSE(row["assumed"].get<std::string>().empty());
    ASSERT_EQ(row["searches"].size(), 2u);
    EXPECT_EQ(row["searches"][1]["seed"], 2);
    for (const nlohmann::json& search : row["searches"]) {
      EXPECT_LE(search["evaluations"], 8);
      EXPECT_EQ(search["met"].get<std::size_t>() + search["missed"].size(), targets);
      EXPECT_EQ(search["needed"].is_null(), !search["missed"].empty());
      for (const nlohmann::json& missed : search["missed"])
        EXPECT_TRUE(missed["factor"].is_null() || missed["factor"] > 1) << missed;
      EXPECT_GE(search["hypervolume"], 0);
      EXPECT_LE(search["hypervolume"], 1);
    }
  }
  const Outcome text = runCommandLine(command + " --out " + in("rows"));
  EXPECT_EQ(text.status, 0);
  for (const nlohmann::json& row : rows) {
    EXPECT_FALSE(row["searches"][0]["cancelled"].get<bool>());
    std::ifstream file(folder_ / "rows" / (row["problem"].get<std::string>() + ".json"));
    nlohmann::json written = nlohmann::json::parse(file);
    EXPECT_EQ(written["targets"], row["targets"]);
    EXPECT_EQ(written["searches"][1]["frontier"], row["searches"][1]["frontier"]);
  }
  EXPECT_THAT(text.out, HasSubstr("which were not given"));
  EXPECT_THAT(text.out, HasSubstr("Figure 15, dynamic"));
}

TEST_F(DesignCommand, RefusesABenchmarkOfWhatItHasNot) {
  EXPECT_EQ(runCommandLine("design --benchmark --only nothing --json").status, 1);
  EXPECT_EQ(runCommandLine("design --benchmark --only gpt2 --traces " + in("nowhere") + " --json").status, 1);
  EXPECT_EQ(runCommandLine("design " + moe + " --benchmark").status, 2);
  EXPECT_EQ(runCommandLine("design --benchmark --plain").status, 2);
  EXPECT_EQ(runCommandLine("design " + moe + " --seeds 2").status, 2);
}

TEST_F(DesignCommand, EndsAsItsNeighboursDo) {
  EXPECT_EQ(runCommandLine("design no_such_file.sluice --json").status, 1);
  EXPECT_EQ(runCommandLine("design " + moe + " --objective speed --json").status, 2);
  EXPECT_EQ(runCommandLine("design " + moe + " --allow tiel --json").status, 2);
  EXPECT_EQ(runCommandLine("design " + moe + " --lock nobody --json").status, 1);
  EXPECT_EQ(runCommandLine("design " + moe + " --constraint 'cycles<=1' --json").status, 1);
  for (const char* none : {"0", "0.0", "-0", "0e3", "-1"})
    EXPECT_EQ(runCommandLine("design " + moe + " --seconds " + none).status, 2) << none;
  EXPECT_EQ(runCommandLine("design " + moe + " --explain --quick").status, 2);
  EXPECT_EQ(runCommandLine("design " + moe + " --budget 0").status, 2);
  EXPECT_EQ(runCommandLine("design").status, 2);
  const std::string stuck = "'" + samples + "deadlock_fork_join.sluice'";
  EXPECT_EQ(runCommandLine("design " + stuck + " --allow broadcast,tile,split --quick --json").status, 3);
}

TEST_F(DesignCommand, AnswersOverJsonRpc) {
  const std::string file = samples + "simple_moe.sluice";
  const nlohmann::json open = {
      {"jsonrpc", "2.0"}, {"id", 1}, {"method", "open"}, {"params", {{"file", file}}}};
  const nlohmann::json design = {
      {"jsonrpc", "2.0"},
      {"id", 2},
      {"method", "design"},
      {"params", {{"budget", 12}, {"plain", true}, {"quick", true}, {"allow", {"tile"}}}}};
  const nlohmann::json wrong = {
      {"jsonrpc", "2.0"}, {"id", 3}, {"method", "design"}, {"params", {{"objectives", {"speed"}}}}};
  const Outcome told = runCommandLine("serve --stdio <<'END'\n" + open.dump() + "\n" + design.dump() + "\n" +
                                      wrong.dump() + "\nEND\n");
  std::istringstream lines(told.out);
  std::size_t points = 0;
  bool answered = false, refused = false;
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json message = nlohmann::json::parse(line);
    if (message.value("method", "") == "progress") points += message["params"]["points"].size();
    if (message.value("id", 0) == 2) {
      answered = true;
      EXPECT_EQ(message["result"]["points"].size(), points);
      EXPECT_FALSE(message["result"]["frontier"].empty());
    }
    if (message.value("id", 0) == 3) refused = message.contains("error");
  }
  EXPECT_TRUE(answered) << told.out;
  EXPECT_TRUE(refused) << told.out;
}

}  // namespace sluice::design_cli_test

// Two runs side by side: by knob, by file and by the command line.

#include "engine/explorer/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/program/file_format.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/documents.h"

namespace sluice::compare_test {

using namespace testing_support;

const std::filesystem::path samples = std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads";

PointResult run(const Workload& workload, const KnobValues& knobs) {
  Result<PointResult> result = evaluate(workload, knobs, RecordMode::Timeline);
  EXPECT_TRUE(result) << text(result.diagnostics());
  return *std::move(result);
}

const ComparedOperator* find(const Comparison& comparison, const std::string& place) {
  const auto found = std::find_if(comparison.operators.begin(), comparison.operators.end(),
                                  [&](const ComparedOperator& op) { return op.place == place; });
  return found == comparison.operators.end() ? nullptr : &*found;
}

TEST(Compare, ARunWithItselfDiffersInNothing) {
  const auto workload = sampleWorkload(samples / "simple_moe.sluice");
  const PointResult a = run(*workload, defaultKnobs(workload->document));
  const Comparison comparison = compare(a, a);
  EXPECT_EQ(comparison.metrics.size(), metricsWith(false).size());
  for (const ComparedMetric& metric : comparison.metrics)
    EXPECT_EQ(metric.value.change(), 0.0) << metric.metric->name;
  EXPECT_FALSE(comparison.operators.empty());
  for (const ComparedOperator& op : comparison.operators) {
    EXPECT_EQ(op.busy.change(), 0.0) << op.place;
    EXPECT_EQ(op.count_a, op.count_b);
  }
  for (const ComparedStream& stream : comparison.streams) EXPECT_EQ(stream.origin_a, stream.origin_b);
  for (const ComparedCause& cause : comparison.causes) EXPECT_EQ(cause.lost.change(), 0.0) << cause.cause;
}

TEST(Compare, DepthsOfAKnobShowInTheStreams) {
  const auto workload = workloadOf(chainDocument(3, 100, 0));
  const PointResult a = run(*workload, {{"depth", 1}}), b = run(*workload, {{"depth", 8}});
  const Comparison comparison = compare(a, b);
  ASSERT_EQ(comparison.streams.size(), 4u);
  for (const ComparedStream& stream : comparison.streams) {
    EXPECT_EQ(stream.depth.a, 1);
    EXPECT_EQ(stream.depth.b, 8);
    EXPECT_EQ(stream.tokens.change(), 0.0);
  }
  const auto cycles =
      std::find_if(comparison.metrics.begin(), comparison.metrics.end(),
                   [](const ComparedMetric& metric) { return metric.metric->name == "cycles"; });
  EXPECT_EQ(cycles->value.a, static_cast<double>(a.simulation.cycles));
  EXPECT_LT(*cycles->value.change(), 0) << "deeper FIFOs hide the latency of the slots";
}

TEST(Compare, OperatorsOfTwoFilesMeetByNameAndPlace) {
  Document longer = chainDocument(3, 100, 2);
  Document shorter = chainDocument(2, 100, 2);
  shorter.program.nodes[0].name = "origin";  // the only TileGen of another name has nobody
  shorter.program.streams[0].from.node = "origin";
  const auto of_a = workloadOf(longer), of_b = workloadOf(shorter);
  const Comparison comparison = compare(run(*of_a, {}), run(*of_b, {}));
  ASSERT_TRUE(find(comparison, "map_1"));
  EXPECT_EQ(find(comparison, "map_1")->count_a, 1u);
  EXPECT_EQ(find(comparison, "map_1")->count_b, 1u);
  EXPECT_EQ(find(comparison, "map_2")->count_b, 0u);
  EXPECT_FALSE(find(comparison, "map_2")->busy.b);
  EXPECT_EQ(find(comparison, "origin")->count_a, 0u);
  EXPECT_EQ(find(comparison, "source")->count_b, 0u);
}

TEST(Compare, InstancesOfARegionAreTakenTogether) {
  const auto workload = sampleWorkload(samples / "simple_moe.sluice");
  const PointResult a = run(*workload, defaultKnobs(workload->document));
  const Comparison comparison = compare(a, a);
  ASSERT_TRUE(find(comparison, "expert.gate"));
  const ComparedOperator& gate = *find(comparison, "expert.gate");
  double busy = 0;
  std::size_t instances = 0;
  for (std::size_t i = 0; i < a.symbolic.graph.operators.size(); ++i) {
    if (a.symbolic.graph.operators[i].origin != "expert.gate") continue;
    busy += static_cast<double>(a.simulation.operators[i].busy);
    ++instances;
  }
  EXPECT_GT(instances, 1u);
  EXPECT_EQ(gate.count_a, instances);
  EXPECT_EQ(gate.busy.a, busy);
}

TEST(Compare, CausesOfBothRunsSumToTheirLostCycles) {
  const auto workload = workloadOf(chainDocument(3, 100, 0));
  const PointResult a = run(*workload, {{"depth", 1}}), b = run(*workload, {{"depth", 8}});
  double lost_a = 0, lost_b = 0;
  for (const ComparedCause& cause : compare(a, b).causes) lost_a += *cause.lost.a, lost_b += *cause.lost.b;
  const auto lost = [](const PointResult& of) {
    return static_cast<double>(attributeStalls(of.symbolic.graph, *of.simulation.timeline).lost);
  };
  EXPECT_EQ(lost_a, lost(a));
  EXPECT_EQ(lost_b, lost(b));
}

TEST(CompareCommand, ComparesTwoPointsOfAFile) {
  const std::string file = "'" + (samples / "simple_moe.sluice").string() + "'";
  const Outcome outcome = runCommandLine("compare " + file + " --set-a depth=1 --set-b depth=4 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.out;
  const auto object = outcome.object();
  EXPECT_EQ(object["a"]["knobs"]["depth"], 1);
  EXPECT_EQ(object["b"]["knobs"]["depth"], 4);
  const Outcome a = runCommandLine("simulate " + file + " --set depth=1 --json");
  EXPECT_EQ(object["metrics"]["cycles"]["a"].get<double>(), a.object()["cycles"].get<double>());
  const Outcome text = runCommandLine("compare " + file + " --set-a depth=1 --set-b depth=4");
  EXPECT_NE(text.out.find("B"), std::string::npos);
  EXPECT_NE(text.out.find("off-chip memory"), std::string::npos);
}

/// A step moves operators into another region and puts others in their places: the tables agree on which is
/// which, and lost cycles are those of the runs alone.
TEST(CompareCommand, PairsTheOperatorsOfAScheduleInAllTables) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "sluice_compare_pairs";
  std::filesystem::create_directories(folder);
  const std::string plain = (folder / "plain.sluice").string(), shared = (folder / "shared.sluice").string();
  ASSERT_EQ(runCommandLine("workload moe --model qwen_b64 --size F=384 --size f=48 -o " + plain).status, 0);
  Result<Document> document = loadDocument(plain);
  ASSERT_TRUE(document) << text(document.diagnostics());
  std::erase_if(document->schedule,
                [](const ScheduleStep& step) { return step.transformation != "time_multiplex"; });
  ASSERT_TRUE(saveDocument(*document, shared));
  const std::string both = plain + " " + shared + " ";
  const std::string few = " --set-b regions=4";
  const auto compared = runCommandLine("compare " + both + few + " --json").object();
  const auto with = [](const nlohmann::json& rows, const char* key, const std::string& value) {
    for (const nlohmann::json& row : rows)
      if (row.at(key) == value) return row;
    return nlohmann::json();
  };
  for (const char* name : {"down", "down_load", "up_load", "gate_load", "gate"}) {
    const std::string of_a = std::string("expert.") + name, of_b = std::string("expert_shared.") + name;
    const auto op = with(compared["operators"], "place", of_b);
    ASSERT_TRUE(op.is_object()) << of_b;
    EXPECT_EQ(op["place_a"], of_a);
    EXPECT_EQ(op["instances"], nlohmann::json({128, 4})) << of_b;
    EXPECT_TRUE(with(compared["operators"], "place", of_a).is_null()) << of_a;
    EXPECT_TRUE(with(compared["causes"], "cause", of_a).is_null()) << of_a;
  }
  for (const auto& [side, file] : {std::pair("a", plain), std::pair("b", shared + " --set regions=4")}) {
    double lost = 0;
    for (const auto& cause : compared["causes"]) lost += cause["lost_cycles"][side].get<double>();
    const auto alone = runCommandLine("simulate " + file + " --stalls --json").object();
    EXPECT_EQ(lost, alone["stalls"]["lost_cycles"].get<double>()) << file;
  }
  const std::string words = runCommandLine("compare " + both + few + " --all").out;
  const std::string named = "expert_shared.down (A: expert.down)";
  const std::size_t first = words.find(named);
  ASSERT_NE(first, std::string::npos) << words;
  EXPECT_NE(words.find(named, first + 1), std::string::npos) << "the table of causes";
  std::filesystem::remove_all(folder);
}

TEST(CompareCommand, TellsWhatIsWrongWithEitherFile) {
  const std::string file = "'" + (samples / "simple_moe.sluice").string() + "'";
  EXPECT_EQ(runCommandLine("compare " + file + " /nowhere.sluice", true).status, 1);
  const Outcome wrong = runCommandLine("compare " + file + " --set-b nonsense=1", true);
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.out.find("--set-b nonsense=1"), std::string::npos) << wrong.out;
  EXPECT_EQ(runCommandLine("compare " + file + " --set-b nonsense", true).status, 2);
  EXPECT_EQ(runCommandLine("compare", true).status, 2);
}

TEST(CompareCommand, SaysWhichFileIsMeant) {
  const std::string file = "'" + (samples / "simple_moe.sluice").string() + "'";
  const std::string other = (samples / "swiglu.sluice").string();
  const Outcome outcome = runCommandLine("compare " + file + " '" + other + "' --set-b nonsense=1 --json");
  EXPECT_EQ(outcome.status, 1);
  const std::string place = outcome.object()["diagnostics"][0]["place"];
  EXPECT_TRUE(place.starts_with(other + ": ")) << place;
}

TEST(CompareCommand, WithNothingThatDiffersIsWrongUse) {
  const std::string file = "'" + (samples / "simple_moe.sluice").string() + "'";
  const Outcome outcome = runCommandLine("compare " + file + " --json");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.out.find("--set-b"), std::string::npos) << outcome.out;
}

TEST(CompareCommand, ListsTheFirstRowsAndCountsTheOthers) {
  const std::string file = "'" + (samples / "simple_moe.sluice").string() + "'";
  const std::string command = "compare " + file + " --set-b token_tile=8 --json";
  const nlohmann::json all = runCommandLine(command).object(),
                       few = runCommandLine(command + " --top 5").object();
  for (const char* list : {"operators", "streams", "causes"}) {
    EXPECT_EQ(all["left_out"][list], 0) << list;
    ASSERT_EQ(few[list].size(), 5u) << list;
    EXPECT_EQ(few["left_out"][list], all[list].size() - 5) << list;
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(few[list][i], all[list][i]);
  }
}

TEST(SimulateCommand, TellsStallsThatSumToAllLostCycles) {
  const std::string file = "'" + (samples / "simple_moe.sluice").string() + "'";
  const auto cycles = [](const nlohmann::json& of) { return of["cycles"].get<std::uint64_t>(); };
  for (const std::string top : {"", " --top 3", " --top 1000"}) {
    const nlohmann::json stalls =
        runCommandLine("simulate " + file + " --stalls --json" + top).object()["stalls"];
    std::uint64_t causes = 0, victims = 0, told = 0;
    for (const auto& cause : stalls["causes"]) {
      causes += cycles(cause);
      std::uint64_t sum = cause["cycles_left_out"].get<std::uint64_t>(), by_state = 0;
      for (const auto& victim : cause["victims"]) sum += cycles(victim);
      for (const auto& state : cause["cycles_by_state"]) by_state += state.get<std::uint64_t>();
      EXPECT_EQ(sum, cycles(cause));
      EXPECT_EQ(by_state, cycles(cause));
      victims += sum - cause["cycles_left_out"].get<std::uint64_t>();
      told += cause["victims"].empty() ? 0 : 1;
    }
    EXPECT_GT(causes, 0u);
    EXPECT_EQ(causes, stalls["lost_cycles"].get<std::uint64_t>());
    EXPECT_TRUE(stalls["exact"].get<bool>());
    EXPECT_EQ(told + stalls["causes_without_victims"].get<std::size_t>(), stalls["causes"].size());
    if (top == " --top 1000") {
      EXPECT_EQ(victims, causes) << "all of them, in a program of this size";
    } else {
      EXPECT_EQ(told, top.empty() ? 20u : 3u);
      EXPECT_LT(victims, causes);
    }
  }
}

TEST(SimulateCommand, WritesTracesOfOtherToolsOrSaysWhyNot) {
  const std::string file = "'" + (samples / "simple_moe.sluice").string() + "'";
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "sluice_trace_files";
  std::filesystem::create_directories(folder);
  const std::string to = (folder / "run").string();
  EXPECT_EQ(runCommandLine("simulate " + file + " --trace " + to + ".json --vcd " + to + ".vcd").status, 0);
  EXPECT_GT(std::filesystem::file_size(to + ".json"), 1000u);
  EXPECT_GT(std::filesystem::file_size(to + ".vcd"), 1000u);
  const Outcome refused = runCommandLine("simulate " + file + " --vcd /nowhere/run.vcd", true);
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.out.find("/nowhere"), std::string::npos);
  // The one that could be written is not, either.
  const std::string half = to + "_half.json";
  EXPECT_EQ(runCommandLine("simulate " + file + " --trace " + half + " --vcd /nowhere/run.vcd").status, 1);
  EXPECT_FALSE(std::filesystem::exists(half));
  std::filesystem::remove_all(folder);
}

}  // namespace sluice::compare_test

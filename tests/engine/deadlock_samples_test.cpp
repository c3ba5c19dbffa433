// Every file of sample_workloads/deadlocks: its wait cycles and its repair, and that the repair is one and
// tight.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "engine/core/atomic_file.h"
#include "engine/fifo/unlock.h"
#include "engine/simulator/wait_graph.h"
#include "engine/tensor/lowering/lowering.h"
#include "engine/tensor/sizing/fifo_sizing.h"
#include "engine/tensor/sizing/timed_graph_file.h"
#include "tests/engine/support/documents.h"

namespace sluice::deadlock_samples_test {

using testing::HasSubstr;
using testing_support::sampleWorkload;
using testing_support::workloadOf;

const std::filesystem::path folder =
    std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads" / "deadlocks";

/// A row of the folder's README: what must be found in a program.
struct Expected {
  std::string file, kind;
  std::string cycle_kind;  ///< of the wait cycles
  std::size_t wait_cycles = 0;
  Cycles closed_at = 0;                         ///< of the first wait cycle
  std::vector<std::string> members;             ///< of the first wait cycle, sorted
  std::map<std::string, std::uint64_t> depths;  ///< of the repair
  double bytes = 0;
};

std::vector<std::string> split(const std::string& text, const std::string& between) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find(between, from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + between.size();
  }
  return parts;
}

Expected expectedOf(const std::string& row) {
  std::vector<std::string> cells = split(row.substr(1), "|");
  for (std::string& cell : cells) {
    cell.erase(0, cell.find_first_not_of(' '));
    cell.erase(cell.find_last_not_of(' ') + 1);
  }
  Expected expected;
  expected.file = cells.at(0).substr(1, cells[0].size() - 2);
  expected.kind = expected.cycle_kind = cells.at(2);
  if (const std::vector<std::string> wait_cycles = split(cells.at(3), " "); !wait_cycles.empty()) {
    expected.wait_cycles = std::stoul(wait_cycles[0]);
    if (wait_cycles.size() > 1) expected.cycle_kind = wait_cycles[1];
  }
  if (!cells.at(4).empty()) expected.closed_at = std::stoull(cells[4]);
  expected.members = split(cells.at(5), ", ");
  for (const std::string& change : split(cells.at(6), "; ")) {
    const std::size_t colon = change.rfind(": ");
    expected.depths[change.substr(0, colon)] = std::stoull(change.substr(colon + 2));
  }
  if (!cells.at(7).empty()) expected.bytes = std::stod(cells[7]);
  return expected;
}

/// Of the programs that deadlock, or of those that do not.
std::vector<Expected> expectations(bool lock_up) {
  const Result<std::string> readme = readFile(folder / "README.md");
  if (!readme) throw std::runtime_error(text(readme.diagnostics()));
  std::vector<Expected> list;
  for (const std::string& line : split(*readme, "\n"))
    if (line.starts_with("| `"))
      if (Expected expected = expectedOf(line); (expected.kind != "none") == lock_up)
        list.push_back(std::move(expected));
  return list;
}

std::shared_ptr<const Workload> sample(const std::string& name) {
  return sampleWorkload(folder / (name + ".sluice"));
}

PointResult run(const Workload& workload) {
  Result<PointResult> result = evaluate(workload, defaultKnobs(workload.document), RecordMode::Count);
  if (!result) throw std::runtime_error(text(result.diagnostics()));
  return *std::move(result);
}

std::vector<std::string> sortedNames(const FlatGraph& graph, const std::vector<OperatorId>& operators) {
  std::vector<std::string> names;
  for (const OperatorId op : operators) names.push_back(graph.operators[op].name);
  std::sort(names.begin(), names.end());
  return names;
}

/// The program with the repair in it ends as foretold; with a token less in any of its FIFOs it deadlocks.
void expectTight(const Workload& workload, const PointResult& locked, const Repair& repair) {
  const ScheduledProgram* scheduled = locked.symbolic.scheduled.get();
  const PointResult fixed = run({repaired(workload.document, scheduled, repair), workload.inputs});
  EXPECT_EQ(fixed.point.state, PointState::Done) << fixed.point.cause;
  EXPECT_EQ(fixed.simulation.cycles, repair.cycles);
  for (std::size_t i = 0; i < repair.changes.size(); ++i) {
    Repair less = repair;
    --less.changes[i].to;
    const PointResult short_of = run({repaired(workload.document, scheduled, less), workload.inputs});
    EXPECT_EQ(short_of.point.state, PointState::Deadlocked) << repair.changes[i].stream;
  }
}

TEST(DeadlockSamples, AreDiagnosedAndRepairedAsExpected) {
  for (const Expected& expected : expectations(true)) {
    SCOPED_TRACE(expected.file);
    const auto workload = sample(expected.file);
    const PointResult locked = run(*workload);
    ASSERT_EQ(locked.point.state, PointState::Deadlocked) << locked.point.cause;
    const DeadlockReport& report = *locked.simulation.deadlock;
    ASSERT_EQ(report.cycles.size(), expected.wait_cycles);
    if (expected.wait_cycles > 0) {
      EXPECT_EQ(sortedNames(locked.symbolic.graph, report.cycles[0].members), expected.members);
      EXPECT_EQ(report.cycles[0].closed_at, expected.closed_at);
      EXPECT_LE(report.cycles[0].closed_at, report.at);
    } else {
      EXPECT_FALSE(report.stranded.empty());
    }
    SearchBudget budget;
    budget.time = std::chrono::hours(1);  // its runs decide, on any machine
    const Unlock unlocked = unlock(*workload, locked, budget);
    EXPECT_EQ(text(unlocked.kind), expected.kind);
    EXPECT_FALSE(unlocked.gave_up);
    ASSERT_EQ(unlocked.cycle_repairs.size(), report.cycles.size());
    for (const LockKind kind : unlocked.cycles) EXPECT_EQ(text(kind), expected.cycle_kind);
    EXPECT_FALSE(unlocked.reasons.empty());
    ASSERT_EQ(unlocked.repair.has_value(), expected.kind == "artificial");
    if (!unlocked.repair) continue;
    std::map<std::string, std::uint64_t> depths;
    for (const Repair::Change& change : unlocked.repair->changes) depths[change.stream] = change.to;
    EXPECT_EQ(depths, expected.depths);
    EXPECT_EQ(unlocked.repair->bytes, expected.bytes);
    EXPECT_TRUE(unlocked.repair->minimal && unlocked.repair->verified);
    expectTight(*workload, locked, *unlocked.repair);
  }
}

TEST(DeadlockSamples, ALongWaitIsNoDeadlock) {
  for (const Expected& expected : expectations(false)) {
    const std::string& name = expected.file;
    const PointResult result = run(*sample(name));
    EXPECT_EQ(result.point.state, PointState::Done) << name;
    Cycles longest = 0;
    for (const OperatorStats& stats : result.simulation.operators)
      longest = std::max({longest, stats.blocked_on_input, stats.blocked_on_output});
    EXPECT_GT(longest, result.simulation.cycles * 2 / 3) << name;
  }
}

TEST(DeadlockSamples, AreAllListedAndCanonical) {
  std::set<std::string> listed, found;
  for (const bool lock_up : {true, false})
    for (const Expected& expected : expectations(lock_up)) listed.insert(expected.file);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".sluice") continue;
    found.insert(entry.path().stem().string());
    const Result<std::string> bytes = readFile(entry.path());
    ASSERT_TRUE(bytes);
    const Result<Document> document = parseDocument(*bytes, entry.path().filename().string());
    ASSERT_TRUE(document) << text(document.diagnostics());
    EXPECT_EQ(writeDocument(*document), *bytes) << entry.path();
  }
  EXPECT_EQ(found, listed);
  EXPECT_GE(found.size(), 20u);
}

TEST(DeadlockSamples, ReasonsNameTheStream) {
  const auto reasons = [](const std::string& name) {
    const auto workload = sample(name);
    std::string all;
    const PointResult locked = run(*workload);
    for (const LockReason& reason : unlock(*workload, locked).reasons)
      all += text(reason, Naming{locked.symbolic.graph}) + "\n";
    return all;
  };
  EXPECT_THAT(reasons("rate_mismatch"),
              HasSubstr("'scatter.out[0].broadcast.out[0] -> join.in1' brought 6 tokens"));
  EXPECT_THAT(
      reasons("accumulate_without_stop"),
      HasSubstr(
          "sum waits for a stop of level 1 or more, and none came: 'pairs.out -> sum.in' brought 1 token"));
  EXPECT_THAT(reasons("starved_reassemble"), HasSubstr("'second.out -> gather.in[1]' brought 5 tokens"));
  EXPECT_THAT(reasons("unmatched_stops"), HasSubstr("the first stream has stop level 1, the second 0"));
  EXPECT_THAT(reasons("self_loop"), HasSubstr("nothing ends the loop of merge"));
  EXPECT_THAT(reasons("feedback_too_few_credits"), HasSubstr("'batches.out -> batch.in' brought 3 tokens"));
  EXPECT_THAT(reasons("unread_groups"), HasSubstr("brought 7 tokens and no stop, and scatter took 6"));
}

TEST(DeadlockSamples, TheChainTellsTheCircle) {
  const PointResult locked = run(*sample("shallow_branch"));
  const FlatGraph& graph = locked.symbolic.graph;
  const DeadlockReport& report = *locked.simulation.deadlock;
  const auto told = [&](OperatorId op, const Naming& names) {
    return texts(becauseChain(graph, report, op), names);
  };
  const std::vector<std::string> chain = told(report.cycles[0].members[0], Naming{graph});
  ASSERT_EQ(chain.size(), 4u);
  EXPECT_EQ(
      chain[0],
      "1. sum is waiting for token 3 of 'x.out.broadcast.out[1] -> sum.in', because it is empty, because");
  EXPECT_EQ(
      chain[1],
      "2. x.out.broadcast is waiting to push token 3 into 'x.out.broadcast.out[0] -> join.in1', because "
      "it is full (depth 3), because");
  EXPECT_THAT(chain[3], HasSubstr("because of 1: the wait cycle closes"));
  ASSERT_FALSE(report.victims.empty());
  const std::vector<std::string> behind = told(report.victims[0], Naming{graph});
  ASSERT_EQ(behind.size(), 1u);
  EXPECT_THAT(behind[0], HasSubstr("because x.out.broadcast is stuck itself"));
  // As who wrote the program says it.
  EXPECT_EQ(told(report.cycles[0].members[0], {graph, true, " to "})[1],
            "2. x.out is waiting to push token 3 into 'x.out to join.in1', because it is full (depth 3), "
            "because");
}

/// Where the wait cycles of the report are all there are, each has its own part of the repair; fixing the
/// first of interlocking ones uncovers the second, which its own repair knows nothing of.
TEST(DeadlockSamples, EachCircleHasARepairOfItsOwn) {
  const auto repairs = [](const std::string& name) {
    const auto workload = sample(name);
    return unlock(*workload, run(*workload));
  };
  const Unlock independent = repairs("independent");
  ASSERT_TRUE(independent.cycle_repairs[0] && independent.cycle_repairs[1]);
  EXPECT_EQ(independent.cycle_repairs[0]->bytes, 3072);
  EXPECT_EQ(independent.cycle_repairs[1]->bytes, 768);
  EXPECT_EQ(independent.cycle_repairs[0]->bytes + independent.cycle_repairs[1]->bytes,
            independent.repair->bytes);
  for (const std::size_t cycle : {0u, 1u}) {
    const CycleRepair& own = *independent.cycle_repairs[cycle];
    EXPECT_TRUE(own.minimal && own.verified && !own.ends);
    EXPECT_EQ(own.left, 1u);
    ASSERT_EQ(own.changes.size(), 1u);
    EXPECT_EQ(own.changes[0].stream, cycle == 0 ? "a.out -> a_join.in1" : "b.out -> b_join.in1");
  }
  const Unlock interlocking = repairs("interlocking");
  ASSERT_TRUE(interlocking.cycle_repairs[0]);
  const CycleRepair& first = *interlocking.cycle_repairs[0];
  ASSERT_EQ(first.changes.size(), 1u);
  EXPECT_EQ(first.changes[0].stream, "x.out -> shifted.in1");
  EXPECT_EQ(first.changes[0].to, 6u);
  EXPECT_TRUE(first.verified && !first.ends);
  EXPECT_EQ(first.left, 1u);
  EXPECT_LT(first.bytes, interlocking.repair->bytes);
  const Unlock whole = repairs("shallow_branch");
  ASSERT_TRUE(whole.cycle_repairs[0]);
  EXPECT_TRUE(whole.cycle_repairs[0]->ends);
  EXPECT_EQ(whole.cycle_repairs[0]->cycles, whole.repair->cycles);
  EXPECT_FALSE(repairs("rate_mismatch").cycle_repairs[0]);
}

/// Taken one after the other, each of its own run, the repairs of single wait cycles end in a program that
/// ends.
TEST(DeadlockSamples, CirclesCanBeFixedOneByOne) {
  for (const std::string name : {"independent", "interlocking", "one_after_the_other", "nested_regions"}) {
    SCOPED_TRACE(name);
    std::shared_ptr<const Workload> workload = sample(name);
    int steps = 0;
    for (PointResult point = run(*workload); point.point.state != PointState::Done && steps < 5;
         ++steps, point = run(*workload)) {
      const Unlock unlocked = unlock(*workload, point);
      ASSERT_TRUE(unlocked.cycle_repairs.at(0) && unlocked.cycle_repairs[0]->verified);
      workload = workloadOf(repaired(workload->document, nullptr, *unlocked.cycle_repairs[0]));
    }
    EXPECT_EQ(steps, name == "nested_regions" ? 1 : 2);
  }
}

/// What the published program gives for kernels from two sources is what the sample has, and deadlocks; start
/// times know better.
TEST(DeadlockSamples, FifosAsThePublishedProgramSizesThem) {
  const Result<TimedGraph> kernels = loadTimedGraph(folder / "lp_sized_kernels.json");
  ASSERT_TRUE(kernels) << text(kernels.diagnostics());
  const auto depths = [&](SizingMethod method, SizingObjective objective) {
    SizingOptions options;
    options.fifo.hop_latency = 1;  // as size-fifos has it
    options.objective = objective;
    const Result<FifoSizing> sizing = sizeFifos(*kernels, method, options);
    std::vector<std::int64_t> list;
    for (const SizedFifo& fifo : sizing->fifos) list.push_back(fifo.depth);
    return list;
  };
  Document document = sample("lp_sized")->document;
  for (const SizingObjective objective : {SizingObjective::TotalDelay, SizingObjective::TotalBytes}) {
    EXPECT_EQ(kernelGraph(*kernels, depths(SizingMethod::PathProgram, objective)), document.program);
    const PointResult locked = run(*workloadOf(document));
    EXPECT_EQ(locked.point.state, PointState::Deadlocked);
    Document sized = document;
    sized.program = kernelGraph(*kernels, depths(SizingMethod::StartTime, objective));
    EXPECT_EQ(run(*workloadOf(sized)).point.state, PointState::Done);
  }
}

/// A depth that is an expression stays one, so that its knob can still ask for more.
TEST(DeadlockSamples, ARepairKeepsAnExpression) {
  Document document = sample("shallow_branch")->document;
  Knob knob;
  knob.name = "room", knob.minimum = 1, knob.maximum = 32, knob.initial = 3;
  document.knobs.push_back(knob);
  document.program.streams[0].depth = Value("room");
  const auto workload = workloadOf(document);
  const PointResult locked = run(*workload);
  const Unlock unlocked = unlock(*workload, locked);
  ASSERT_TRUE(unlocked.repair && unlocked.repair->verified);
  const Document fixed = repaired(document, nullptr, *unlocked.repair);
  EXPECT_EQ(fixed.program.streams[0].depth, std::optional<Value>(Value("max(room, 8)")));
  for (const auto& [room, depth] : std::map<std::int64_t, std::uint64_t>{{3, 8}, {20, 20}}) {
    const auto point = evaluate(*workloadOf(fixed), {{"room", room}}, RecordMode::Count);
    ASSERT_TRUE(point) << text(point.diagnostics());
    EXPECT_EQ(point->point.state, PointState::Done);
    EXPECT_EQ(std::count_if(point->symbolic.graph.streams.begin(), point->symbolic.graph.streams.end(),
                            [depth = depth](const FlatStream& s) { return s.depth == depth; }),
              1);
  }
}

/// An EagerMerge waits for any of its inputs: it belongs to the wait cycle through one of them only when the
/// other leads back as well.
TEST(DeadlockSamples, AMergeWaitsForAnyOfItsInputs) {
  const PointResult locked = run(*sample("feedback_one_too_many"));
  const DeadlockReport& report = *locked.simulation.deadlock;
  const auto merge = std::find_if(
      report.blocked.begin(), report.blocked.end(),
      [&](const BlockedOperator& b) { return locked.symbolic.graph.operators[b.op].name == "merge"; });
  ASSERT_NE(merge, report.blocked.end());
  EXPECT_EQ(merge->any_of.size(), 1u);  // the other input has closed
}

/// Behind a schedule the repair is a further step of it.
TEST(DeadlockSamples, ARepairBehindAScheduleIsAStep) {
  Document document = sample("nested_regions")->document;
  document.schedule.push_back(
      {"fifo_depth", {{"to", Value("layer.head.join.in1")}, {"depth", Value(1)}}, true});
  const auto workload = workloadOf(document);
  const PointResult locked = run(*workload);
  ASSERT_TRUE(locked.simulation.deadlock);
  const Unlock unlocked = unlock(*workload, locked);
  ASSERT_TRUE(unlocked.repair && unlocked.repair->verified);
  const Document fixed = repaired(document, locked.symbolic.scheduled.get(), *unlocked.repair);
  EXPECT_EQ(fixed.program, document.program);
  ASSERT_EQ(fixed.schedule.size(), 2u);
  EXPECT_EQ(text(fixed.schedule[1].arguments.at("to")), "layer.head.join.in1");
  expectTight(*workload, locked, *unlocked.repair);
}

/// The FIFO of a region's output belongs to the stream inside that feeds it.
TEST(DeadlockSamples, AFifoAtTheEdgeOfARegionIsRepairedToo) {
  Document document = sample("two_sources")->document;
  Region region;
  region.inputs = {"in"}, region.outputs = {"out"};
  region.body.streams.push_back({{"region", "in", {}}, {"pass", "in", {}}, {}});
  region.body.streams.push_back({{"pass", "out", {}}, {"region", "out", {}}, {}});
  region.body.nodes.push_back(
      testing_support::node("pass", "Map", {{"function", Value("silu")}, {"compute_bw", Value(64)}}));
  Node around;
  around.name = "around", around.kind = "Region", around.body = Box<Region>(std::move(region));
  document.program.nodes.push_back(std::move(around));
  Stream& direct = document.program.streams[0];  // a.out -> a_join.in1
  const Endpoint join = std::exchange(direct.to, Endpoint{"around", "in", {}});
  direct.depth = Value(1);
  document.program.streams.push_back({{"around", "out", {}}, join, {}});
  document.program.streams[2].depth =
      Value(1);  // b.out -> b_join.in1: now both must grow, or one of them a lot
  for (const bool scheduled : {false, true}) {
    document.schedule.clear();
    if (scheduled)
      document.schedule.push_back({"fifo_depth", {{"to", Value("b_join.in1")}, {"depth", Value(1)}}, true});
    const auto workload = workloadOf(document);
    const PointResult locked = run(*workload);
    ASSERT_TRUE(locked.simulation.deadlock);
    const Unlock unlocked = unlock(*workload, locked);
    ASSERT_TRUE(unlocked.repair);
    EXPECT_TRUE(unlocked.repair->verified && unlocked.repair->minimal);
    expectTight(*workload, locked, *unlocked.repair);
    Repair edge;
    edge.changes.push_back({"around#region.out", "", 1, 1, 9, 0});  // pass.out -> region.out
    const PointResult deep =
        run({repaired(document, locked.symbolic.scheduled.get(), edge), workload->inputs});
    EXPECT_TRUE(
        std::any_of(deep.symbolic.graph.streams.begin(), deep.symbolic.graph.streams.end(),
                    [](const FlatStream& s) { return s.origin == "around#region.out" && s.depth == 9; }));
  }
}

/// A wait-for graph by hand: operator i waits for any of waits_for[i]; 9 has finished.
DeadlockReport reportOf(const std::vector<std::vector<OperatorId>>& waits_for) {
  DeadlockReport report;
  for (OperatorId op = 0; op < waits_for.size(); ++op) {
    report.blocked.emplace_back().op = op;
    report.blocked.back().since = 10 * op;
  }
  simulator::findCircles(report, waits_for);
  return report;
}

TEST(WaitGraph, AWaitForAnyOfTwoIsStuckOnlyWithBoth) {
  // 0 waits for 1 or 2; 1 waits for 0; 2 and 3 wait for each other: they alone hold up everybody.
  const DeadlockReport rescued = reportOf({{1, 2}, {0}, {3}, {2}});
  ASSERT_EQ(rescued.cycles.size(), 1u);
  EXPECT_THAT(rescued.cycles[0].members, testing::ElementsAre(2, 3));
  EXPECT_EQ(rescued.cycles[0].closed_at, 30u);
  EXPECT_THAT(rescued.victims, testing::ElementsAre(0, 1));
  EXPECT_EQ(rescued.find(0)->distance, 1u);
  EXPECT_EQ(rescued.find(1)->distance, 2u);

  const DeadlockReport both = reportOf({{1, 2}, {0}, {0}, {0}});
  ASSERT_EQ(both.cycles.size(), 1u);
  EXPECT_THAT(both.cycles[0].members, testing::UnorderedElementsAre(0, 1, 2));
  EXPECT_EQ(both.cycles[0].closed_at, 20u);
  EXPECT_THAT(both.victims, testing::ElementsAre(3));
}

TEST(WaitGraph, IndependentCirclesSelfLoopsAndTheStrandedAreToldApart) {
  const DeadlockReport report = reportOf({{1}, {0}, {2}, {2}, {9}, {4}});
  ASSERT_EQ(report.cycles.size(), 2u);
  EXPECT_THAT(report.cycles[0].members, testing::ElementsAre(0, 1));
  EXPECT_THAT(report.cycles[1].members, testing::ElementsAre(2));
  EXPECT_THAT(report.stranded, testing::ElementsAre(4));
  EXPECT_THAT(report.victims, testing::ElementsAre(3, 5));
  EXPECT_EQ(report.at, 50u);
}

TEST(WaitGraph, AChainAsLongAsAProgramIsFollowed) {
  std::vector<std::vector<OperatorId>> waits_for;
  constexpr OperatorId length = 50'000;
  for (OperatorId op = 0; op < length; ++op) waits_for.push_back({op + 1});
  waits_for.push_back({length - 1});
  const DeadlockReport report = reportOf(waits_for);
  ASSERT_EQ(report.cycles.size(), 1u);
  EXPECT_THAT(report.cycles[0].members, testing::ElementsAre(length - 1, length));
  EXPECT_EQ(report.find(0)->distance, length - 1);
}

}  // namespace sluice::deadlock_samples_test

// The engine is extended from outside of it: a toy of each kind, from one file and one registration, is found
// wherever those of the engine are. A program of its own, as registries are open only until they are read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>

#include "engine/core/atomic_file.h"
#include "engine/core/executor.h"
#include "engine/explorer/explore.h"
#include "engine/explorer/store/json_lines.h"
#include "engine/explorer/tables.h"
#include "engine/fifo/program_sizing.h"
#include "engine/importers/registry.h"
#include "engine/operators/registry.h"
#include "engine/plugins/plugin.h"
#include "engine/program/elaborate.h"
#include "engine/program/file_format.h"
#include "engine/schedule/proposals.h"
#include "tests/architecture/toys.h"

namespace sluice {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Extension toyExtension() {
  return {.operators = {&toys::hold()},
          .transformations = {&toys::depth()},
          .strategies = {{"toy-first", "the first point", false, toys::searchFirst}},
          .depth_strategies = {{"toy-three", "Three", "three tokens each", "that they are three", false,
                                false, toys::chooseThree}},
          .metrics = {&toys::energy()},
          .importers = {&toys::tiles()}};
}

Document toyProgram(const std::string& schedule = "[]", const std::string& cycles = "\"hold\"") {
  const Result<Document> document = parseDocument(R"({
    "sluice": 1, "title": "toys",
    "knobs": [{"name": "hold", "kind": "List", "values": [0, 10, 100], "default": 10}],
    "program": {
      "nodes": [
        {"name": "tiles", "kind": "TileGen", "parameters": {"interval": 1, "shape": [4, 4], "tile": [16, 16]}},
        {"name": "hold", "kind": "ToyHold", "parameters": {"cycles": )" +
                                                      cycles + R"(}},
        {"name": "end", "kind": "Consumer"}],
      "streams": [{"from": "tiles.out", "to": "hold.in"}, {"from": "hold.out", "to": "end.in"}]},
    "schedule": )" + schedule + "}",
                                                  "toys.sluice");
  if (!document) throw std::runtime_error(text(document.diagnostics()));
  return *document;
}

std::shared_ptr<const Workload> toyWorkload(const std::string& schedule = "[]") {
  return *makeWorkload(toyProgram(schedule), ".");
}

PointResult evaluated(const Workload& workload, const KnobValues& knobs = {}) {
  Result<PointResult> point = evaluate(workload, knobs, RecordMode::Record);
  if (!point) throw std::runtime_error(text(point.diagnostics()));
  return *std::move(point);
}

TEST(Extension, StandsBehindWhatIsBuiltIn) {
  EXPECT_EQ(registeredOperators().back(), &toys::hold());
  EXPECT_EQ(builtInCatalog().all().back(), &toys::hold().spec);  // palette, inspector, help
  EXPECT_EQ(registeredTransformations().back(), &toys::depth());
  EXPECT_STREQ(strategies().back().name, "toy-first");  // dialogs and command line
  EXPECT_STREQ(depthStrategies().back().name, "toy-three");
  EXPECT_EQ(findOperator("ToyHold"), &toys::hold());
  EXPECT_EQ(findTransformation("toy_depth"), &toys::depth());
  EXPECT_EQ(findStrategy("toy-first"), &strategies().back());
  EXPECT_EQ(findDepthStrategy("toy-three"), &depthStrategies().back());
  EXPECT_EQ(metricNames().back(), "toy_energy");  // menus of axes, dialogs, tables, the bar of figures
  EXPECT_EQ(findMetric("toy_energy"), &toys::energy());
  EXPECT_EQ(registeredImporters().back(), &toys::tiles());  // the help of import
  EXPECT_EQ(importSuffixes().back(), "toy");                // the dialog for files, drops
}

TEST(Extension, OperatorIsInFileFormatCheckerAndSimulator) {
  const Document document = toyProgram();
  const Result<Document> again = parseDocument(writeDocument(document), "again");
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, document);
  EXPECT_THAT(check(document, builtInCatalog()), IsEmpty());
  const Diagnostics wrong = check(toyProgram("[]", "1001"), builtInCatalog());
  ASSERT_FALSE(wrong.empty());
  EXPECT_THAT(text(wrong), HasSubstr("1000"));

  const Cycles fast = evaluated(*toyWorkload(), {{"hold", 0}}).point.metrics.cycles;
  EXPECT_EQ(evaluated(*toyWorkload(), {{"hold", 100}}).point.metrics.cycles, 16 * 100 + 3);
  EXPECT_LT(fast, 100u);
}

TEST(Extension, TransformationIsAStepOfASchedule) {
  const auto workload = toyWorkload(R"([{"transformation": "toy_depth", "arguments": {"depth": 7}}])");
  const Result<ScheduledProgram> scheduled =
      applySchedule(workload->document, workload->inputs, {{"hold", 10}});
  ASSERT_TRUE(scheduled) << text(scheduled.diagnostics());
  for (const Stream& stream : scheduled->document.program.streams) EXPECT_EQ(stream.depth, Value(7));
}

TEST(Extension, TransformationIsProposed) {
  const auto workload = toyWorkload();
  const Result<Proposals> proposals = proposalsFor(workload->document, workload->inputs, {{"hold", 10}});
  ASSERT_TRUE(proposals) << text(proposals.diagnostics());
  const auto found = std::ranges::find(proposals->legal, "toy_depth",
                                       [](const Proposal& proposal) { return proposal.step.transformation; });
  ASSERT_NE(found, proposals->legal.end());
  ASSERT_EQ(found->domains.size(), 1u);
  EXPECT_EQ(found->domains.front().argument, "depth");
  EXPECT_EQ(found->domains.front().values.front(), Value(1));
  EXPECT_EQ(found->domains.front().values.back(), Value(1024));
}

TEST(Extension, SearchStrategyIsRun) {
  ExploreOptions options;
  options.strategy = "toy-first";
  const Result<Exploration> found = explore(*toyWorkload(), *makeExecutor(1), options);
  ASSERT_TRUE(found) << text(found.diagnostics());
  ASSERT_EQ(found->points.size(), 1u);
  EXPECT_EQ(found->points.front().knobs.at("hold"), 0);
}

TEST(Extension, DepthStrategyIsRun) {
  const Result<ProgramSizing> sized =
      sizeProgram(*toyWorkload(), {{"hold", 10}}, "", *findDepthStrategy("toy-three"));
  ASSERT_TRUE(sized) << text(sized.diagnostics());
  ASSERT_FALSE(sized->changes.empty());
  for (const Stream& stream : sized->document.program.streams) EXPECT_EQ(stream.depth, Value(3));
}

std::uint64_t energyOf(const DesignPoint& point) {
  return 2 * point.metrics.token_hops + point.metrics.cycles;
}

Exploration exploredByEnergy() {
  ExploreOptions options;
  options.objectives = {"toy_energy", "cycles"};
  Result<Exploration> found = explore(*toyWorkload(), *makeExecutor(1), options);
  if (!found) throw std::runtime_error(text(found.diagnostics()));
  return *std::move(found);
}

TEST(Extension, MetricIsAnObjectiveAConstraintAndAColumn) {
  const Exploration all = exploredByEnergy();
  ASSERT_EQ(all.points.size(), 3u);
  for (const DesignPoint& point : all.points) {
    EXPECT_EQ(exactMetric(point, toys::energy()), MetricValue(energyOf(point)));
    EXPECT_EQ(metric(point, "toy_energy"), static_cast<double>(energyOf(point)));
  }
  EXPECT_EQ(all.frontier, std::vector<std::size_t>{0});  // the shortest hold takes the least
  const double least = metric(all.points[0], "toy_energy");
  EXPECT_TRUE(fulfils(all.points[0], {{.metric = "toy_energy", .value = least}}));
  EXPECT_FALSE(fulfils(all.points[1], {{.metric = "toy_energy", .value = least}}));
  const std::string csv = pointsCsv(toyProgram(), all);
  EXPECT_THAT(csv, HasSubstr(",toy_energy,"));
  EXPECT_THAT(csv, HasSubstr("," + std::to_string(energyOf(all.points[2])) + ","));
}

/// A store with the points of the toy program, and one that was stored before there was a toy metric.
TEST(Extension, MetricIsStored) {
  const std::string file = testing::TempDir() + "toys.db";
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(file + part);
  Result<ResultStore> store = ResultStore::open(file, ResultStore::Access::Write);
  ASSERT_TRUE(store) << text(store.diagnostics());
  ExplorationRecord record = explorationHere();
  record.workload = "toys";
  record.knobs = toyProgram().knobs;
  record.objectives = {"toy_energy"};
  const Result<ExplorationRecord> begun = store->begin(record);
  ASSERT_TRUE(begun) << text(begun.diagnostics());
  const Exploration all = exploredByEnergy();
  std::vector<Visit> visits;
  for (const DesignPoint& point : all.points) visits.push_back({visits.size(), point});
  visits.back().point.metrics.added.clear();
  ASSERT_TRUE(store->write(*begun, visits));

  const Result<std::vector<DesignPoint>> stored = store->points(*begun);
  ASSERT_TRUE(stored) << text(stored.diagnostics());
  ASSERT_EQ(stored->size(), 3u);
  EXPECT_EQ(exactMetric((*stored)[1], toys::energy()), MetricValue(energyOf(all.points[1])));
  EXPECT_FALSE(exactMetric((*stored)[2], toys::energy()));
  const auto frontier = store->frontier(*begun, {"toy_energy"});
  ASSERT_TRUE(frontier && frontier->size() == 1);
  EXPECT_EQ(frontier->front().knobs, all.points[0].knobs);

  std::vector<std::size_t> found;  // the last is evaluated again
  const std::vector<KnobValues> knobs{all.points[0].knobs, all.points[2].knobs};
  ASSERT_TRUE(store->find(*begun, knobs, false, [&](std::size_t i, DesignPoint) { found.push_back(i); }));
  EXPECT_EQ(found, std::vector<std::size_t>{0});
  std::string lines;
  ASSERT_TRUE(writeJsonLines(*store, {}, [&](std::string_view piece) {
    lines += piece;
    return Result<Done>(Done{});
  }));
  EXPECT_THAT(lines, HasSubstr("\"toy_energy\":" + std::to_string(energyOf(all.points[0]))));
}

TEST(Extension, ImporterReadsAFile) {
  const std::filesystem::path file = testing::TempDir() + "four.toy";
  ASSERT_TRUE(writeFileAtomically(file, "4"));
  EXPECT_TRUE(isForeign(file));
  EXPECT_EQ(&importerOf("a.toy", "{}"), &toys::tiles()) << "no graph of STeP in JSON";
  const Result<Imported> imported = importFile(file);
  ASSERT_TRUE(imported) << text(imported.diagnostics());
  EXPECT_EQ(imported->document.title, "four");
  EXPECT_EQ(imported->document.program.nodes.size(), 2u);
  ASSERT_TRUE(writeFileAtomically(file, "four"));
  EXPECT_EQ(importFile(file).diagnostics().front().code, "not-an-integer");
}

TEST(Extension, IsRefusedWhereANameIsTakenOrARuleIsBroken) {
  const Location place(Where::File, "libtoys.so");
  for (const Extension& taken :
       {Extension{.operators = {&toys::hold()}}, Extension{.transformations = {&toys::depth()}},
        Extension{.strategies = toyExtension().strategies},
        Extension{.depth_strategies = toyExtension().depth_strategies},
        Extension{.metrics = {&toys::energy()}}, Extension{.importers = {&toys::tiles()}}}) {
    const Result<Done> refused = extend(taken, place);
    ASSERT_FALSE(refused);
    EXPECT_THAT(text(refused.diagnostics()), HasSubstr("the name is taken"));
    EXPECT_THAT(text(refused.diagnostics()), HasSubstr("libtoys.so"));
  }
  Operator silent = toys::hold();
  silent.spec.kind = "ToySilent";
  silent.spec.parameters.front().help.clear();
  silent.spec.rules.cost.clear();
  silent.behaviour = Stated<Operator::Behaviour>(nullptr);
  const Result<Done> refused = extend({.operators = {&silent}}, place);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diagnostics().size(), 3u) << text(refused.diagnostics());
  for (const Diagnostic& each : refused.diagnostics()) EXPECT_EQ(each.code, "plugin-rule");

  MetricSpec other = toys::energy();  // a column of the store, the place of another, no unit
  other.name = "deadlock";
  other.member = &Metrics::cycles;
  other.unit.clear();
  EXPECT_EQ(extend({.metrics = {&other}}, place).diagnostics().size(), 3u);
  Importer greedy = toys::tiles();  // the suffixes of two others, and nobody says what it sniffs
  greedy.name = "Greedy";
  greedy.suffixes = {"toy", "dot"};
  greedy.sniff = [](std::string_view) { return true; };
  EXPECT_EQ(extend({.importers = {&greedy}}, place).diagnostics().size(), 3u);
}

TEST(Extension, AfterARegistryWasReadIsABug) {
  EXPECT_NE(findOperator("Map"), nullptr);
  Operator late = toys::hold();
  late.spec.kind = "ToyLate";
  EXPECT_THROW(static_cast<void>(extend({.operators = {&late}}, "late")), std::logic_error);
}

TEST(Plugin, ThatIsNoneIsRefused) {
  const Result<Done> missing = loadPlugin("no/such.so");
  ASSERT_FALSE(missing);
  EXPECT_THAT(text(missing.diagnostics()), HasSubstr("there is no such file"));
  const Result<Done> source = loadPlugin(SLUICE_SOURCE_DIR "/README.md");
  ASSERT_FALSE(source);
  EXPECT_THAT(text(source.diagnostics()), HasSubstr("it cannot be loaded"));
  const Result<Done> folder = loadPlugin(SLUICE_SOURCE_DIR);
  ASSERT_FALSE(folder);
  EXPECT_THAT(text(folder.diagnostics()), HasSubstr("it is no file"));
}

/// The loader would end the program: it maps bytes that are not there.
TEST(Plugin, ThatIsCutOffIsRefused) {
  const std::string file = testing::TempDir() + "cut.so";
  std::string head(4096, '\0');
  std::ifstream("/proc/self/exe", std::ios::binary)
      .read(head.data(), static_cast<std::streamsize>(head.size()));
  std::ofstream(file, std::ios::binary) << head;
  const Result<Done> cut = loadPlugin(file);
  ASSERT_FALSE(cut);
  EXPECT_THAT(text(cut.diagnostics()), HasSubstr("the library is not whole"));
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (const auto done = sluice::extend(sluice::toyExtension(), "toys"); !done) {
    std::cerr << sluice::text(done.diagnostics());
    return 1;
  }
  return RUN_ALL_TESTS();
}

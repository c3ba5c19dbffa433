// The engine is extended from outside of it: a toy of each kind, from one file and one registration, is found
// wherever those of the engine are. A program of its own, as registries are open only until they are read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>

#include "engine/core/executor.h"
#include "engine/explorer/explore.h"
#include "engine/fifo/program_sizing.h"
#include "engine/operators/registry.h"
#include "engine/plugins/plugin.h"
#include "engine/program/elaborate.h"
#include "engine/program/file_format.h"
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
                                false, toys::chooseThree}}};
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
  const Result<Scheme> scheme = applySchedule(workload->document, workload->inputs, {{"hold", 10}});
  ASSERT_TRUE(scheme) << text(scheme.diagnostics());
  for (const Stream& stream : scheme->document.program.streams) EXPECT_EQ(stream.depth, Value(7));
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

TEST(Extension, IsRefusedWhereANameIsTakenOrARuleIsBroken) {
  const Location place(Where::File, "libtoys.so");
  for (const Extension& taken :
       {Extension{.operators = {&toys::hold()}}, Extension{.transformations = {&toys::depth()}},
        Extension{.strategies = toyExtension().strategies},
        Extension{.depth_strategies = toyExtension().depth_strategies}}) {
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

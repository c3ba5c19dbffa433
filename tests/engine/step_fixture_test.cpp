// The complete graphs of the STeP artifact (tests/data/step), imported and simulated, against the cycles that
// its authors published (August 2025 and Figures 9, 12, 14, 15 of the paper) and against those of the
// executable reference model.

#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>

#include "engine/core/atomic_file.h"
#include "engine/explorer/evaluate.h"
#include "engine/interchange/step_fixture.h"
#include "engine/operators/simulate.h"
#include "engine/program/elaborate.h"
#include "engine/program/file_format.h"

namespace sluice::step_fixture_test {

std::filesystem::path fixture(const std::string& name) {
  return std::filesystem::path(SLUICE_BINARY_DIR) / "published_graphs" / (name + ".json");
}

struct Published {
  const char* name;
  double cycles;
  double tolerance;  ///< relative; 0: within one cycle
};

void PrintTo(const Published& graph, std::ostream* out) {
  *out << graph.name;
}

// MoE graphs take one of two values, by hbm_controller_wait (engine/simulator/exact_timing.md): the authors'
// own two publications differ. With regions of 128 and tiles of 16 neither is met.
const Published published[] = {{"attention_b16_1456_coarse", 74622, 0},
                               {"attention_b16_1456_dyn", 26043, 0},
                               {"attention_b64_0484_coarse", 48710, 0},
                               {"attention_b64_0484_static", 48789, 0},
                               {"attention_b64_0996_coarse", 70210, 0},
                               {"attention_b64_0996_dyn", 49094, 0},
                               {"attention_b64_0996_static", 64362, 0},
                               {"mixtral_b64_static16", 4644999, 0},
                               {"mixtral_b64_static64", 2810632, 0},
                               {"mixtral_b64_dynamic", 2817877, 0},
                               {"qwen_b64_revet16", 712133, 0.001},
                               {"qwen_b64_revet64", 576400, 0},
                               {"qwen_b64_dynamic", 580803, 0},
                               {"qwen_b64_timemux_static_r128", 790345, 0.001},
                               {"qwen_b64_timemux_static_r8", 1005255, 0},
                               {"qwen_b64_timemux_dyn_r128", 713195, 0.001},
                               {"qwen_b64_timemux_dyn_r32", 754099, 0}};

class StepFixture : public testing::TestWithParam<Published> {};

Result<SimulationResult> simulateFixture(const std::filesystem::path& file,
                                         std::int64_t controller_wait = 0) {
  const Result<std::string> text = readFile(file);
  if (!text) return text.diagnostics();
  Result<Document> document = importStepFixture(*text, file.string());
  if (!document) return document.diagnostics();
  document->machine.hbm_controller_wait = controller_wait;
  const auto workload = makeWorkload(*document, file.parent_path());
  if (!workload) return workload.diagnostics();
  const Result<FlatGraph> graph = elaborate((*workload)->document, {}, builtInCatalog());
  if (!graph) return graph.diagnostics();
  return simulate(*graph, (*workload)->inputs);
}

TEST_P(StepFixture, TakesThePublishedCycles) {
  const std::filesystem::path file = fixture(GetParam().name);
  double nearest = 0;
  for (const std::int64_t controller_wait : {0, 1}) {
    const Result<SimulationResult> result = simulateFixture(file, controller_wait);
    ASSERT_TRUE(result) << text(result.diagnostics());
    EXPECT_FALSE(result->deadlock);
    EXPECT_FALSE(result->fault) << result->fault->cause;
    const auto cycles = static_cast<double>(result->cycles);
    if (std::abs(cycles - GetParam().cycles) < std::abs(nearest - GetParam().cycles)) nearest = cycles;
  }
  const double tolerance = GetParam().tolerance == 0 ? 1 : GetParam().tolerance * GetParam().cycles;
  EXPECT_NEAR(nearest, GetParam().cycles, tolerance);
}

INSTANTIATE_TEST_SUITE_P(Artifact, StepFixture, testing::ValuesIn(published),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST_P(StepFixture, IsCheckedAndTyped) {
  const std::filesystem::path file = fixture(GetParam().name);
  const Result<std::string> bytes = readFile(file);
  ASSERT_TRUE(bytes);
  const Result<Document> document = importStepFixture(*bytes, file.string());
  ASSERT_TRUE(document) << text(document.diagnostics());
  EXPECT_FALSE(hasErrors(check(*document, builtInCatalog())));
  // What is written is what was imported.
  const Result<Document> again = parseDocument(writeDocument(*document), "again");
  ASSERT_TRUE(again) << text(again.diagnostics());
  EXPECT_EQ(*again, *document);
  const auto workload = makeWorkload(*again, file.parent_path());
  ASSERT_TRUE(workload) << text(workload.diagnostics());
  const Result<SymbolicResult> symbolic = evaluateSymbolic(**workload, {});
  ASSERT_TRUE(symbolic) << text(symbolic.diagnostics());
}

TEST(StepFixtureModel, AttentionEqualsTheReferenceModel) {
  const std::pair<const char*, Cycles> recorded[] = {
      {"attention_b16_1456_coarse", 74621}, {"attention_b16_1456_dyn", 26042},
      {"attention_b64_0484_coarse", 48709}, {"attention_b64_0484_static", 48788},
      {"attention_b64_0996_coarse", 70209}, {"attention_b64_0996_dyn", 49093},
      {"attention_b64_0996_static", 64361}};
  for (const auto& [name, cycles] : recorded) {
    SCOPED_TRACE(name);
    const Result<SimulationResult> result = simulateFixture(fixture(name));
    ASSERT_TRUE(result) << text(result.diagnostics());
    // The model does not count the cycles in which memory drains: 0 or 1 more here.
    EXPECT_GE(result->cycles, cycles);
    EXPECT_LE(result->cycles, cycles + 1);
  }
}

TEST(StepFixtureImport, RefusesWhatItDoesNotKnow) {
  const auto refused = [](const char* json, const char* words) {
    const Result<Document> document = importStepFixture(json, "graph.json");
    ASSERT_FALSE(document) << json;
    EXPECT_NE(text(document.diagnostics()).find(words), std::string::npos) << text(document.diagnostics());
    EXPECT_FALSE(document.diagnostics()[0].fix.empty());
  };
  refused("{", "not JSON");
  refused("{}", "depth");
  refused(R"({"depth":1,"cfg":{},"fb":2,"ops":[{"T":"Teleport","id":3}]})", "operator '3' (Teleport)");
  refused(R"({"depth":1,"cfg":{},"fb":2,"ops":[{"T":"Flatten","id":3,"inp":[9,null],"mn":0,"mx":1}]})",
          "does not exist");
  refused(R"({"depth":1,"cfg":{},"fb":2,"ops":[{"T":"Flatten","id":"x"}]})", "type");
  refused(R"({"depth":1,"cfg":{},"fb":2,"ops":[{"T":"Counter","id":0.9,"max":9}]})", "not whole");
  refused(R"({"depth":1,"cfg":{},"fb":2,"ops":[{"T":"MetadataGen","id":1,"shape":[-2],"data":[4,5]}]})",
          "the extent -2");
  refused(R"({"depth":1,"cfg":{},"fb":2,"ops":[{"T":"MetadataGen","id":1,"shape":[4294967296,4294967296],
          "data":[4,5]}]})",
          "more elements");
  refused(std::string(200'000, '[').c_str(), "nested deeper");
}

TEST(StepFixtureImport, LongTracesAreRead) {
  std::string data = "0";
  for (int i = 1; i < 70'000; ++i) data += ",0";
  const auto document = importStepFixture(
      R"({"depth":1,"cfg":{},"fb":2,"ops":[{"T":"MetadataGen","id":1,"shape":[70000],"data":[)" + data +
          R"(]},{"T":"ConsumerContext","id":2,"inp":[1,null]}]})",
      "graph.json");
  ASSERT_TRUE(document) << text(document.diagnostics());
  ASSERT_TRUE(document->inputs.at(0).data);
  EXPECT_EQ(document->inputs[0].data->shape, std::vector<std::size_t>{70'000});
}

TEST(StepFixtureImport, FirstBuiltEndDecidesTheDepth) {
  // The broadcast comes after its producer and before its consumers: the producer's configured depth holds
  // for its input, the default for its outputs, whatever is configured for the broadcast itself; sinks that
  // come last do not matter.
  const auto document = importStepFixture(R"({"depth":3,"cfg":{"1":7,"2":9},"fb":2,"ops":[
      {"T":"MetadataGen","id":1,"shape":[2],"data":[4,5]},
      {"T":"Broadcast","id":2,"inp":[1,null],"n":2},
      {"T":"ConsumerContext","id":3,"inp":[2,0]},
      {"T":"ConsumerContext","id":4,"inp":[2,1]}]})",
                                          "graph.json");
  ASSERT_TRUE(document) << text(document.diagnostics());
  ASSERT_EQ(document->program.streams.size(), 3u);
  EXPECT_EQ(document->program.streams[0].depth, Value(7));
  EXPECT_EQ(document->program.streams[1].depth, Value(3));
  EXPECT_EQ(document->program.streams[2].depth, Value(3));
}

}  // namespace sluice::step_fixture_test

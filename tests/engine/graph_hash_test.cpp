// Two schedules that come to the same graph have one hash, whatever its nodes are called and in which order
// they stand; a graph that differs has another.

#include "engine/schedule/graph_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "engine/core/random.h"
#include "engine/explorer/evaluate.h"
#include "engine/schedule/schedule.h"
#include "engine/workloads/workload_builder.h"
#include "tests/engine/support/documents.h"

namespace sluice::graph_hash_test {

namespace fs = std::filesystem;
using testing_support::node;
using testing_support::sampleWorkload;
using testing_support::stream;
using testing_support::workloadOf;

std::string hashOf(const ScheduledProgram& scheduled, const KnobValues& knobs) {
  const Result<std::string> hash = scheduledGraphHash(scheduled, knobs);
  if (!hash) throw std::runtime_error(text(hash.diagnostics()));
  return *hash;
}

std::string hashOf(const Document& document) {
  return hashOf({document, workloadOf(document)->inputs}, defaultKnobs(document));
}

ScheduledProgram programOf(const Workload& workload, std::vector<ScheduleStep> steps) {
  Document document = workload.document;
  document.schedule = std::move(steps);
  Result<ScheduledProgram> scheduled = applySchedule(document, workload.inputs, defaultKnobs(document));
  if (!scheduled) throw std::runtime_error(text(scheduled.diagnostics()));
  return *std::move(scheduled);
}

std::string hashBehind(const Workload& workload, std::vector<ScheduleStep> steps) {
  return hashOf(programOf(workload, std::move(steps)), defaultKnobs(workload.document));
}

std::shared_ptr<const Workload> expertLayer(const std::string& name = "moe") {
  Sizes sizes{{"B", 8}, {"D", 16}, {"E", 4}, {"F", 32}, {"K", 2}, {"f", 8}, {"compute", 64}};
  if (name == "deepseek_moe") sizes = {{"B", 8}, {"D", 8}, {"E", 4}, {"F", 12}, {"K", 2}, {"f", 4}, {"S", 1}};
  const Result<Document> document = buildWorkload(name, "", sizes);
  if (!document) throw std::runtime_error(text(document.diagnostics()));
  return workloadOf(*document);
}

ScheduleStep tileStep(const char* region, int rows) {
  return {"tile", {{"region", region}, {"input", "x"}, {"method", "static"}, {"rows", rows}}, true};
}
ScheduleStep splitStep(const char* load, int size) {
  return {"split", {{"load", load}, {"axis", "columns"}, {"size", size}}, true};
}
ScheduleStep depthStep(const char* to, int depth) {
  return {"fifo_depth", {{"to", to}, {"depth", depth}}, true};
}
const ScheduleStep shareStep{"time_multiplex", {{"region", "expert"}, {"regions", 2}}, true};

TEST(GraphHash, IsOneForStepsThatCommute) {
  const auto layer = expertLayer(), deepseek = expertLayer("deepseek_moe");
  EXPECT_EQ(hashBehind(*layer, {tileStep("expert", 4), splitStep("expert.up_load", 8)}),
            hashBehind(*layer, {splitStep("expert.up_load", 8), tileStep("expert", 4)}));
  EXPECT_EQ(hashBehind(*layer, {depthStep("expert.up.in2", 4), depthStep("expert.down.in2", 8)}),
            hashBehind(*layer, {depthStep("expert.down.in2", 8), depthStep("expert.up.in2", 4)}));
  EXPECT_EQ(hashBehind(*layer, {depthStep("expert.up.in2", 4), tileStep("expert", 4)}),
            hashBehind(*layer, {tileStep("expert", 4), depthStep("expert.up.in2", 4)}));
  EXPECT_EQ(hashBehind(*deepseek, {tileStep("expert", 4), tileStep("shared", 2)}),
            hashBehind(*deepseek, {tileStep("shared", 2), tileStep("expert", 4)}));
  EXPECT_EQ(hashBehind(*deepseek, {tileStep("expert", 4), shareStep, tileStep("shared", 2)}),
            hashBehind(*deepseek, {tileStep("shared", 2), tileStep("expert", 4), shareStep}));
}

/// What elaboration would do anyway.
TEST(GraphHash, IsOneForCopiesThatAreMadeByAStep) {
  const auto layer = expertLayer();
  EXPECT_EQ(hashBehind(*layer, {}), hashBehind(*layer, {{"broadcast", {}, true}}));
}

TEST(GraphHash, TellsSchedulesApart) {
  const auto layer = expertLayer();
  const std::vector<std::vector<ScheduleStep>> schedules{
      {},
      {tileStep("expert", 2)},
      {tileStep("expert", 4)},
      {{"tile", {{"region", "expert"}, {"input", "x"}, {"method", "dynamic"}}, true}},
      {splitStep("expert.up_load", 8)},
      {splitStep("expert.up_load", 16)},
      {tileStep("expert", 4), shareStep},
      {tileStep("expert", 4), {"time_multiplex", {{"region", "expert"}, {"regions", 1}}, true}},
      {depthStep("*", 3)},
      {depthStep("*", 4)},
      {depthStep("expert.up.in2", 3)},
      {depthStep("expert.gate.in2", 4)},
      {{"hierarchical_tile", {{"node", "expert.up"}, {"unit", 4}}, true}},
      {{"hierarchical_tile", {{"node", "expert.up"}, {"unit", 8}}, true}}};
  std::set<std::string> hashes;
  for (const std::vector<ScheduleStep>& steps : schedules) {
    const std::string hash = hashBehind(*layer, steps);
    EXPECT_EQ(hash.size(), 32u);
    EXPECT_TRUE(hashes.insert(hash).second) << hashes.size();
  }
}

/// Gives nodes and inputs other names and shuffles nodes and streams.
class Disguise {
 public:
  explicit Disguise(std::uint64_t seed) : random_(seed) {}

  void put(ScheduledProgram& scheduled) {
    put(scheduled.document.program);
    for (Input& input : scheduled.document.inputs) input.name = nameFor(inputs_, input.name);
    InputSet renamed;
    for (auto& [name, data] : scheduled.inputs) renamed[nameFor(inputs_, name)] = std::move(data);
    scheduled.inputs = std::move(renamed);
  }

 private:
  std::string nameFor(std::map<std::string, std::string>& names, const std::string& name) {
    const auto [found, is_new] = names.try_emplace(name);
    if (is_new) found->second = "n" + std::to_string(random_.below(1000)) + "_" + std::to_string(++made_);
    return found->second;
  }

  void renameInputs(Node& reader) {
    const OperatorSpec* spec = builtInCatalog().find(reader.kind);
    for (auto& [name, value] : reader.parameters) {
      const ParameterSpec* parameter = spec ? spec->parameter(name) : nullptr;
      if (parameter && parameter->kind == ParameterKind::Input)
        value = Value(nameFor(inputs_, *value.string()));
    }
  }

  void put(Graph& graph) {
    std::map<std::string, std::string> names{{"region", "region"}};
    for (Node& each : graph.nodes) {
      each.name = nameFor(names, each.name);
      if (each.body) put(each.body->body);
      renameInputs(each);
    }
    for (Stream& each : graph.streams) {
      each.from.node = names.at(each.from.node);
      each.to.node = names.at(each.to.node);
    }
    random_.shuffle(std::span(graph.nodes));
    random_.shuffle(std::span(graph.streams));
  }

  SplitMix64 random_;
  std::map<std::string, std::string> inputs_;
  std::size_t made_ = 0;
};

TEST(GraphHash, DoesNotHeedNamesNorOrder) {
  std::size_t compared = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(SLUICE_SOURCE_DIR "/sample_workloads")) {
    if (entry.path().extension() != ".sluice") continue;
    SCOPED_TRACE(entry.path());
    const auto workload = sampleWorkload(entry.path());
    const KnobValues knobs = defaultKnobs(workload->document);
    const ScheduledProgram scheduled = programOf(*workload, workload->document.schedule);
    const std::string hash = hashOf(scheduled, knobs);
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      ScheduledProgram other = scheduled;
      Disguise(seed).put(other);
      EXPECT_EQ(hashOf(other, knobs), hash) << seed;
      ++compared;
    }
  }
  EXPECT_GE(compared, 20u);
}

Document chain() {
  return testing_support::chainDocument(3, 8, 2);
}

TEST(GraphHash, HeedsKindsParametersConnectionsAndDepths) {
  const std::string plain = hashOf(chain());
  Document other = chain();
  other.program.nodes[1].parameters["function"] = Value("exp");
  const std::string function = hashOf(other);
  other = chain();
  other.program.streams[1].depth = Value(5);
  const std::string depth = hashOf(other);
  other = chain();
  other.program.nodes[1].kind = "Flatten";
  other.program.nodes[1].parameters = {{"min", 0}, {"max", 0}};
  const std::string kind = hashOf(other);
  EXPECT_EQ((std::set<std::string>{plain, function, depth, kind}).size(), 4u);
  // The slower map comes first, or last.
  Document first = chain(), last = chain();
  first.program.nodes[1].parameters["compute_bw"] = Value(1);
  last.program.nodes[3].parameters["compute_bw"] = Value(1);
  EXPECT_NE(hashOf(first), hashOf(last));
}

/// Rings of equal operators: each sees the same around it, however long its ring is.
Document rings(const std::vector<int>& lengths) {
  Document document;
  int number = 0;
  for (const int length : lengths) {
    const int first = number;
    for (int i = 0; i < length; ++i, ++number) {
      const std::string name = "map_" + std::to_string(number);
      document.program.nodes.push_back(node(name, "Map", {{"function", "silu"}, {"compute_bw", 64}}));
      const int next = i + 1 == length ? first : number + 1;
      document.program.streams.push_back(stream(name, "map_" + std::to_string(next)));
    }
  }
  return document;
}

TEST(GraphHash, TellsTwoRingsFromOne) {
  EXPECT_NE(hashOf(rings({3, 3})), hashOf(rings({6})));
  EXPECT_EQ(hashOf(rings({2, 4})), hashOf(rings({4, 2})));
}

}  // namespace sluice::graph_hash_test

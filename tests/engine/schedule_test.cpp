// Transformations leave the result as it is: programs before and after compute the same tensor.

#include <gtest/gtest.h>

#include "engine/explorer/evaluate.h"
#include "engine/operators/functional.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/schedule.h"
#include "engine/workloads/workload_builder.h"

namespace sluice {
namespace {

Document smallMoe() {
  Result<Document> document = buildWorkload(
      "moe", "", {{"B", 8}, {"D", 16}, {"E", 4}, {"F", 32}, {"K", 2}, {"f", 8}, {"compute", 64}});
  EXPECT_TRUE(document) << (document ? "" : text(document.diagnostics()));
  return *document;
}

/// What the program stores under `schedule`, and its cycles.
FloatTensor stored(Document document, std::vector<ScheduleStep> schedule) {
  document.schedule = std::move(schedule);
  const auto workload = makeWorkload(document, {});
  EXPECT_TRUE(workload);
  const KnobValues knobs = defaultKnobs(document);
  Result<Scheme> scheme = applySchedule((*workload)->document, (*workload)->inputs, knobs);
  EXPECT_TRUE(scheme) << (scheme ? "" : text(scheme.diagnostics()));
  if (!scheme) return {};
  const Result<FlatGraph> graph = elaborate(scheme->document, knobs, builtInCatalog());
  EXPECT_TRUE(graph) << (graph ? "" : text(graph.diagnostics()));
  if (!graph) return {};
  const Result<Inference> typed = infer(*graph, scheme->inputs);
  EXPECT_TRUE(typed) << (typed ? "" : text(typed.diagnostics()));
  const Result<TensorSet> tensors = compute(*graph, scheme->inputs);
  EXPECT_TRUE(tensors) << (tensors ? "" : text(tensors.diagnostics()));
  return tensors ? tensors->at("store") : FloatTensor{};
}

ScheduleStep tileStep(const char* method, int rows) {
  return {"tile", {{"region", "expert"}, {"input", "x"}, {"method", method}, {"rows", rows}}, true};
}
const ScheduleStep splitStep{"split", {{"load", "expert.up_load"}, {"axis", "columns"}, {"size", 8}}, true};
ScheduleStep shareStep(int regions) {
  return {"time_multiplex", {{"region", "expert"}, {"regions", regions}}, true};
}

ScheduleStep unitStep(const std::string& product, int unit) {
  return {"hierarchical_tile", {{"node", Value("expert." + product)}, {"unit", unit}}, true};
}

TEST(Schedule, LeavesTheTensorOfAnExpertLayerAsItIs) {
  const Document document = smallMoe();
  const FloatTensor plain = stored(document, {});
  ASSERT_EQ(plain.data.size(), 8u * 16u);
  const std::vector<std::vector<ScheduleStep>> schedules{
      {tileStep("static", 2)},
      {tileStep("static", 4), splitStep},
      {splitStep, tileStep("static", 4)},
      {tileStep("dynamic", 4), splitStep},
      {splitStep},
      {tileStep("static", 2), splitStep, shareStep(2)},
      {tileStep("dynamic", 2), splitStep, shareStep(2)},
      {tileStep("static", 2), shareStep(1)},
      {tileStep("static", 2), splitStep, shareStep(2), {"broadcast", {}, true}},
      {{"fifo_depth", {{"to", "*"}, {"depth", 7}}, true}},
      {unitStep("up", 4)},
      {unitStep("down", 8)},
      {tileStep("static", 4), unitStep("up", 2), unitStep("gate", 4), unitStep("down", 4)},
      {tileStep("dynamic", 4), unitStep("up", 4), unitStep("gate", 8), unitStep("down", 16)},
      {tileStep("static", 4), splitStep, unitStep("up", 4), unitStep("down", 4), shareStep(2)},
      {tileStep("dynamic", 4), splitStep, unitStep("gate", 4), unitStep("down", 4)},
  };
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    const FloatTensor other = stored(document, schedules[i]);
    ASSERT_EQ(other.data.size(), plain.data.size()) << "schedule " << i;
    EXPECT_LT(maxRelativeError(other, plain), 1e-5) << "schedule " << i;
  }
}

TEST(Schedule, RefusesWhatIsNotLegalAndSaysWhy) {
  const Document document = smallMoe();
  const auto workload = makeWorkload(document, {});
  ASSERT_TRUE(workload);
  const std::vector<std::pair<ScheduleStep, std::string>> wrong{
      {{"tyle", {}, true}, "tile"},
      {{"tile", {{"region", "expret"}, {"input", "x"}, {"method", "static"}}, true}, "expert"},
      {{"tile", {{"region", "expert"}, {"input", "weight"}, {"method", "static"}}, true}, "rows"},
      {{"tile", {{"region", "expert"}, {"input", "x"}, {"method", "statik"}}, true}, "static"},
      {{"split", {{"load", "expert.up_load"}, {"axis", "columns"}, {"size", 5}}, true}, "divides"},
      {{"split", {{"load", "expert.up"}, {"axis", "columns"}, {"size", 8}}, true}, "LinearOffChipLoadRef"},
      {shareStep(3), "divides"},
      {{"parallelize", {{"region", "expert"}, {"method", "interleaved"}}, true}, "one instance"},
      {unitStep("up", 3), "multiple"},
      {unitStep("up", 64), "single unit"},
      {unitStep("scale", 4), "matrix product"},
      {{"fifo_depth", {{"to", "expert.up.in7"}, {"depth", 2}}, true}, "connected"},
  };
  for (const auto& [step, hint] : wrong) {
    Document changed = document;
    changed.schedule = {step};
    const Result<Scheme> scheme = applySchedule(changed, (*workload)->inputs, defaultKnobs(changed));
    ASSERT_FALSE(scheme) << step.transformation;
    EXPECT_NE(text(scheme.diagnostics()).find(hint), std::string::npos) << text(scheme.diagnostics());
    EXPECT_NE(scheme.diagnostics().front().place.find("schedule step 1"), std::string::npos);
  }
}

TEST(Schedule, ParallelAttentionOfOneBatchKeepsItsTraffic) {
  Result<Document> document = buildWorkload("attention", "", {{"B", 16}, {"N", 512}});
  ASSERT_TRUE(document);
  const auto workload = makeWorkload(*document, {});
  ASSERT_TRUE(workload);
  std::vector<std::uint64_t> cycles, requests;
  for (const std::int64_t method : {0, 1, 2, 3}) {
    const Result<PointResult> result =
        evaluate(**workload, {{"method", method}, {"ways", 4}}, RecordMode::Count);
    ASSERT_TRUE(result) << text(result.diagnostics());
    ASSERT_EQ(result->point.state, PointState::Done) << result->point.cause;
    cycles.push_back(result->point.metrics.cycles);
    requests.push_back(result->point.metrics.hbm_requests);
  }
  EXPECT_EQ(requests, std::vector<std::uint64_t>(4, requests[0]));
  EXPECT_LT(cycles[2], cycles[0]);  // four copies are faster than one
  EXPECT_LT(cycles[3], cycles[0]);
}

}  // namespace
}  // namespace sluice

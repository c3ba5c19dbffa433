// Transformations leave the result as it is: programs before and after compute the same tensor.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/explorer/preview.h"
#include "engine/operators/functional.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/schedule.h"
#include "engine/workloads/workload_builder.h"

namespace sluice::schedule_test {

Document smallMoe() {
  Result<Document> document = buildWorkload(
      "moe", "", {{"B", 8}, {"D", 16}, {"E", 4}, {"F", 32}, {"K", 2}, {"f", 8}, {"compute", 64}});
  EXPECT_TRUE(document) << (document ? "" : text(document.diagnostics()));
  return *document;
}

Result<ScheduledProgram> applied(Document document, std::vector<ScheduleStep> schedule) {
  document.schedule = std::move(schedule);
  const auto workload = makeWorkload(document, {});
  EXPECT_TRUE(workload);
  Result<ScheduledProgram> scheduled =
      applySchedule((*workload)->document, (*workload)->inputs, defaultKnobs(document));
  EXPECT_TRUE(scheduled) << (scheduled ? "" : text(scheduled.diagnostics()));
  return scheduled;
}

Document programOf(const Document& document, const std::vector<ScheduleStep>& schedule) {
  const Result<ScheduledProgram> scheduled = applied(document, schedule);
  return scheduled ? scheduled->document : Document{};
}

/// What the program stores under `schedule`.
FloatTensor stored(const Document& document, const std::vector<ScheduleStep>& schedule) {
  const Result<ScheduledProgram> scheduled = applied(document, schedule);
  if (!scheduled) return {};
  const Result<FlatGraph> graph = elaborate(scheduled->document, defaultKnobs(document), builtInCatalog());
  EXPECT_TRUE(graph) << (graph ? "" : text(graph.diagnostics()));
  if (!graph) return {};
  const Result<Inference> typed = infer(*graph, scheduled->inputs);
  EXPECT_TRUE(typed) << (typed ? "" : text(typed.diagnostics()));
  const Result<TensorSet> tensors = compute(*graph, scheduled->inputs);
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

/// Every node of the graph that applies `function` applies `other`.
void exchange(Graph& graph, const std::string& function, const std::string& other) {
  for (Node& node : graph.nodes) {
    if (node.body) exchange(node.body->body, function, other);
    const auto found = node.parameters.find("function");
    if (found != node.parameters.end() && found->second == Value(function)) found->second = Value(other);
  }
}

TEST(Schedule, GoesByWhatFunctionsMeanToRowsAndColumns) {
  const auto exchanged = [](Document document) {
    exchange(document.program, "matmul", "dynamic_matmul");
    exchange(document.program, "multiply", "max");
    return document;
  };
  const Document document = smallMoe(), other = exchanged(document);
  const FloatTensor plain = stored(other, {});
  for (const char* method : {"static", "dynamic"}) {
    SCOPED_TRACE(method);
    const std::vector<ScheduleStep> steps{tileStep(method, 4), splitStep, shareStep(2)};
    EXPECT_LT(maxRelativeError(stored(other, steps), plain), 1e-5);
    EXPECT_EQ(programOf(other, steps), exchanged(programOf(document, steps)));
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
    const Result<ScheduledProgram> scheduled =
        applySchedule(changed, (*workload)->inputs, defaultKnobs(changed));
    ASSERT_FALSE(scheduled) << step.transformation;
    EXPECT_NE(text(scheduled.diagnostics()).find(hint), std::string::npos) << text(scheduled.diagnostics());
    EXPECT_NE(text(scheduled.diagnostics().front().place).find("schedule step 1"), std::string::npos);
  }
}

std::vector<ScheduleStep> allSteps() {
  return {tileStep("static", 4), splitStep, unitStep("up", 4), shareStep(2), {"broadcast", {}, true}};
}

TEST(Schedule, EveryStepCanBeTakenBack) {
  Document document = smallMoe();
  const auto workload = makeWorkload(document, {});
  ASSERT_TRUE(workload);
  const KnobValues knobs = defaultKnobs(document);
  ScheduledProgram scheduled{document, (*workload)->inputs};
  std::vector<ScheduledProgram> stages{scheduled};
  std::vector<ScheduledPatch> patches;
  for (const ScheduleStep& step : allSteps()) {
    const Result<ScheduledProgram> next = applyStep(stages.back(), step, knobs, "step");
    ASSERT_TRUE(next) << text(next.diagnostics());
    patches.push_back(difference(stages.back(), *next));
    EXPECT_FALSE(patches.back().empty());
    const Result<ScheduledProgram> again = applyPatch(stages.back(), patches.back());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->document, next->document) << step.transformation;
    stages.push_back(*next);
  }
  ScheduledProgram back = stages.back();
  for (std::size_t i = patches.size(); i-- > 0;) {
    const Result<ScheduledProgram> wrong = applyPatch(back, patches[i]);
    EXPECT_FALSE(wrong) << "a step was applied twice: " << i;
    Result<ScheduledProgram> undone = applyPatch(back, inverse(patches[i]));
    ASSERT_TRUE(undone) << i;
    EXPECT_EQ(undone->document, stages[i].document) << i;
    EXPECT_EQ(undone->inputs.size(), stages[i].inputs.size());
    back = *std::move(undone);
  }
  EXPECT_EQ(back.document, document);
}

TEST(Schedule, PatchesOfRandomEditsGoBothWays) {
  std::mt19937 random(7);
  const auto pick = [&](std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
  };
  for (int round = 0; round < 300; ++round) {
    const ScheduledProgram before{smallMoe(), {}};
    ScheduledProgram after = before;
    const std::size_t edits = pick(6);
    for (std::size_t edit = 0; edit < edits; ++edit) {
      Graph& top = after.document.program;
      const auto region =
          std::find_if(top.nodes.begin(), top.nodes.end(), [](const Node& n) { return bool(n.body); });
      Graph& graph = region != top.nodes.end() && pick(2) ? region->body->body : top;
      const std::size_t at = pick(graph.nodes.size()), other = pick(graph.nodes.size());
      switch (pick(6)) {
        case 0:
          graph.nodes.erase(graph.nodes.begin() + static_cast<std::ptrdiff_t>(at));
          break;
        case 1:
          std::swap(graph.nodes[at], graph.nodes[other]);
          break;
        case 2:
          graph.nodes[at].parameters["compute_bw"] = static_cast<std::int64_t>(edit);
          break;
        case 3:
          graph.nodes.insert(graph.nodes.begin() + static_cast<std::ptrdiff_t>(at), graph.nodes[other]);
          graph.nodes[at].name += "_" + std::to_string(edit);
          break;
        case 4:
          graph.streams.erase(graph.streams.begin() +
                              static_cast<std::ptrdiff_t>(pick(graph.streams.size())));
          break;
        default:
          if (graph.nodes[at].body) graph.nodes[at].body->count = Value(static_cast<std::int64_t>(edit) + 9);
      }
    }
    const ScheduledPatch patch = difference(before, after);
    const Result<ScheduledProgram> there = applyPatch(before, patch),
                                   back = applyPatch(after, inverse(patch));
    ASSERT_TRUE(there) << round;
    ASSERT_TRUE(back) << round;
    EXPECT_EQ(there->document, after.document) << round;
    EXPECT_EQ(back->document, before.document) << round;
    EXPECT_EQ(patch.empty(), before.document == after.document);
  }
}

TEST(Schedule, PreviewsSayWhatEachStepChanges) {
  Document document = smallMoe();
  document.schedule = {tileStep("static", 4), splitStep, shareStep(2)};
  const auto workload = makeWorkload(document, {});
  ASSERT_TRUE(workload);
  const KnobValues knobs = defaultKnobs(document);
  const Result<std::vector<StepPreview>> previews = previewSchedule(**workload, knobs);
  ASSERT_TRUE(previews) << text(previews.diagnostics());
  ASSERT_EQ(previews->size(), 3u);
  const StepPreview &tile = (*previews)[0], &share = (*previews)[2];
  EXPECT_EQ(tile.place, "schedule step 1, tile");
  EXPECT_LT(*tile.after.off_chip_bytes, *tile.before.off_chip_bytes);  // weights once a tile, not once a row
  EXPECT_LT(*(*previews)[1].after.on_chip_bytes, *(*previews)[1].before.on_chip_bytes);
  EXPECT_LT(*share.after.on_chip_bytes, *share.before.on_chip_bytes);
  EXPECT_LT(*share.after.compute, *share.before.compute);
  const auto added = summary(tile.patch).added;
  EXPECT_EQ(added,
            (std::vector<std::string>{"expert.group", "expert.merge", "expert.pack", "expert.unpack"}));
  const auto up = std::find_if(tile.shapes.begin(), tile.shapes.end(), [](const StepPreview::Shape& shape) {
    return shape.output == "expert.up.out";
  });
  ASSERT_NE(up, tile.shapes.end());
  EXPECT_NE(up->before.find("tile[1, 32]"), std::string::npos) << up->before;
  EXPECT_NE(up->after.find("tile[4, 32]"), std::string::npos) << up->after;
  // A step that is only asked about: the last one again, without it in the schedule.
  document.schedule.pop_back();
  const auto shorter = makeWorkload(document, {});
  const Result<StepPreview> asked = previewStep(**shorter, knobs, shareStep(2));
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->after.on_chip_bytes, share.after.on_chip_bytes);
  EXPECT_FALSE(previewStep(**shorter, knobs, shareStep(3)));
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

}  // namespace sluice::schedule_test

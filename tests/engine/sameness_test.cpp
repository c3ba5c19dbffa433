// Proof of sameness: schedules that are right store what the plain program does, at sizes that a run takes no
// time for; programs that are wrong are told from them, and what cannot be decided says why.

#include "engine/designer/sameness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <set>

#include "engine/designer/shrunk_pair.h"
#include "engine/explorer/explore.h"
#include "engine/tensor/programs/tensor_program_text.h"
#include "engine/workloads/workload_builder.h"
#include "tests/engine/support/documents.h"

namespace sluice::sameness_test {

using testing::HasSubstr;
using testing_support::sampleWorkload;
using testing_support::workloadOf;
using Verdict = Sameness::Verdict;

const std::filesystem::path sameness_samples = std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads";

Document builtDocument(const std::string& name, const Sizes& sizes = {}) {
  Result<Document> document = buildWorkload(name, "", sizes);
  if (!document) throw std::runtime_error(text(document.diagnostics()));
  return *std::move(document);
}

const Sizes few_experts{{"B", 8}, {"D", 16}, {"E", 4}, {"F", 32}, {"K", 2}, {"f", 8}, {"compute", 64}};

/// SLUICE_PRINT_SAMENESS prints what is proved at which sizes, and how long it takes.
Sameness checked(const std::string& name, const Workload& workload, const KnobValues& knobs) {
  const auto start = std::chrono::steady_clock::now();
  Sameness found = checkSameness(workload, knobs);
  if (std::getenv("SLUICE_PRINT_SAMENESS")) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::cout << name << ": " << text(found.verdict) << " " << found.why << ", difference "
              << found.largest_difference << ", " << seconds.count() << " s;";
    for (const auto& [quantity, value] : found.sizes) std::cout << " " << quantity << "=" << value;
    std::cout << std::endl;
  }
  return found;
}

void expectSame(const std::string& name, const Workload& workload, const KnobValues& knobs) {
  const Sameness found = checked(name, workload, knobs);
  EXPECT_EQ(found.verdict, Verdict::Same) << name << ": " << found.why;
  EXPECT_EQ(found.why, "") << name;
  EXPECT_LT(found.largest_difference, 1e-4) << name;
}

TEST(SamenessOfSchedules, HoldsForEveryBuilderWithItsOwn) {
  for (const WorkloadBuilder* builder : registeredWorkloads()) {
    const Document document = builtDocument(builder->name);
    expectSame(builder->name, *workloadOf(document), defaultKnobs(document));
  }
}

TEST(SamenessOfSchedules, HoldsForEverySample) {
  // Their FIFOs are too shallow on purpose.
  const std::set<std::string> deadlocks{"deadlock_fork_join.sluice", "softmax_depths.sluice"};
  for (const auto& entry : std::filesystem::directory_iterator(sameness_samples)) {
    const std::string file = entry.path().filename().string();
    if (entry.path().extension() != ".sluice") continue;
    const auto workload = sampleWorkload(entry.path());
    const KnobValues knobs = defaultKnobs(workload->document);
    if (!deadlocks.contains(file)) {
      expectSame(file, *workload, knobs);
      continue;
    }
    const Sameness found = checked(file, *workload, knobs);
    EXPECT_EQ(found.verdict, Verdict::Unknown) << file;
    EXPECT_THAT(found.why, HasSubstr("deadlocks at cycle")) << file;
    EXPECT_TRUE(found.sizes.empty()) << file;
  }
}

/// Schedules of an expert layer that knobs choose, with tiles that split a dimension.
TEST(SamenessOfSchedules, HoldsForEveryPointOfASpace) {
  const Document document = builtDocument("parallel_moe", {{"E", 8}, {"F", 512}, {"D", 256}});
  const auto workload = workloadOf(document);
  const DesignSpace space = designSpace(document);
  for (std::uint64_t i = 0; i < space.size(); i += 1 + space.size() / 8)
    expectSame("parallel_moe " + std::to_string(i), *workload, space.point(i));
}

/// Numbers in the schedule itself: 64 columns at once stay 64, as long as something else can be shrunk.
TEST(SamenessOfSchedules, HoldsWithNumbersInTheSteps) {
  Document document = builtDocument("moe");
  document.schedule = {
      {"tile", {{"region", "expert"}, {"input", "x"}, {"method", "static"}, {"rows", 4}}, true},
      {"split", {{"load", "expert.up_load"}, {"axis", "columns"}, {"size", 64}}, true},
      {"time_multiplex", {{"region", "expert"}, {"regions", 4}}, true}};
  const Sameness found = checked("steps", *workloadOf(document), defaultKnobs(document));
  EXPECT_EQ(found.verdict, Verdict::Same) << found.why;
  EXPECT_TRUE(found.sizes.contains("D"));
  EXPECT_FALSE(found.sizes.contains("E")) << "experts are structure";
  if (found.sizes.contains("F")) {
    EXPECT_GT(found.sizes.at("F"), 64) << "the split has several parts still";
  }
}

/// Rewrites of a compiled design, two programs of a size side by side in a region.
TEST(SamenessOfSchedules, HoldsForRewrittenDesigns) {
  Workload workload = *sampleWorkload(sameness_samples / "gpt2_block.sluice");
  const KnobValues knobs = defaultKnobs(workload.document);
  for (const auto& [step, kind] :
       {std::pair("insert_fork", "output"), {"unpack", "tensor"}, {"fold", "stream"}})
    workload.document.schedule.push_back({step, {{"program", "block"}, {kind, Value("everywhere")}}, true});
  expectSame("rewritten", workload, knobs);

  const char* const small = R"(program @small {
    %x = input tensor<8x16xf32>
    %w = weight tensor<24x16xf32>
    %y = linear(%x, %w) {after = [gelu]} tensor<8x24xf32>
    %s = softmax(%y) tensor<8x24xf32>
    return %s
  })";
  Region region;
  region.count = Value(2);
  region.index = "number";
  Document document;
  for (const char* name : {"first", "second"}) {
    region.body.nodes.push_back({name, "TensorProgram", {{"text", Value(small)}}, {}, {}});
    document.schedule.push_back(
        {"compile_tensors", {{"program", Value(std::string("layer.") + name)}, {"tile", Value(4)}}, true});
  }
  document.program.nodes = {{"layer", "Region", {}, {}, Box<Region>(std::move(region))}};
  expectSame("side by side", *workloadOf(document), {});
}

// --- sizes ----------------------------------------------------------------------------------------------

TEST(SamenessSizes, SmallProgramsRunAtFullSize) {
  const Document document = builtDocument("moe", few_experts);
  const Sameness found = checked("small", *workloadOf(document), defaultKnobs(document));
  EXPECT_EQ(found.verdict, Verdict::Same) << found.why;
  EXPECT_TRUE(found.sizes.empty());
}

/// What is shrunk is the same for both programs, and makes a run that is short enough.
TEST(SamenessSizes, LargeProgramsAreShrunk) {
  const auto workload = sampleWorkload(sameness_samples / "moe_mixtral.sluice");
  PlainPrograms known;
  const ShrunkPair pair = shrink(*workload, *workload, defaultKnobs(workload->document), known);
  EXPECT_EQ(pair.why, "");
  EXPECT_LE(pair.work, wanted_work);
  EXPECT_GT(pair.work, 0);
  EXPECT_FALSE(pair.sizes.empty());
  for (const auto& [name, value] : pair.sizes) {
    EXPECT_GT(value, 1) << name;
    if (!pair.plain.document.constants.contains(name)) continue;
    EXPECT_EQ(pair.plain.document.constants.at(name), Value(value));
    EXPECT_EQ(pair.scheduled.document.constants.at(name), Value(value));
  }
  EXPECT_TRUE(pair.plain.document.schedule.empty());
}

/// Nor does it matter whether another design was compared before.
TEST(SamenessSizes, WhatIsKnownOfThePlainProgramChangesNothing) {
  const auto workload = sampleWorkload(sameness_samples / "moe_mixtral.sluice");
  const KnobValues knobs = defaultKnobs(workload->document);
  const Sameness alone = checkSameness(*workload, knobs);
  PlainPrograms known;
  for (int i = 0; i < 2; ++i) {
    const Sameness found = checkSameness(*workload, knobs, known);
    EXPECT_EQ(found.verdict, alone.verdict) << found.why;
    EXPECT_EQ(found.sizes, alone.sizes);
    EXPECT_EQ(found.largest_difference, alone.largest_difference);
  }
}

/// A batch is shrunk together with the routing of its tokens.
TEST(SamenessSizes, FewerTokensTakeTheirRoutingAlong) {
  const Document document =
      builtDocument("moe", {{"B", 1 << 13}, {"D", 16}, {"E", 4}, {"F", 32}, {"K", 2}, {"f", 8}});
  const auto workload = workloadOf(document);
  PlainPrograms known;
  const ShrunkPair pair = shrink(*workload, *workload, defaultKnobs(document), known);
  EXPECT_EQ(pair.why, "");
  EXPECT_LE(pair.work, wanted_work);
  ASSERT_TRUE(pair.sizes.contains("B"));
  ASSERT_TRUE(pair.sizes.contains("routing entries"));
  EXPECT_EQ(pair.sizes.at("B"), pair.sizes.at("routing entries"));
  const IntTensor &all = workload->inputs.at("routing").tensor,
                  &first = pair.scheduled.inputs.at("routing").tensor;
  EXPECT_EQ(first.shape, (std::vector<std::size_t>{static_cast<std::size_t>(pair.sizes.at("B")), 2}));
  EXPECT_TRUE(std::equal(first.data.begin(), first.data.end(), all.data.begin()));
  EXPECT_TRUE(makeWorkload(pair.plain.document, "."));
  expectSame("many tokens", *workload, defaultKnobs(document));
}

// --- programs that differ -------------------------------------------------------------------------------

/// The first node of that name, in whatever region.
Node* nodeNamed(Graph& graph, const std::string& name) {
  for (Node& one : graph.nodes) {
    if (one.name == name) return &one;
    if (Node* const inside = one.body ? nodeNamed(one.body->body, name) : nullptr) return inside;
  }
  return nullptr;
}

TEST(SamenessOfOthers, AWrongOperatorIsFound) {
  for (const Sizes& sizes : {few_experts, Sizes{}}) {
    const Document document = builtDocument("moe", sizes);
    Document wrong = document;
    Node* const activation = nodeNamed(wrong.program, "activation");
    ASSERT_TRUE(activation);
    activation->parameters["function"] = Value("exp");
    const KnobValues knobs = defaultKnobs(document);
    const Sameness found = checkSameness(*workloadOf(document), *workloadOf(wrong), knobs);
    EXPECT_EQ(found.verdict, Verdict::Different);
    EXPECT_THAT(found.why, HasSubstr("element [0, 0]: "));
    EXPECT_THAT(found.why, HasSubstr(" instead of "));
    EXPECT_GT(found.largest_difference, 1e-3);
    EXPECT_EQ(found.sizes.empty(), sizes == few_experts);
    EXPECT_EQ(checkSameness(*workloadOf(document), *workloadOf(document), knobs).verdict, Verdict::Same);
  }
}

TEST(SamenessOfOthers, ATensorOfAnotherNameIsMissed) {
  const Document document = builtDocument("moe", few_experts);
  Document wrong = document;
  Node* const store = nodeNamed(wrong.program, "store");
  ASSERT_TRUE(store);
  store->parameters["tensor"] = Value("elsewhere");
  const Sameness found = checkSameness(*workloadOf(document), *workloadOf(wrong), defaultKnobs(document));
  EXPECT_EQ(found.verdict, Verdict::Different);
  EXPECT_THAT(found.why, HasSubstr("is not stored"));
}

/// The same for a tensor program, whose text in the document is another than what was compiled.
TEST(SamenessOfOthers, AWrongCompiledDesignIsFound) {
  const auto workload = sampleWorkload(sameness_samples / "gpt2_block.sluice");
  const KnobValues knobs = defaultKnobs(workload->document);
  const Result<std::vector<HeldProgram>> held = heldPrograms(workload->document, knobs);
  ASSERT_TRUE(held && held->size() == 1);
  TensorProgram other = held->front().program;
  const auto gelu = std::ranges::find_if(other.operators, [](const TensorOperator& op) {
    return op.kind == TensorOperatorKind::Gelu || op.kind == TensorOperatorKind::GeluTanh;
  });
  ASSERT_NE(gelu, other.operators.end());
  gelu->kind = TensorOperatorKind::Silu;
  Workload wrong = *workload;
  wrong.document.program.nodes.front().parameters = {{"text", Value(text(other))}};
  const Sameness found = checkSameness(*workload, wrong, knobs);
  EXPECT_EQ(found.verdict, Verdict::Different);
  EXPECT_THAT(found.why, HasSubstr(" instead of "));
  EXPECT_FALSE(found.sizes.empty());
}

// --- what cannot be decided -----------------------------------------------------------------------------

TEST(SamenessUnknown, Cancelled) {
  std::stop_source source;
  source.request_stop();
  for (const char* file : {"simple_moe.sluice", "moe_mixtral.sluice", "gpt2_block.sluice"}) {
    const auto workload = sampleWorkload(sameness_samples / file);
    const Sameness found = checkSameness(*workload, defaultKnobs(workload->document), source.get_token());
    EXPECT_EQ(found.verdict, Verdict::Unknown) << file;
    EXPECT_EQ(found.why, "cancelled") << file;
  }
}

TEST(SamenessUnknown, SaysWhy) {
  const Document nothing = testing_support::streamingDocument(4, 4, 4);
  const Sameness found = checkSameness(*workloadOf(nothing), {});
  EXPECT_EQ(found.verdict, Verdict::Unknown);
  EXPECT_THAT(found.why, HasSubstr("stores no tensor"));

  Document refused = builtDocument("moe", few_experts);
  refused.schedule = {{"tyle", {}, true}};
  const Sameness none = checkSameness(*workloadOf(refused), defaultKnobs(refused));
  EXPECT_EQ(none.verdict, Verdict::Unknown);
  EXPECT_THAT(none.why, HasSubstr("tyle"));
}

TEST(SamenessUnknown, AProgramThatIsNotCompiledDoesNotRun) {
  Document document = sampleWorkload(sameness_samples / "gpt2_block.sluice")->document;
  document.schedule.clear();
  const Sameness found = checkSameness(*workloadOf(document), defaultKnobs(document));
  EXPECT_EQ(found.verdict, Verdict::Unknown);
  EXPECT_THAT(found.why, HasSubstr("has to be compiled"));
}

/// With deep FIFOs that one would run for ever.
TEST(SamenessUnknown, LoopsThatDeadlockAreNotDeepened) {
  const auto workload = sampleWorkload(sameness_samples / "deadlocks" / "self_loop.sluice");
  const Sameness found = checkSameness(*workload, {});
  EXPECT_EQ(found.verdict, Verdict::Unknown);
  EXPECT_THAT(found.why, HasSubstr("the plain program does not run: "));
}

TEST(SamenessUnknown, VerdictsHaveNames) {
  EXPECT_STREQ(text(Verdict::Same), "same");
  EXPECT_STREQ(text(Verdict::Different), "different");
  EXPECT_STREQ(text(Verdict::Unknown), "unknown");
}

}  // namespace sluice::sameness_test

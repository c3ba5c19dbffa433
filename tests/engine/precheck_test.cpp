// The static pre-check against runs: it never complains of a program that ends - not of a sample, not of
// thousands of random graphs - and finds what can be found without a run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/explorer/precheck.h"
#include "engine/explorer/token_demands.h"
#include "engine/operators/registry.h"
#include "engine/operators/simulate.h"
#include "engine/program/fix_edit.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/flat_builder.h"
#include "tests/engine/support/random_graphs.h"

namespace sluice::precheck_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::sampleWorkload;

const std::filesystem::path samples = std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads";

Diagnostics precheckOf(const Workload& workload) {
  const KnobValues knobs = defaultKnobs(workload.document);
  const Result<SymbolicResult> symbolic = evaluateSymbolic(workload, knobs);
  if (!symbolic) throw std::runtime_error(text(symbolic.diagnostics()));
  return precheck(workload, *symbolic);
}

bool ends(const FlatGraph& graph, const InputSet& inputs) {
  const SimulationResult run = simulate(graph, inputs, {});
  return !run.deadlock && !run.fault;
}

std::optional<Diagnostics> precheckOf(const FlatGraph& graph, const InputSet& inputs) {
  const Result<Inference> inference = infer(graph, inputs);
  if (!inference) return std::nullopt;
  return precheck(graph, *inference, inputs);
}

TEST(Precheck, NeverComplainsOfASampleThatEnds) {
  std::size_t ended = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(samples)) {
    if (entry.path().extension() != ".sluice") continue;
    const auto workload = sampleWorkload(entry.path());
    const Diagnostics found = precheckOf(*workload);
    if (found.empty()) continue;
    const auto run = evaluate(*workload, defaultKnobs(workload->document), RecordMode::Count);
    ASSERT_TRUE(run);
    EXPECT_NE(run->point.state, PointState::Done) << entry.path() << "\n" << text(found);
    ended += run->point.state == PointState::Done ? 1 : 0;
  }
  EXPECT_EQ(ended, 0u);
}

TEST(Precheck, FindsTheDeadlocksThatAreCertain) {
  const std::map<std::string, std::string> expected = {
      {"accumulate_without_stop", "stream 'merge.data -> leave.in'"},
      {"buffer_beside_path", "stream 'x.out -> join.in1'"},
      {"experts_128", "stream 'expert[0].region.x -> expert[0].join.in1'"},
      {"feedback_one_too_many", "operator 'leave'"},
      {"independent", "stream 'a.out -> a_join.in1'"},
      {"interlocking", "stream 'x.out -> shifted.in1'"},
      {"nested_regions", "stream 'layer[0].head[0].region.x -> layer[0].head[0].join.in1'"},
      {"one_after_the_other", "stream 'x.out -> first_join.in1'"},
      {"rate_mismatch", "operator 'join'"},
      {"reassemble_order", "stream 'scatter.out[0] -> first.in'"},
      {"self_loop", "operator 'merge'"},
      {"series_of_fifos", "stream 'rows.out -> join.in1'"},
      {"shallow_branch", "stream 'x.out -> join.in1'"},
      {"starved_reassemble", "operator 'gather'"},
      {"three_branches", "stream 'x.out -> by_row.in1'"},
      {"two_sources", "stream 'b.out -> b_join.in1'"},
      {"feedback_too_few_credits", "stream 'free.data -> issue.in2'"},
      {"unread_groups", "operator 'scatter'"},
  };
  for (const auto& [name, place] : expected) {
    SCOPED_TRACE(name);
    const Diagnostics found = precheckOf(*sampleWorkload(samples / "deadlocks" / (name + ".sluice")));
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(text(found.front().place), place) << text(found);
    for (const Diagnostic& each : found) {
      EXPECT_EQ(each.severity, Severity::Warning);
      EXPECT_FALSE(each.cause.empty() || each.fix.empty());
    }
  }
}

TEST(Precheck, AdvisesNoDepthWhereNoneFreesTheProgram) {
  for (const char* name : {"rate_mismatch", "starved_reassemble"}) {
    SCOPED_TRACE(name);
    const Diagnostics found =
        precheckOf(*sampleWorkload(samples / "deadlocks" / (std::string(name) + ".sluice")));
    EXPECT_EQ(found.size(), 2u);
    for (const Diagnostic& each : found)
      EXPECT_EQ(each.fix.find("give a greater depth"), std::string::npos) << text(each);
  }
  const Diagnostics shallow = precheckOf(*sampleWorkload(samples / "deadlocks" / "shallow_branch.sluice"));
  ASSERT_EQ(shallow.size(), 1u);
  EXPECT_THAT(shallow.front().fix, HasSubstr("give a greater depth"));
}

TEST(Precheck, OffersTheLeastDepthThatFreesAShortPath) {
  for (const char* name : {"deadlock_fork_join.sluice", "deadlocks/shallow_branch.sluice"}) {
    const auto workload = sampleWorkload(samples / name);
    const Diagnostics found = precheckOf(*workload);
    ASSERT_EQ(found.size(), 1u) << name;
    ASSERT_EQ(found.front().fixes.size(), 1u) << name;
    EXPECT_EQ(text(found.front().fixes.front()), "raise the depth to 8") << name;
    Workload repaired = *workload;
    ASSERT_TRUE(applyFix(repaired.document, found.front().fixes.front(), builtInCatalog())) << name;
    EXPECT_THAT(precheckOf(repaired), IsEmpty()) << name;
    const auto run = evaluate(repaired, defaultKnobs(repaired.document), RecordMode::Count);
    ASSERT_TRUE(run) << name;
    EXPECT_EQ(run->point.state, PointState::Done) << name;
  }
}

TEST(Precheck, InstancesOfOneFaultGiveOneWarning) {
  EXPECT_EQ(precheckOf(*sampleWorkload(samples / "deadlocks" / "experts_128.sluice")).size(), 1u);
  EXPECT_EQ(precheckOf(*sampleWorkload(samples / "deadlocks" / "independent.sluice")).size(), 2u);
}

TEST(Precheck, NeverComplainsOfARandomGraphThatEnds) {
  std::size_t complained = 0, locked = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    const RandomGraph random = seed % 6 == 0 ? randomReferenceGraph(seed) : randomGraph(seed);
    const std::optional<Diagnostics> found = precheckOf(random.graph, random.inputs);
    if (!found) continue;
    const bool end = ends(random.graph, random.inputs);
    locked += end ? 0 : 1;
    complained += found->empty() ? 0 : 1;
    ASSERT_FALSE(end && !found->empty()) << "seed " << seed << "\n" << text(*found) << text(random.graph);
  }
  EXPECT_GT(locked, 100u);
  EXPECT_GT(complained, locked / 8);
}

/// Forks that meet again behind sums, buffers and maps, in nothing but operators with a fixed rule.
FlatGraph forkJoin(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  const std::vector<std::int64_t> tile{4, 4};
  FlatBuilder builder;
  const auto depth = [&] { builder.depth = static_cast<std::uint64_t>(between(1, 5)); };
  const auto step = [&](const std::string& kind, const Settings& settings, const std::vector<Output>& from) {
    depth();
    return builder.through(kind, settings, from);
  };
  const std::int64_t row = between(1, 5);
  Output end = step(
      "TileGen",
      {{"shape", std::vector<std::int64_t>{between(1, 3), row}}, {"tile", tile}, {"interval", between(1, 4)}},
      {});
  for (std::int64_t part = between(1, 3); part > 0; --part) {
    depth();
    const std::vector<Output> arms = builder.broadcast(end, 2);
    const bool swapped = between(0, 1) == 1;
    Output near = arms[swapped ? 1 : 0], far = arms[swapped ? 0 : 1];
    for (std::int64_t maps = between(0, 2); maps > 0; --maps)
      near = step("Map", {{"function", "silu"}, {"compute_bw", std::int64_t{64}}}, {near});
    if (between(0, 2) == 0) {
      far = step("Bufferize", {{"rank", std::int64_t{1}}}, {far});
      far = step("Streamify", {{"rank", std::int64_t{1}}, {"repeat", std::vector<std::int64_t>{}}}, {far});
    } else {
      far = step(
          "Accum",
          {{"function", "add"}, {"init", tile}, {"rank", std::int64_t{1}}, {"compute_bw", std::int64_t{64}}},
          {far});
      far = step("Repeat", {{"factor", row}}, {far});
    }
    end = step("BinaryMap", {{"function", "add"}, {"compute_bw", std::int64_t{64}}},
               between(0, 1) ? std::vector<Output>{near, far} : std::vector<Output>{far, near});
  }
  builder.consumeTheRest();
  return builder.build();
}

/// There the numbers decide alone, and the pre-check knows as much as a run.
TEST(Precheck, AgreesWithTheRunWhereOnlyNumbersDecide) {
  std::size_t locked = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const FlatGraph graph = forkJoin(seed);
    const std::optional<Diagnostics> found = precheckOf(graph, {});
    ASSERT_TRUE(found) << seed;
    const bool end = ends(graph, {});
    locked += end ? 0 : 1;
    ASSERT_EQ(found->empty(), end) << "seed " << seed << "\n" << text(*found) << text(graph);
  }
  EXPECT_GT(locked, 500u);
  EXPECT_LT(locked, 2500u);
}

/// Demands of the first three tokens of every stream, all together.
std::size_t demandsOf(const FlatGraph& graph) {
  const Result<Inference> inference = infer(graph, {});
  if (!inference) throw std::runtime_error(text(inference.diagnostics()));
  const TokenCounts counts = countTokens(graph, *inference, {});
  const TokenDemands demands(graph, counts);
  std::size_t sum = 0;
  for (StreamId id = 0; id < graph.streams.size(); ++id)
    for (std::uint64_t token = 1; token <= std::min<std::uint64_t>(3, *counts.streams[id].tokens); ++token)
      for (const bool take : {false, true}) sum += demands.of({id, take, token}).size();
  return sum;
}

FlatGraph fork(std::size_t ways) {
  FlatBuilder builder;
  const Settings tiles{{"shape", std::vector<std::int64_t>{3}}, {"tile", std::vector<std::int64_t>{4, 4}}};
  builder.broadcast(builder.through("TileGen", tiles), ways);
  builder.consumeTheRest();
  return builder.build();
}

FlatGraph merge(std::size_t ways) {
  FlatBuilder builder;
  const Settings tiles{{"shape", std::vector<std::int64_t>{3}}, {"tile", std::vector<std::int64_t>{4, 4}}};
  std::vector<Output> sources;
  for (std::size_t i = 0; i < ways; ++i) sources.push_back(builder.through("TileGen", tiles));
  builder.add("EagerMerge", {{"ways", static_cast<std::int64_t>(ways)}, {"rank", std::int64_t{1}}}, sources);
  builder.consumeTheRest();
  return builder.build();
}

TEST(Precheck, DemandsGrowWithTheStreamsOfAForkOrAMergeNotWithTheirSquare) {
  for (const auto& make : {fork, merge}) {
    const std::size_t few = demandsOf(make(50)), many = demandsOf(make(500));
    EXPECT_GT(many, 5 * few);
    EXPECT_LT(many, 15 * few);
  }
}

/// A fork that deadlocks is found however many others read it, and told once for all that are alike.
TEST(Precheck, FindsAShortPathOfAWideFork) {
  FlatBuilder builder;
  const std::vector<std::int64_t> tile{4, 4};
  const Output rows =
      builder.through("TileGen", {{"shape", std::vector<std::int64_t>{2, 8}}, {"tile", tile}});
  std::vector<Output> arms = builder.broadcast(rows, 200);
  Output sum = builder.through(
      "Accum",
      {{"function", "add"}, {"init", tile}, {"rank", std::int64_t{1}}, {"compute_bw", std::int64_t{64}}},
      {arms[150]});
  sum = builder.through("Repeat", {{"factor", std::int64_t{8}}}, {sum});
  builder.through("BinaryMap", {{"function", "add"}, {"compute_bw", std::int64_t{64}}}, {arms[70], sum});
  builder.consumeTheRest();
  const FlatGraph graph = builder.build();
  ASSERT_FALSE(ends(graph, {}));
  const std::optional<Diagnostics> found = precheckOf(graph, {});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1u) << text(*found);
  EXPECT_EQ(text(found->front().place), "stream '" + graph.streams[builder.stream(arms[70])].name + "'");
}

TEST(Precheck, EveryEndlessLoopIsToldOnce) {
  const auto graph = [] {
    const auto workload = sampleWorkload(samples / "deadlocks" / "self_loop.sluice");
    return evaluateSymbolic(*workload, defaultKnobs(workload->document))->graph;
  }();
  const auto loops = endlessLoops(graph);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_TRUE(std::is_sorted(loops.front().begin(), loops.front().end()));
}

}  // namespace sluice::precheck_test

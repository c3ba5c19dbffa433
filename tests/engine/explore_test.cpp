// The exhaustive sweep: same result on any number of threads, cancel, budget, states of points, frontier.

#include "engine/explorer/explore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "engine/explorer/tables.h"
#include "tests/engine/support/documents.h"

namespace sluice::explore_test {

using namespace testing_support;
using testing::HasSubstr;

const std::filesystem::path samples = std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads";

std::vector<std::filesystem::path> sampleFiles() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(samples)) {
    if (entry.path().extension() == ".sluice") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Of a large design space: at most two values for every knob that lists its values.
std::shared_ptr<const Workload> thinned(Workload workload) {
  if (designSpace(workload.document).size() <= 40)
    return std::make_shared<const Workload>(std::move(workload));
  for (Knob& knob : workload.document.knobs) {
    if (knob.size() <= 2) continue;
    if (knob.kind == KnobKind::Choice) {
      knob.choices = {knob.choices.front(), knob.choices.back()};
      knob.initial = 0;
    } else {
      const std::vector<std::int64_t> values = knob.values();
      knob.kind = KnobKind::List;
      knob.list = {values.front(), values.back()};
      knob.initial = values.front();
    }
  }
  return std::make_shared<const Workload>(std::move(workload));
}

Exploration exploreOn(Executor& executor, const Workload& workload, const ExploreOptions& options = {}) {
  Result<Exploration> result = explore(workload, executor, options);
  if (!result) throw std::runtime_error(text(result.diagnostics()));
  return *std::move(result);
}

void expectSame(const Exploration& a, const Exploration& b) {
  ASSERT_EQ(a.points.size(), b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    EXPECT_EQ(a.points[i].knobs, b.points[i].knobs);
    EXPECT_EQ(a.points[i].state, b.points[i].state);
    EXPECT_EQ(a.points[i].cause, b.points[i].cause);
    for (const MetricSpec* metric : registeredMetrics()) {
      EXPECT_EQ(exactMetric(a.points[i], *metric), exactMetric(b.points[i], *metric))
          << metric->name << " of point " << i;
    }
  }
  EXPECT_EQ(a.frontier, b.frontier);
  EXPECT_EQ(a.reference, b.reference);
  EXPECT_EQ(a.hypervolume, b.hypervolume);
}

TEST(Explore, AnyNumberOfThreadsGivesTheSame) {
  const std::vector<std::filesystem::path> files = sampleFiles();
  ASSERT_GE(files.size(), 9u);
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    const auto workload = thinned(*sampleWorkload(file));
    const Exploration one = exploreOn(*makeExecutor(1), *workload);
    ASSERT_EQ(one.points.size(), designSpace(workload->document).size());
    expectSame(one, exploreOn(*makeExecutor(4), *workload));
    expectSame(one, exploreOn(*makeThreadExecutor(3), *workload));
  }
}

TEST(Explore, PointsComeInTheOrderOfTheSpace) {
  DesignSpace space;
  for (int k = 0; k < 3; ++k) {
    Knob knob;
    knob.name = std::string(1, static_cast<char>('a' + k));
    knob.maximum = 2 + k;
    space.knobs.push_back(knob);
  }
  ASSERT_EQ(space.size(), 24u);
  EXPECT_EQ(space.point(0), (KnobValues{{"a", 1}, {"b", 1}, {"c", 1}}));
  EXPECT_EQ(space.point(1), (KnobValues{{"a", 1}, {"b", 1}, {"c", 2}}));
  EXPECT_EQ(space.point(4), (KnobValues{{"a", 1}, {"b", 2}, {"c", 1}}));
  EXPECT_EQ(space.point(23), (KnobValues{{"a", 2}, {"b", 3}, {"c", 4}}));
  std::set<KnobValues> all;
  for (std::uint64_t i = 0; i < space.size(); ++i) all.insert(space.point(i));
  EXPECT_EQ(all.size(), 24u);
}

TEST(Explore, AHugeSpaceSaturates) {
  DesignSpace space;
  Knob knob;
  knob.maximum = 1000000;
  space.knobs.assign(10, knob);
  EXPECT_EQ(space.size(), std::uint64_t{1} << 63);
  space.knobs.back().minimum = 2;
  space.knobs.back().maximum = 1;
  EXPECT_EQ(space.size(), 0u);
}

TEST(Explore, ReportsEveryPointOnce) {
  const auto workload = workloadOf(chainDocument(3, 200, 0));
  std::set<std::uint64_t> seen;
  std::uint64_t evaluated = 0;
  ExploreOptions options;
  options.on_point = [&](std::uint64_t index, const DesignPoint& point, const ExploreProgress& progress) {
    EXPECT_TRUE(seen.insert(index).second);
    EXPECT_EQ(point.knobs, designSpace(workload->document).point(index));
    EXPECT_EQ(progress.evaluated, ++evaluated);
    EXPECT_EQ(progress.total, 16u);
    EXPECT_EQ(progress.seconds_left == 0, evaluated == 16) << progress.seconds_left;
  };
  const Exploration result = exploreOn(*makeExecutor(4), *workload, options);
  EXPECT_EQ(seen.size(), 16u);
  EXPECT_EQ(result.points.size(), 16u);
  EXPECT_FALSE(result.cancelled);
}

TEST(Explore, CancelKeepsWhatIsDone) {
  const auto workload = workloadOf(chainDocument(20, 20000, 0));
  std::stop_source stop;
  ExploreOptions options;
  options.stop = stop.get_token();
  options.on_point = [&](std::uint64_t, const DesignPoint&, const ExploreProgress& progress) {
    if (progress.evaluated == 2) stop.request_stop();
  };
  const Exploration result = exploreOn(*makeExecutor(2), *workload, options);
  EXPECT_TRUE(result.cancelled);
  ASSERT_GE(result.points.size(), 2u);
  ASSERT_LT(result.points.size(), 16u);
  for (std::size_t i = 1; i < result.points.size(); ++i) {
    EXPECT_LT(result.points[i - 1].knobs.at("depth"), result.points[i].knobs.at("depth"));
    EXPECT_EQ(result.points[i].state, PointState::Done);
  }
}

TEST(Explore, RefusesASpaceOverTheBudget) {
  ExploreOptions options;
  options.budget = 15;
  const auto result = explore(*workloadOf(chainDocument(1, 10, 0)), *makeExecutor(1), options);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.diagnostics().front().cause, HasSubstr("16 points; at most 15"));
}

TEST(Explore, RefusesWrongObjectives) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "0 objectives"},
      {{"cycles", "flops", "token_hops", "hbm_requests"}, "4 objectives"},
      {{"cycles", "cycels"}, "'cycels' is not a metric"},
      {{"cycles", "cycles"}, "twice"},
  };
  for (const auto& [objectives, part] : cases) {
    ExploreOptions options;
    options.objectives = objectives;
    const auto result = explore(*workloadOf(chainDocument(1, 10, 2)), *makeExecutor(1), options);
    ASSERT_FALSE(result) << part;
    EXPECT_THAT(text(result.diagnostics()), HasSubstr(part));
  }
}

TEST(Explore, RefusesConstraintsThatContradictEachOther) {
  ExploreOptions options;
  options.constraints = {{"cycles", true, 1000}, {"on_chip_bytes", false, 5000}, {"cycles", false, 2000}};
  const auto result = explore(*workloadOf(chainDocument(1, 10, 2)), *makeExecutor(1), options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diagnostics().front().code, "no-feasible-point");
  EXPECT_THAT(text(result.diagnostics()), HasSubstr("cycles <= 1000"));
  EXPECT_THAT(text(result.diagnostics()), HasSubstr("it contradicts cycles >= 2000"));
}

TEST(Explore, OverTheCapacityIsInfeasible) {
  Document document = streamingDocument(4, 16, 64);
  document.machine.on_chip_capacity = 100;
  const Exploration result = exploreOn(*makeExecutor(1), *workloadOf(document));
  ASSERT_EQ(result.points.size(), 1u);
  EXPECT_EQ(result.points[0].state, PointState::Infeasible);
  EXPECT_THAT(result.points[0].cause, HasSubstr("bytes on chip; the machine has 100"));
  EXPECT_GT(result.points[0].metrics.cycles, 0u);
  EXPECT_TRUE(result.frontier.empty());
  EXPECT_EQ(result.hypervolume, 0);
}

TEST(Explore, DeadlockedPointsAreResultsWithoutARank) {
  const auto workload = sampleWorkload(samples / "deadlock_fork_join.sluice");
  const Exploration result = exploreOn(*makeExecutor(2), *workload);
  std::size_t deadlocked = 0;
  for (const DesignPoint& point : result.points) deadlocked += point.state == PointState::Deadlocked;
  EXPECT_GT(deadlocked, 0u);
  EXPECT_LT(deadlocked, result.points.size());
  for (std::size_t i : result.frontier) EXPECT_EQ(result.points[i].state, PointState::Done);
  EXPECT_THAT(result.points.front().cause, HasSubstr("waits for"));
}

TEST(Explore, WhatElaborationRefusesEverywhereIsAnError) {
  Document document = chainDocument(1, 10, 0);
  document.program.streams.pop_back();
  const auto result = explore(*workloadOf(document), *makeExecutor(2), {});
  ASSERT_FALSE(result);
  EXPECT_TRUE(hasErrors(result.diagnostics()));
}

TEST(Explore, FrontierHypervolumeAndReferenceFitThePoints) {
  const auto workload = sampleWorkload(samples / "swiglu.sluice");
  ExploreOptions options;
  options.objectives = {"cycles", "operational_intensity"};  // one to lower, one to raise
  const Exploration result = exploreOn(*makeExecutor(2), *workload, options);
  double slowest = 0, fastest = 1e300, lowest = 1e300, highest = 0;
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const Metrics& point = result.points[i].metrics;
    slowest = std::max(slowest, static_cast<double>(point.cycles));
    fastest = std::min(fastest, static_cast<double>(point.cycles));
    lowest = std::min(lowest, point.operational_intensity);
    highest = std::max(highest, point.operational_intensity);
    const bool beaten =
        std::any_of(result.points.begin(), result.points.end(), [&](const DesignPoint& other) {
          const Metrics& o = other.metrics;
          return o.cycles <= point.cycles && o.operational_intensity >= point.operational_intensity &&
                 (o.cycles < point.cycles || o.operational_intensity > point.operational_intensity);
        });
    const bool listed = std::find(result.frontier.begin(), result.frontier.end(), i) != result.frontier.end();
    EXPECT_EQ(listed, !beaten) << "point " << i;
  }
  ASSERT_EQ(result.reference.size(), 2u);
  EXPECT_DOUBLE_EQ(result.reference[0], slowest + 0.1 * (slowest - fastest));
  EXPECT_NEAR(result.reference[1], lowest - 0.1 * (highest - lowest), 1e-9);
  EXPECT_GT(result.hypervolume, 0);
  EXPECT_LE(result.hypervolume, 1);
}

TEST(Explore, MetricsAgreeWithEachOther) {
  const auto workload = sampleWorkload(samples / "moe_mixtral.sluice");
  const auto result = evaluate(*workload, defaultKnobs(workload->document), RecordMode::Count);
  ASSERT_TRUE(result) << text(result.diagnostics());
  const Metrics& metrics = result->point.metrics;
  const auto cycles = static_cast<double>(metrics.cycles);
  EXPECT_DOUBLE_EQ(metrics.operational_intensity,
                   static_cast<double>(metrics.flops) / static_cast<double>(metrics.off_chip_bytes));
  EXPECT_DOUBLE_EQ(metrics.off_chip_bandwidth_utilization,
                   static_cast<double>(metrics.off_chip_bytes) /
                       (cycles * result->symbolic.graph.machine.offChipBandwidth()));
  EXPECT_GT(metrics.compute_utilization, 0);
  EXPECT_LE(metrics.compute_utilization, 1);
  ASSERT_TRUE(result->symbolic.total.flops);
  EXPECT_EQ(*result->symbolic.total.flops, static_cast<double>(metrics.flops))
      << "the formula and the run count the same";
}

/// What the inputs tell of a symbol and what a run measures must be the same number.
TEST(Explore, SymbolsAreMeasuredAsTheInputsSay) {
  std::size_t compared = 0;
  for (const char* name : {"simple_moe.sluice", "moe_mixtral.sluice"}) {
    const auto workload = sampleWorkload(samples / name);
    const auto result = evaluate(*workload, defaultKnobs(workload->document), RecordMode::Count);
    ASSERT_TRUE(result) << text(result.diagnostics());
    const Inference& inference = result->symbolic.inference;
    for (const auto& [symbol, where] : inference.run_time) {
      const auto known = inference.known.find(symbol);
      if (known == inference.known.end()) continue;
      const auto& groups = result->simulation.streams.at(where.stream).groups;
      const std::uint64_t measured = where.rank_index < groups.size() ? groups[where.rank_index] : 0;
      EXPECT_EQ(static_cast<std::uint64_t>(known->second), measured) << symbol << " of " << name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 8u);
}

/// With no help from the inputs, the run alone must complete the totals.
TEST(Explore, ARunCompletesOpenSymbols) {
  const auto workload = sampleWorkload(samples / "simple_moe.sluice");
  const KnobValues knobs = defaultKnobs(workload->document);
  Result<SymbolicResult> open = evaluateSymbolic(*workload, knobs);
  ASSERT_TRUE(open);
  const double traffic = open->total.off_chip_bytes.value();
  for (const auto& [symbol, value] : open->inference.known) open->bound.erase(symbol);
  open->inference.known.clear();
  open->total = {};
  const PointResult result = simulatePoint(*workload, knobs, *open, RecordMode::Record);
  EXPECT_EQ(result.symbolic.total.off_chip_bytes, traffic);
  EXPECT_EQ(result.point.metrics.off_chip_bytes, static_cast<Bytes>(traffic));
  EXPECT_EQ(result.symbolic.operators.size(), result.symbolic.graph.operators.size());
}

TEST(Explore, CsvHasALineForEveryPoint) {
  const auto workload = sampleWorkload(samples / "deadlock_fork_join.sluice");
  const Exploration result = exploreOn(*makeExecutor(1), *workload);
  const std::string csv = pointsCsv(workload->document, result);
  EXPECT_TRUE(csv.starts_with("depth,state,level,cycles,"));
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), result.points.size() + 1);
  EXPECT_THAT(csv, HasSubstr("deadlocked"));
}

}  // namespace sluice::explore_test

// Design points over sets of traces: statistics against their definitions, the rule that stops early against
// distributions that are known, the evaluator against runs of each trace alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "engine/core/random.h"
#include "engine/distributions/frontier_shares.h"
#include "engine/distributions/occupancy_bands.h"
#include "engine/distributions/percentile_text.h"
#include "engine/distributions/sample_store.h"
#include "engine/distributions/trace_evaluator.h"
#include "engine/explorer/explore.h"
#include "engine/fifo/runnable_traces.h"
#include "engine/program/file_format.h"
#include "tests/engine/support/store_folder.h"

namespace sluice::distributions_test {

using testing::ElementsAre;
using testing::HasSubstr;

const MetricSpec& metricNamed(const std::string& name) {
  return *findMetric(name);
}

DesignPoint ended(std::uint64_t cycles, PointState state = PointState::Done) {
  DesignPoint point;
  point.state = state;
  if (state == PointState::Done) point.metrics.cycles = cycles;
  point.cause = state == PointState::Done ? "" : "it waits";
  return point;
}

PointSamples samplesOf(const std::vector<std::uint64_t>& cycles, std::size_t locked = 0,
                       std::size_t more = 0) {
  PointSamples samples(cycles.size() + locked + more);
  for (std::size_t i = 0; i < cycles.size(); ++i) samples.set(i, ended(cycles[i]));
  for (std::size_t i = 0; i < locked; ++i) samples.set(cycles.size() + i, ended(0, PointState::Deadlocked));
  return samples;
}

double named(const PointSamples& samples, const std::string& name) {
  return statistic(samples, *parseStatistic(name));
}

TEST(Statistics, AreMetricsByName) {
  for (const char* name :
       {"p95(cycles)", "p99.9(operational_intensity)", "mean(on_chip_bytes)", "worst(compute_utilization)",
        "cv(cycles)", "min(cycles)", "max(cycles)", "P(deadlock)", "P(overflow)"}) {
    const MetricSpec* const metric = findMetric(name);
    ASSERT_TRUE(metric) << name;
    EXPECT_EQ(metric->name, name);
    EXPECT_EQ(metric, findMetricTyped(name));
    EXPECT_EQ(text(*statisticOf(*metric)), name);
  }
  EXPECT_EQ(findMetric("median(cycles)")->name, "p50(cycles)");
  EXPECT_EQ(findMetricTyped("p95(On-chip memory)"), findMetric("p95(on_chip_bytes)"));
  for (const char* name :
       {"p0(cycles)", "p100(cycles)", "p95(cycle)", "p95(p95(cycles))", "q(cycles)", "p95()", "mean(cycles"})
    EXPECT_FALSE(findMetric(name)) << name;
  EXPECT_FALSE(statisticOf(metricNamed("cycles")));
  EXPECT_EQ(parseConstraint("P(deadlock)=0")->value, 0);
  EXPECT_TRUE(parseConstraint("p95(cycles)<=4e6")->at_most);
  EXPECT_THAT(text(parseConstraint("p95(cycles)=4").diagnostics()), HasSubstr("shares"));
}

TEST(Statistics, AreWhatTheirNamesSay) {
  std::vector<std::uint64_t> hundred(100);
  std::iota(hundred.begin(), hundred.end(), std::uint64_t{1});
  SplitMix64(1).shuffle(std::span(hundred));
  const PointSamples all = samplesOf(hundred);
  EXPECT_EQ(named(all, "p95(cycles)"), 95);
  EXPECT_EQ(named(all, "p5(cycles)"), 5);
  EXPECT_EQ(named(all, "median(cycles)"), 50);
  EXPECT_EQ(named(all, "p99.9(cycles)"), 100);
  EXPECT_EQ(named(all, "mean(cycles)"), 50.5);
  EXPECT_NEAR(named(all, "cv(cycles)"), std::sqrt((100.0 * 100 - 1) / 12) / 50.5, 1e-12);
  EXPECT_EQ(named(all, "worst(cycles)"), 100);
  EXPECT_EQ(named(all, "min(cycles)"), 1);
  const auto at = std::ranges::find(hundred, 62u) - hundred.begin();
  EXPECT_EQ(percentileOf(all, metricNamed("cycles"), static_cast<std::size_t>(at)), 0.62);
}

/// The same parts added up in another order differ in the last digit.
TEST(Statistics, RatiosThatDifferByRoundingShareAPercentile) {
  const MetricSpec& utilization = metricNamed("compute_utilization");
  PointSamples two = samplesOf({1, 1});
  for (const auto& [trace, value] : {std::pair{0, 0.3}, {1, 0.1 + 0.2}}) {
    DesignPoint point = ended(1);
    utilization.set(point.metrics, value);
    two.set(static_cast<std::size_t>(trace), point);
  }
  EXPECT_EQ(percentileOf(two, utilization, 0), 1);
  EXPECT_EQ(percentileOf(two, utilization, 1), 1);
}

/// A run that does not end is worse than all: quantiles below its share are numbers, those above are not.
TEST(Statistics, TracesThatLockUpAreTheWorst) {
  const PointSamples some = samplesOf(std::vector<std::uint64_t>(96, 10), 4);
  EXPECT_EQ(named(some, "P(deadlock)"), 0.04);
  EXPECT_EQ(named(some, "p96(cycles)"), 10);
  EXPECT_EQ(named(some, "p97(cycles)"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(named(some, "max(cycles)"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(named(some, "mean(cycles)"), 10);
  EXPECT_EQ(named(some, "worst(compute_utilization)"), -std::numeric_limits<double>::infinity());
}

/// Ranks of a 95 % interval of a median are in every table of statistics: of 10 values the 2nd and the 9th.
TEST(Stopping, RanksAreThoseOfTheBinomialDistribution) {
  const auto ranks = [](std::size_t count, double quantile, double error) {
    const Ranks found = quantileRanks(count, quantile, error);
    return std::pair(found.low, found.high);
  };
  EXPECT_EQ(ranks(10, 0.5, 0.05), std::pair(std::size_t{2}, std::size_t{9}));
  EXPECT_EQ(ranks(20, 0.5, 0.05), std::pair(std::size_t{6}, std::size_t{15}));
  EXPECT_EQ(ranks(5, 0.5, 0.05),
            std::pair(std::size_t{0}, std::size_t{6}));  // five values bound no median so well
  EXPECT_EQ(ranks(64, 0.95, 0.05).second, 65u);          // nor 64 the 95th percentile from above
  EXPECT_THAT(looksAt(1000), ElementsAre(64, 128, 256, 512, 1000));
  EXPECT_THAT(looksAt(64), ElementsAre(64));
  EXPECT_THAT(looksAt(3), ElementsAre(3));
}

/// Of 200 sets from a distribution: when the rule stops, the interval holds the quantile of the set, and that
/// of the distribution, in 95 % of the cases or more; and so does the value asked for, to its precision.
TEST(Stopping, IntervalsHoldTheQuantileAsOftenAsTheySay) {
  struct Known {
    double (*draw)(SplitMix64&);
    double p90;
  };
  const auto uniform = [](SplitMix64& random) { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
  static const auto draw_uniform = uniform;
  const Known distributions[] = {
      {[](SplitMix64& random) { return 1000 + 1000 * draw_uniform(random); }, 1900},
      {[](SplitMix64& random) { return 1000 - 1000 * std::log(1 - draw_uniform(random)); },
       1000 + 1000 * std::log(10)},
      {[](SplitMix64& random) { return draw_uniform(random) < 0.7 ? 1000.0 : 2000.0; }, 2000},  // two values
  };
  constexpr std::size_t traces = 1024, sets = 200;
  const Statistic p90{StatisticKind::Quantile, 0.9, findMetric("cycles")};
  const SamplingPrecision precision{0.1, 0.95};
  const double error = (1 - precision.confidence) / static_cast<double>(looksAt(traces).size());
  for (const Known& known : distributions) {
    SplitMix64 random(11);
    std::size_t held_set = 0, held_all = 0, near = 0, seen = 0;
    for (std::size_t i = 0; i < sets; ++i) {
      std::vector<std::uint64_t> values;
      for (std::size_t trace = 0; trace < traces; ++trace)
        values.push_back(static_cast<std::uint64_t>(1000 * known.draw(random)));
      const double exact = quantileOf(orderedValues(samplesOf(values), *p90.of), 0.9);
      for (const std::size_t look : looksAt(traces)) {
        const PointSamples some =
            samplesOf({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(look)}, 0, traces - look);
        if (!knownWell(some, std::span(&p90, 1), traces, precision)) continue;
        const distributions::Interval interval = intervalOf(some, p90, traces, error);
        held_set += interval.low <= exact && exact <= interval.high;
        held_all +=
            look == traces || (interval.low <= 1000 * known.p90 + 1 && 1000 * known.p90 - 1 <= interval.high);
        near += std::abs(statistic(some, p90) - exact) <= precision.relative * exact * 1.001;
        seen += look;
        break;
      }
    }
    EXPECT_GE(held_set, sets * 95 / 100);
    EXPECT_GE(held_all, sets * 95 / 100);
    EXPECT_GE(near, sets * 95 / 100);
    EXPECT_LT(seen, sets * traces);  // and it does stop early
  }
}

TEST(Stopping, MeansAreHeldAsOftenAsTheySay) {
  constexpr std::size_t traces = 1024, sets = 100;
  const Statistic mean{StatisticKind::Mean, 0, findMetric("cycles")};
  SplitMix64 random(12);
  std::size_t held = 0, seen = 0;
  for (std::size_t i = 0; i < sets; ++i) {
    std::vector<std::uint64_t> values;
    for (std::size_t trace = 0; trace < traces; ++trace)
      values.push_back(1'000'000 + random.below(1'000'000) + random.below(1'000'000));
    const double exact = statistic(samplesOf(values), mean);
    for (const std::size_t look : looksAt(traces)) {
      const PointSamples some =
          samplesOf({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(look)}, 0, traces - look);
      if (!knownWell(some, std::span(&mean, 1), traces, {0.04, 0.95})) continue;
      held += std::abs(statistic(some, mean) - exact) <= 0.04 * exact;
      seen += look;
      break;
    }
  }
  EXPECT_GE(held, sets * 95 / 100);
  EXPECT_LT(seen, sets * traces / 2);
}

TEST(Stopping, WhatOnlyTheLastTraceTellsIsNeverKnownBefore) {
  const PointSamples some = samplesOf(std::vector<std::uint64_t>(512, 10), 0, 512);
  for (const char* name : {"max(cycles)", "worst(cycles)", "min(cycles)", "P(deadlock)"}) {
    const Statistic statistic = *parseStatistic(name);
    EXPECT_FALSE(knownWell(some, std::span(&statistic, 1), 1024, {0.5, 0.5})) << name;
  }
  const Statistic p95 = *parseStatistic("p95(cycles)");
  EXPECT_TRUE(knownWell(some, std::span(&p95, 1), 1024, {0.01, 0.95}));
  EXPECT_FALSE(knownWell(samplesOf(std::vector<std::uint64_t>(480, 10), 32, 512), std::span(&p95, 1), 1024,
                         {0.5, 0.95}));
}

/// The frontier of each trace alone, by comparing all with all.
TEST(FrontierShares, AreThoseOfEachTraceAlone) {
  SplitMix64 random(4);
  const std::vector<const MetricSpec*> objectives = {findMetric("cycles"), findMetric("on_chip_bytes")};
  std::vector<PointSamples> points;
  for (int i = 0; i < 6; ++i) points.emplace_back(40);
  std::vector<std::vector<DesignPoint>> all(6, std::vector<DesignPoint>(40));
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t trace = 0; trace < 40; ++trace) {
      DesignPoint& point = all[i][trace] = ended(random.below(5));
      point.metrics.on_chip_bytes = random.below(5);
      if (random.below(10) == 0) point.state = PointState::Deadlocked;
      points[i].set(trace, point);
    }
  std::vector<const PointSamples*> places;
  for (const PointSamples& point : points) places.push_back(&point);
  const std::vector<FrontierShare> shares = frontierShares(places, objectives);
  for (std::size_t i = 0; i < 6; ++i) {
    std::vector<std::size_t> on;
    for (std::size_t trace = 0; trace < 40; ++trace) {
      const DesignPoint& own = all[i][trace];
      const bool beaten = std::ranges::any_of(all, [&](const auto& other) {
        const Metrics &a = other[trace].metrics, &b = own.metrics;
        return other[trace].state == PointState::Done && a.cycles <= b.cycles &&
               a.on_chip_bytes <= b.on_chip_bytes &&
               (a.cycles < b.cycles || a.on_chip_bytes < b.on_chip_bytes);
      });
      if (own.state == PointState::Done && !beaten) on.push_back(trace);
    }
    EXPECT_EQ(shares[i].on, on);
    EXPECT_DOUBLE_EQ(shares[i].share, static_cast<double>(on.size()) / 40);
  }
}

class OverTraces : public testing_support::Store {
 protected:
  /// A small expert layer: knobs of tiles and depths, its routing generated.
  static WorkloadSet smallSet(const std::string& source) {
    Document document = must(loadDocument(SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice"));
    for (Input& input : document.inputs)
      if (input.kind == InputKind::Routing) {
        input.data.reset();
        input.counts.clear();
        input.file = source;
        input.tokens = 16, input.experts = 2, input.top_k = 1;
      }
    return must(makeWorkloadSet(std::move(document), "."));
  }
  struct Seen {
    std::vector<DesignPoint> points;
    std::uint64_t runs = 0, reused = 0, settled = 0;
  };
  static Seen evaluate(const WorkloadSet& set, unsigned threads, SetOptions options,
                       const std::vector<KnobValues>& knobs,
                       const std::function<void(const TraceEvaluator&)>& look = {}) {
    const auto executor = makeExecutor(threads);
    TraceEvaluator evaluator(set, *executor, std::move(options));
    std::vector<PointTask> tasks;
    for (const KnobValues& each : knobs) tasks.push_back({each});
    Seen seen;
    seen.points.resize(tasks.size());
    evaluator.evaluate(
        tasks, [&](std::size_t i, PointOutcome outcome) { seen.points[i] = std::move(outcome.point); }, {});
    EXPECT_TRUE(evaluator.trouble().empty());
    if (look) look(evaluator);
    seen.runs = evaluator.runs(), seen.reused = evaluator.reused(), seen.settled = evaluator.settled();
    return seen;
  }
  static std::vector<KnobValues> allKnobs(const WorkloadSet& set) {
    const DesignSpace space = designSpace(set.workload->document);
    std::vector<KnobValues> all;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(space.size(), 6); ++i)
      all.push_back(space.point(i));
    return all;
  }
};

/// Every run is that of the trace alone, re-timed or not; the same at any number of threads.
TEST_F(OverTraces, EachRunIsThatOfItsTraceAlone) {
  const WorkloadSet set = smallSet("set:zipf,count=12,exponent=1");
  const std::vector<KnobValues> knobs = allKnobs(set);
  SetOptions options;
  options.statistics = {*parseStatistic("p95(cycles)"), *parseStatistic("P(deadlock)")};
  const auto oracle = [&](const TraceEvaluator& evaluator) {
    for (const KnobValues& at : knobs) {
      const PointSamples& samples = *evaluator.samples(at);
      for (std::size_t trace = 0; trace < set.traces.size(); ++trace) {
        const PointResult alone = must(sluice::evaluate(set.at(trace), at, RecordMode::Count));
        ASSERT_EQ(samples.state(trace), alone.point.state);
        if (alone.point.state != PointState::Done) continue;
        for (const MetricSpec* metric : registeredMetrics())
          if (const double value = sluice::metric(alone.point, *metric); !std::isnan(value)) {
            EXPECT_EQ(samples.value(trace, *metric), value) << metric->name;
          }
      }
    }
  };
  const Seen one = evaluate(set, 1, options, knobs, oracle), two = evaluate(set, 3, options, knobs, oracle);
  EXPECT_EQ(one.runs, 12 * knobs.size());
  std::set<double> values;
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    EXPECT_EQ(one.points[i].metrics.cycles, two.points[i].metrics.cycles);
    EXPECT_EQ(metric(one.points[i], "p95(cycles)"), metric(two.points[i], "p95(cycles)"));
    values.insert(metric(one.points[i], "p95(cycles)") - metric(one.points[i], "cycles"));
  }
  EXPECT_GT(*values.rbegin(), 0);  // traces do differ
}

TEST_F(OverTraces, ExploringOverASetFindsTheFrontierOfTheStatistic) {
  const WorkloadSet set = smallSet("set:dirichlet,count=6,concentration=0.5");
  const auto executor = makeExecutor(2);
  for (const std::string objective : {"p90(cycles)", "mean(cycles)"}) {
    SetOptions options;
    options.statistics = {*parseStatistic(objective)};
    TraceEvaluator evaluator(set, *executor, options);
    ExploreOptions request;
    request.objectives = {objective};
    const Exploration found = must(explore(*set.workload, evaluator, request));
    ASSERT_FALSE(found.frontier.empty());
    double best = std::numeric_limits<double>::infinity();
    for (const DesignPoint& point : found.points)
      best = std::min(best, statistic(*evaluator.samples(point.knobs), options.statistics[0]));
    EXPECT_EQ(metric(found.points[found.frontier[0]], objective), best);
  }
}

/// What the store has is not run again - in another set neither, as a run is known by its own trace.
TEST_F(OverTraces, TheStoreKnowsRunsByTheirTrace) {
  const WorkloadSet few = smallSet("set:zipf,count=5,exponent=1"),
                    more = smallSet("set:zipf,count=8,exponent=1");
  const std::vector<KnobValues> knobs = allKnobs(few);
  const auto run = [&](const WorkloadSet& set, bool resume) {
    ExplorationRecord record = explorationHere();
    const SetHashes hashes = hashesOf(set);
    record.workload = hashes.set;
    record.knobs = set.workload->document.knobs;
    record.objectives = {"cycles"};
    ResultStore store = opened(file_);
    record = must(store.begin(record));
    const std::unique_ptr<SampleStore> samples = must(SampleStore::open(file_, record, set, hashes, resume));
    SetOptions options;
    options.keeper = samples.get();
    Seen seen = evaluate(set, 2, options, knobs);
    const std::vector<TraceRecord> traces = must(store.traces(record));
    EXPECT_EQ(traces.size(), set.traces.size());
    EXPECT_EQ(traces.back().name, set.traces.back().name);
    return seen;
  };
  const Seen first = run(few, true), again = run(few, true), bigger = run(more, true);
  EXPECT_EQ(first.runs, 5 * knobs.size());
  EXPECT_EQ(again.runs, 0u);
  EXPECT_EQ(again.reused, 5 * knobs.size());
  EXPECT_EQ(bigger.runs, 3 * knobs.size());
  for (std::size_t i = 0; i < knobs.size(); ++i)
    EXPECT_EQ(first.points[i].metrics.cycles, again.points[i].metrics.cycles);
  EXPECT_EQ(integrity(file_), "ok");
  ResultStore other = opened(folder_ / "other.db");
  must(other.merge(file_));
  for (const ExplorationRecord& record : must(other.explorations()))
    EXPECT_GE(must(other.traces(record)).size(), 5u);
}

/// A stop comes while no point has all of its traces: their runs are not lost.
TEST_F(OverTraces, RunsOfPointsThatAStopLeavesHalfDoneAreInTheStore) {
  const WorkloadSet set = smallSet("set:zipf,count=5,exponent=1");
  const SetHashes hashes = hashesOf(set);
  const auto executor = makeExecutor(2);
  std::vector<PointTask> tasks;
  for (const KnobValues& knobs : allKnobs(set)) tasks.push_back({knobs, Fidelity::Count});
  const auto run = [&](std::uint64_t most, std::size_t& finished) {
    ExplorationRecord record = explorationHere();
    record.workload = hashes.set;
    record.knobs = set.workload->document.knobs;
    record.objectives = {"cycles"};
    ResultStore store = opened(file_);
    record = must(store.begin(record));
    const std::unique_ptr<SampleStore> samples = must(SampleStore::open(file_, record, set, hashes, true));
    std::stop_source stop;
    SetOptions options;
    options.keeper = samples.get();
    options.on_run = [&](std::uint64_t runs, std::uint64_t) {
      if (runs >= most) stop.request_stop();
    };
    TraceEvaluator evaluator(set, *executor, std::move(options));
    evaluator.evaluate(
        tasks, [&](std::size_t, const PointOutcome&) { ++finished; }, stop.get_token());
    EXPECT_TRUE(evaluator.trouble().empty());
    return std::pair(evaluator.runs(), evaluator.reused());
  };
  std::size_t before = 0, after = 0;
  const auto [runs, none] = run(3, before);
  ASSERT_GE(runs, 3u);
  EXPECT_EQ(none, 0u);
  EXPECT_EQ(before, 0u) << "no point is whole";
  const auto [rest, reused] = run(1'000'000, after);
  EXPECT_EQ(reused, runs);
  EXPECT_EQ(rest + reused, 5 * tasks.size());
  EXPECT_EQ(after, tasks.size());
}

/// Sets of several inputs go together by number; what stays alone is told, whichever set is the longer one.
TEST(WorkloadSets, TracesWithoutAPartnerAreLeftOutByName) {
  for (const auto& [first, second] : {std::pair{3, 2}, {2, 3}}) {
    Document document = *loadDocument(SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice");
    ASSERT_EQ(document.inputs.size(), 1u);
    document.inputs.push_back(document.inputs.front());
    document.inputs.back().name = "other";
    const auto source = [](int count) { return "set:zipf,exponent=1,count=" + std::to_string(count); };
    const Result<WorkloadSet> set =
        makeWorkloadSet(document, {}, {{"routing", source(first)}, {"other", source(second)}});
    ASSERT_TRUE(set) << text(set.diagnostics());
    EXPECT_EQ(set->traces.size(), 2u);
    ASSERT_EQ(set->left_out.size(), 1u);
    EXPECT_THAT(text(set->left_out.front()), HasSubstr("no trace number 2 to go with it"));
    EXPECT_THAT(text(set->left_out.front()), HasSubstr(first > second ? "routing" : "other"));
  }
}

TEST(WorkloadSets, ATraceUnderWhichTheRunFailsIsLeftOutOfDepths) {
  const auto setOf = [](const char* source) {
    return *makeWorkloadSet(*loadDocument(SLUICE_SOURCE_DIR "/sample_workloads/moe_mixtral.sluice"), {},
                            {{"routing", source}});
  };
  WorkloadSet set = setOf("set:zipf,count=3,pick=2");
  set.traces[1].inputs = setOf("set:zipf,count=1,tokens=32").traces[0].inputs;
  const KnobValues knobs = defaultKnobs(set.workload->document);
  const auto executor = makeExecutor(2);
  const RunnableTraces all = *fifo::runnableTraces(set, knobs, *executor, {});
  const WorkloadSet& runs = all.set;
  EXPECT_TRUE(all.runs.locked.empty());
  EXPECT_GT(all.runs.most_cycles, 0u);
  ASSERT_EQ(runs.traces.size(), 2u);
  EXPECT_EQ(runs.traces[0].name, set.traces[0].name);
  EXPECT_EQ(runs.traces[1].name, set.traces[2].name);
  EXPECT_EQ(runs.traces[runs.chosen].name, set.traces[set.chosen].name);
  ASSERT_EQ(runs.left_out.size(), 1u);
  EXPECT_EQ(runs.left_out[0].severity, Severity::Warning);
  EXPECT_THAT(text(runs.left_out), HasSubstr(set.traces[1].name));
  set.traces = {set.traces[1]};
  set.chosen = 0;
  EXPECT_THAT(text(fifo::runnableTraces(set, knobs, *executor, {}).diagnostics()),
              HasSubstr("scatter_weights"));
}

/// Against each trace's own run: at every moment the order statistics of the levels.
TEST(OccupancyBands, AreQuantilesOfTheTracesAlone) {
  const WorkloadSet set =
      *makeWorkloadSet(*loadDocument(SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice"), {},
                       {{"routing", "set:zipf,count=9,exponent=1.5"}});
  const KnobValues knobs = defaultKnobs(set.workload->document);
  std::vector<PointResult> runs;
  Cycles end = 0;
  for (std::size_t trace = 0; trace < set.traces.size(); ++trace) {
    runs.push_back(*evaluate(set.at(trace), knobs, RecordMode::Record));
    end = std::max(end, runs.back().simulation.cycles);
  }
  const std::string stream = runs.front().symbolic.graph.streams.at(3).name;
  const auto executor = makeExecutor(2);
  const auto bands = occupancyBands(set, knobs, {stream, "no such stream"}, end, *executor);
  ASSERT_TRUE(bands);
  const OccupancyBand& band = bands->front();
  EXPECT_EQ(band.cycles.back(), static_cast<double>(end));
  double most = 0;
  for (std::size_t i = 0; i < band.cycles.size(); ++i) {
    std::vector<double> levels;
    for (const PointResult& run : runs) {
      double level = 0;
      for (const auto& sample : run.simulation.occupancy.at(3).samples)
        if (static_cast<double>(sample.time) <= band.cycles[i]) level = sample.last;
      levels.push_back(band.cycles[i] > static_cast<double>(run.simulation.cycles) ? 0 : level);
    }
    std::ranges::sort(levels);
    EXPECT_EQ(band.low[i], levels.front());
    EXPECT_EQ(band.middle[i], levels[4]);
    EXPECT_EQ(band.high[i], levels.back());
    most = std::max(most, band.high[i]);
  }
  EXPECT_GT(most, 0);
  EXPECT_THAT((*bands)[1].high, testing::Each(0));
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(occupancyBands(set, knobs, {stream}, end, *executor, stopped.get_token()));
}

TEST(Percentiles, AreToldInWords) {
  const PointSamples samples = samplesOf({10, 40, 20, 30});
  EXPECT_EQ(percentileText(samples, metricNamed("cycles"), 3), "the 75th percentile of 4");
  EXPECT_EQ(ordinal(1), "1st");
  EXPECT_EQ(ordinal(112), "112th");
  EXPECT_EQ(ordinal(1022), "1 022nd");
  EXPECT_EQ(percentileText(PointSamples(2), metricNamed("cycles"), 0), "");
}

}  // namespace sluice::distributions_test
